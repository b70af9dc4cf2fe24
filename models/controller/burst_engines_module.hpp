#pragma once
// The DMA engines towards a DRAM that asks for bursts: a socket of their own to the bus, on which each engine has up to a limit of bursts
// under way by the four phases of the base protocol.
//
// One request waits for the END_REQ of the one before, whoever sent it; engines take turns. A burst is whole: aligned, of one length, and
// its data pointer names the DRAM's bytes, or bytes that mean nothing where it shows none. An answer may overtake others. An error is a bug
// of the model: engines are told of none.
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "base/timed_initiator_module.hpp"
#include "bus/transactions_module.hpp"
#include "controller/burst_shape.hpp"
#include "controller/extent_traffic.hpp"

namespace tessera {

class BurstEnginesModule : public sc_core::sc_module, public ExtentTraffic, private TimedInitiator::Client, private TimelineListener {
  TimelineModule& drive_;
  TimedInitiator initiator_;

 public:
  tlm::tlm_initiator_socket<32>& bus;

  /// `bytes`: of the DRAM, by address; may be empty. InputError for a shape that cannot be.
  BurstEnginesModule(sc_core::sc_module_name name, TimelineModule& drive, const BurstShape& shape, std::span<std::byte> bytes);

  // ExtentTraffic
  std::uint64_t begin(const DmaExtent& extent) override;
  Bytes passed(BusInitiator engine) override;
  void dropped(BusInitiator engine) override;
  [[nodiscard]] bool done(BusInitiator engine, std::uint64_t number, TimelineListener& listener, std::uint64_t argument,
                          Picoseconds earliest) override;
  void withdraw(const TimelineListener& listener) override;

  /// The power failed: nothing is answered any more.
  void power_off();
  /// Adds `traffic.*`.
  void report(MetricSet& metrics) const;

 private:
  struct Moved {
    DmaExtent extent;
    std::uint64_t first;  ///< address of its first burst
    std::uint64_t bursts;
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    std::uint64_t number;  ///< in the engine's order, from 1
  };
  struct Waiter {
    std::uint64_t number;  ///< of the extent whose end it waits for
    TimelineListener* listener;
    std::uint64_t argument;
    Picoseconds earliest;
  };
  struct Engine {
    std::deque<Moved> extents;  ///< that are not answered as a whole
    std::vector<Waiter> waiters;
    std::uint64_t begun = 0;  ///< extents
    Bytes behind{};           ///< the most, with the last of them
    std::uint32_t under_way = 0;
    Picoseconds alarm{};  ///< for the next burst, where its device has yet to come to it
  };
  struct BurstExtension : DmaExtension {
    std::uint64_t number = 0;
    Picoseconds sent;
  };

  void answered(tlm::tlm_generic_payload& payload) override;
  void on_time(std::uint64_t engine) override;
  Engine& engine_of(BusInitiator which);
  void pump();
  bool send_next(std::size_t which);
  [[nodiscard]] bool waits_for_device(std::size_t which, const Moved& moved);
  void send(Engine& engine, Moved& moved);
  void settle(Engine& engine);
  [[nodiscard]] Bytes movable(const DmaExtent& extent) const;
  void note_lag(Engine& engine, const Moved& moved) const;

  BurstShape shape_;
  std::span<std::byte> bytes_;
  std::vector<std::byte> scratch_;
  std::deque<Engine> engines_;  // by BusInitiator
  PayloadPool<BurstExtension> payloads_;
  bool pumping_ = false;
  bool turn_posted_ = false;
  std::uint64_t bursts_ = 0;
  std::uint32_t under_way_ = 0, most_under_way_ = 0;
  std::uint32_t at_work_ = 0, most_at_work_ = 0;  // engines
  Picoseconds latency_;                           // of all bursts together
};

}  // namespace tessera
