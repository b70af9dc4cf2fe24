#pragma once
// The target's side of the TLM-2.0 base protocol on a drive's calendar.
//
// A request takes effect at kernel time plus its annotated delay: one that the drive's own action in hand makes for now() is carried out in
// place, any other is posted into the calendar and answered TLM_ACCEPTED, then END_REQ. The device may keep END_REQ back (accept() gives
// it later), which by the exclusion rule keeps other requests away from the socket. A response waits until the initiator has ended the one
// before, whether it does so by TLM_COMPLETED, TLM_UPDATED or END_RESP, at once or with a delay. b_transport waits for the same response.
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/direct_access_module.hpp"
#include "base/slot_pool.hpp"
#include "base/timeline_module.hpp"

namespace tessera {

class TimedTarget final : private tlm::tlm_fw_transport_if<>, private TimelineListener {
 public:
  using Payload = tlm::tlm_generic_payload;

  /// What the target does.
  class Device {
   public:
    /// The response to a payload that asks for what the target never does, as soon as it is sent; TLM_OK_RESPONSE for any other.
    [[nodiscard]] virtual tlm::tlm_response_status refusal(const Payload&) const { return tlm::TLM_OK_RESPONSE; }
    /// A request is here as of the timeline's now(); respond() answers it, now or later. False: END_REQ is kept back until accept().
    virtual bool arrived(Payload& payload) = 0;
    /// A phase of the payload that is none of the base protocol's.
    virtual void signalled(Payload&, const tlm::tlm_phase&) {}
    /// transport_dbg: gives how many bytes it moved, in no time.
    virtual unsigned debug(Payload&) { return 0; }
    /// get_direct_mem_ptr.
    virtual bool direct(Payload&, tlm::tlm_dmi& dmi) { return deny_direct_access(dmi); }

   protected:
    ~Device() = default;
  };

  tlm::tlm_target_socket<32> socket;

  TimedTarget(const char* name, TimelineModule& drive, Device& device);

  /// Gives the END_REQ that arrived() kept back, at now(). A response gives it as well.
  void accept();
  /// Sends a phase of our own beside the base protocol's, at now(), for a transaction that is not answered.
  void signal(Payload& payload, const tlm::tlm_phase& phase);
  /// Answers a request whose response status is set, at now().
  void respond(Payload& payload);
  /// The power failed: what is on its way to the device or from it is never answered. What the device has, it drops itself.
  void power_off();
  /// Lets go of a request that is never answered.
  void drop(Payload& payload);

 private:
  enum class Event : std::uint8_t { none, request, signal, response_over };
  struct Pending {
    Event event = Event::none;
    Payload* payload = nullptr;
    tlm::tlm_phase phase;
  };
  /// A b_transport that waits.
  struct Blocked {
    Payload* payload;
    sc_core::sc_event* answered;
  };

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override { return device_.debug(payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override { return device_.direct(payload, dmi); }
  tlm::tlm_sync_enum other_phase(Payload& payload, const tlm::tlm_phase& phase, Picoseconds when);
  [[nodiscard]] bool refused(Payload& payload) const;
  void post(Picoseconds when, Event event, Payload* payload, const tlm::tlm_phase& phase);
  void on_time(std::uint64_t argument) override;
  bool hand_in(Payload& payload);
  void take(Payload& payload);
  void send_end_request(Payload& payload);
  [[nodiscard]] bool unblock(Payload& payload);
  void send_response(Payload& payload);
  void response_over();

  TimelineModule& drive_;
  Device& device_;
  Payload* arriving_ = nullptr;      // in the device's hands, within arrived()
  bool answered_ = false;            // and answered there
  Payload* unaccepted_ = nullptr;    // whose END_REQ is kept back
  std::deque<Payload*> arrivals_;    // behind it
  Payload* responding_ = nullptr;    // whose response the initiator has yet to end, as of now()
  bool response_under_way_ = false;  // there is one
  std::deque<Payload*> responses_;   // behind it
  std::vector<Blocked> blocked_;
  SlotPool<Pending> pending_;  // by argument of the timeline
};

}  // namespace tessera
