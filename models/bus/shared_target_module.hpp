#pragma once
// One socket for any number of initiators in front of a target that has one: answers go to whoever asked.
//
// To the target they are one initiator that keeps the base protocol. Requests by the four phases go in the order of the calls, each after
// the END_REQ of the one before, and no earlier than that in effective time; blocking calls, debug access and direct memory access pass as
// they are, invalidated pointers are everybody's. An initiator that does not wait for its own END_REQ is not covered for: its request goes
// on at once. With one initiator every call passes as it is.
#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

namespace tessera {

class SharedTargetModule : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
  /// Where one initiator's calls come in.
  class Entrance final : public tlm::tlm_fw_transport_if<> {
   public:
    Entrance(SharedTargetModule& module, std::size_t initiator) : module_(module), initiator_(initiator) {}

   private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
      return module_.forward(initiator_, payload, phase, delay);
    }
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override { module_.to->b_transport(payload, delay); }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override { return module_.to->transport_dbg(payload); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
      return module_.to->get_direct_mem_ptr(payload, dmi);
    }
    SharedTargetModule& module_;
    std::size_t initiator_;
  };

  /// Of the TLM utilities' sockets for several initiators none works before the simulation starts, when images are looked at.
  class Socket final : public tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 0> {
   public:
    Socket(const char* name, SharedTargetModule& module) : tlm_target_socket(name), module_(module) { bind(entrance(0)); }

    /// Called once for each initiator that binds, as its way back is bound to the port.
    tlm::tlm_fw_transport_if<>& get_base_interface() override { return entrance(initiators_++); }
    [[nodiscard]] std::size_t initiators() const { return initiators_; }
    [[nodiscard]] tlm::tlm_bw_transport_if<>& back_to(std::size_t initiator) { return *get_base_port()[static_cast<int>(initiator)]; }

   private:
    using tlm_target_socket::get_base_interface;
    Entrance& entrance(std::size_t initiator) {
      while (entrances_.size() <= initiator) entrances_.push_back(std::make_unique<Entrance>(module_, entrances_.size()));
      return *entrances_[initiator];
    }

    SharedTargetModule& module_;
    std::vector<std::unique_ptr<Entrance>> entrances_;  // one at least
    std::size_t initiators_ = 0;
  };

 public:
  Socket from;
  tlm::tlm_initiator_socket<32> to;

  explicit SharedTargetModule(sc_core::sc_module_name name);

 private:
  using Payload = tlm::tlm_generic_payload;
  enum class Place : std::uint8_t {
    waiting,     // to be sent
    target,      // sent, and not answered
    answered,    // its BEGIN_RESP waits for that of another
    responding,  // its BEGIN_RESP is with the initiator, its END_RESP is not here yet
  };
  struct Transaction {
    Payload* payload = nullptr;
    std::size_t initiator = 0;
    Place place = Place::waiting;
    sc_core::sc_time at;  // of the request, or of the response that waits, in effective time
    bool over = false;    // for the target, which has answered at once
  };

  tlm::tlm_sync_enum forward(std::size_t initiator, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  tlm::tlm_sync_enum send(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void send_waiting();
  void give_responses();
  tlm::tlm_sync_enum respond(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void end_request(const Payload& payload, const sc_core::sc_time& delay);
  void end(const Payload& payload);
  [[nodiscard]] Transaction* find(const Payload& payload);
  [[nodiscard]] Transaction* first(Place place);
  [[nodiscard]] bool responding(std::size_t initiator) const;

  std::deque<Transaction> transactions_;  // by arrival; a reference to one stays good while others come
  const Payload* requesting_ = nullptr;   // whose END_REQ is not here yet
  sc_core::sc_time request_free_;         // effective time of the last END_REQ
  sc_core::sc_time response_free_;        // and of the last END_RESP
};

}  // namespace tessera
