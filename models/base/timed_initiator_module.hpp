#pragma once
// The initiator's side of the TLM-2.0 base protocol on a drive's calendar.
//
// What a target sends takes effect at kernel time plus its annotated delay: an answer that the drive's own action in hand brings for now()
// is handed on in place, any other is posted into the calendar. By the exclusion rule one request waits for the END_REQ of the one before,
// however the target gives it: as TLM_UPDATED, TLM_COMPLETED, END_REQ or BEGIN_RESP, at once or with a delay. Responses are ended by
// TLM_COMPLETED at once; one that came with the return of BEGIN_REQ, by END_RESP.
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/slot_pool.hpp"
#include "base/timeline_module.hpp"

namespace tessera {

class TimedInitiator final : private tlm::tlm_bw_transport_if<>, private TimelineListener {
 public:
  using Payload = tlm::tlm_generic_payload;

  class Client {
   public:
    /// The payload has its response, as of the timeline's now(). It is released behind this call.
    virtual void answered(Payload& payload) = 0;
    /// A phase of the payload that is none of the base protocol's, which the target sends for now().
    virtual void told(Payload&, const tlm::tlm_phase&) {}

   protected:
    ~Client() = default;
  };

  tlm::tlm_initiator_socket<32> socket;

  TimedInitiator(const char* name, TimelineModule& drive, Client& client);

  /// Begins a transaction at now(), or as soon as the target takes one, and takes over the caller's reference to its payload.
  void send(Payload& payload);
  /// Sends a phase of our own beside the base protocol's, for a transaction that is under way.
  void signal(Payload& payload, const tlm::tlm_phase& phase);
  /// The power failed: nothing that is under way is answered any more. What a target, which may not know of the cut, still answers is
  /// ended and dropped.
  void power_off();

  /// Transactions that are not answered.
  [[nodiscard]] const std::vector<Payload*>& outstanding() const { return outstanding_; }

 private:
  enum class Event : std::uint8_t { request_over, answer, answer_to_end };
  struct Pending {
    Event event = Event::request_over;
    Payload* payload = nullptr;
  };

  void begin(Payload& payload);
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}  // it asks for no direct access
  void take_return(Payload& payload, tlm::tlm_sync_enum answer, const tlm::tlm_phase& phase, Picoseconds when);
  void post(Picoseconds when, Event event, Payload* payload);
  void on_time(std::uint64_t argument) override;
  void request_over(const Payload& payload);
  void hand_on(std::vector<Payload*>::iterator at);

  TimelineModule& drive_;
  Client& client_;
  std::vector<Payload*> outstanding_;    // each with a reference, unsent ones as well
  const Payload* requesting_ = nullptr;  // whose END_REQ is to come, or has come for a later instant
  std::deque<Payload*> unsent_;          // behind it
  bool cut_ = false;
  SlotPool<Pending> pending_;  // by argument of the timeline
};

}  // namespace tessera
