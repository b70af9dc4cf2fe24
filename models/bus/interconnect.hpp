#pragma once
// The interconnect between the initiators and the memory: width, clock, arbitration and occupancy, in closed form by extent
// (base/shared_resource.hpp). The CPU's single accesses slip in between the bursts of the DMA engines.
//
// Not modelled: separate read and write channels (what moves has the data path to itself), outstanding transactions and their reordering.
#include <array>
#include <cstdint>
#include <vector>

#include "base/fixed_divisor.hpp"
#include "base/long_time.hpp"
#include "base/metrics.hpp"
#include "base/shared_resource.hpp"
#include "base/signal.hpp"
#include "bus/bus_config.hpp"
#include "bus/dma_transfer.hpp"

namespace tessera {

class Interconnect {
 public:
  /// `arms`: of the disk, each with a DMA engine, as each flash channel has.
  Interconnect(const BusConfig& config, std::uint32_t flash_channels, std::uint32_t arms = 1);

  /// The engine of one arm.
  [[nodiscard]] BusInitiator disk_engine(std::uint32_t arm) const {
    return arm == 0 ? BusInitiator::disk : flash_engine(flash_channels_ + arm - 1);
  }

  /// An extent of a DMA engine, priced at `at`; it comes after the engine's extents before.
  DmaGrant transfer(const DmaTransfer& transfer, Picoseconds at);

  /// A single access of the CPU to the DRAM: gives when it has crossed the bus.
  Picoseconds access(Bytes bytes, Picoseconds at) {
    const Picoseconds work = beats(bytes);
    Counters& counters = counters_[static_cast<std::size_t>(BusAccount::cpu)];
    counters.bytes += bytes;
    counters.busy += work;
    const Picoseconds begin = idle_from(at) ? at : slip_in(work, at);
    if (Signal::anyone_watches()) [[unlikely]]
      uses_.front().show(bytes.value(), begin, begin + work);
    return begin + crossing_;
  }

  /// Single accesses of the CPU one after another, of which the first found the bus idle, as all later ones do: each takes crossing() and
  /// need only be counted.
  template <class Run>
  void count_accesses(const Run& run) {
    std::uint64_t bytes = 0;
    std::uint64_t cycles = 0;
    for (const auto& one : run) {
      bytes += one.bytes;
      cycles += one.bytes - std::uint64_t{1} < width_.divisor() ? 1 : cycles_of(one.bytes);  // none wrap around to many
    }
    Counters& counters = counters_[static_cast<std::size_t>(BusAccount::cpu)];
    counters.bytes += Bytes(bytes);
    counters.busy += period_ * cycles;
  }
  [[nodiscard]] Picoseconds crossing() const { return crossing_; }

  /// Exchanges of a kind, one behind the other: gives when the last of them has crossed the bus. They slip in as the CPU's accesses do.
  Picoseconds exchange(BusExchange kind, std::uint64_t times, Picoseconds at) {
    const auto index = static_cast<std::size_t>(kind);
    exchanged_[index] += times;
    const Picoseconds work = exchange_work_[index] * times;
    if (!idle_from(at)) at = squeeze_in(kind, work, at);
    if (Signal::anyone_watches()) [[unlikely]]
      show(kind, times, at);
    return at + work + crossing_;
  }
  /// Whether an exchange from `at` on has the bus to itself, and takes quiet_time(); it need only be counted and, to who watches, shown.
  [[nodiscard]] bool idle_from(Picoseconds at) const { return at >= shared_.last_end(); }
  [[nodiscard]] Picoseconds quiet_time(BusExchange kind) const { return exchange_work_[static_cast<std::size_t>(kind)] + crossing_; }
  void count(BusExchange kind, std::uint64_t times) { exchanged_[static_cast<std::size_t>(kind)] += times; }
  /// Signals show exchanges from `begin` on.
  [[gnu::noinline]] void show(BusExchange kind, std::uint64_t times, Picoseconds begin) const {
    const auto index = static_cast<std::size_t>(kind);
    exchanges_[kind == BusExchange::register_access ? 0 : 1].show(exchange_bytes[index].value() * times, begin,
                                                                  begin + exchange_work_[index] * times);
  }

  /// The power fails: what was under way is forgotten.
  void cut() { shared_.clear(); }
  [[nodiscard]] SignalScope& signals() { return signals_; }
  /// Adds `bus.*`: shares of the time since reset_statistics().
  void report(MetricSet& metrics, Picoseconds now) const;
  void reset_statistics(Picoseconds now);
  /// The measured time goes on by this, with nothing under way.
  void rest(Picoseconds by) { rested_ += by; }

 private:
  static constexpr std::size_t accounts = 7;
  [[nodiscard]] std::uint64_t cycles_of(std::uint64_t bytes) const { return width_.quotient(bytes + width_.divisor() - 1); }
  [[nodiscard]] Picoseconds beats(Bytes bytes) const { return period_ * cycles_of(bytes.value()); }

  DmaGrant left_out(const DmaTransfer& transfer, Picoseconds at);
  Picoseconds slip_in(Picoseconds work, Picoseconds at);
  Picoseconds squeeze_in(BusExchange kind, Picoseconds work, Picoseconds at);

  struct Counters {
    Bytes bytes;
    Picoseconds busy;
    Picoseconds waited;
  };
  [[nodiscard]] std::array<Counters, accounts> totals() const;

  SignalScope signals_;
  std::vector<UseSignals> uses_;       // by initiator
  std::vector<UseSignals> exchanges_;  // registers, descriptors

  std::uint32_t flash_channels_;
  FixedDivisor width_;
  Picoseconds period_;  // 0: infinitely fast
  Picoseconds crossing_;
  Picoseconds burst_;
  SharedResource shared_;
  std::array<Picoseconds, exchange_bytes.size()> exchange_work_;
  std::array<std::uint64_t, exchange_bytes.size()> exchanged_{};

  std::array<Counters, accounts> counters_{};        // by account
  std::array<Picoseconds, accounts> busy_before_{};  // the measurement, which began
  Picoseconds measured_from_;
  LongTime rested_;  // since then
};

}  // namespace tessera
