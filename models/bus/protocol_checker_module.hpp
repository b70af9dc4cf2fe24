#pragma once
// Stands between an initiator's and a target's socket, passes every call on, and holds it against the rules of the TLM-2.0 base protocol
// (IEEE 1666-2011, clause 15; IDs as in `rules`):
//
//   order       BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP of one transaction, each on its path, END_REQ implied by BEGIN_RESP
//   requests    no BEGIN_REQ before the END_REQ of the request before (exclusion), in time of the calls and in effective time
//   responses   no BEGIN_RESP before the END_RESP of the response before
//   time        the phases of one transaction never go back in effective time: kernel time plus annotated delay
//   in_order    the requests of one initiator neither, where it claims so
//   attributes  command, data pointer and length, byte enables and streaming width stay as BEGIN_REQ had them
//   response    TLM_INCOMPLETE_RESPONSE with BEGIN_REQ, set before BEGIN_RESP, and left alone after it
//   lifetime    a memory manager, and a reference from BEGIN_REQ to the end
//
// Address and extensions may be changed on the way, phases of one's own are passed on unlooked at. Direct memory access is refused, for
// nothing of it would be seen; so is the hint of a payload.
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/direct_access_module.hpp"

namespace tessera {

/// Id of the SystemC report, an error, for a violation that nobody listens to. By its default action it is thrown into the call that broke
/// the rule; in an action of a drive it ends the simulation as a ModelBug.
inline constexpr const char* protocol_report = "/tessera/protocol";

class ProtocolCheckerModule : public sc_core::sc_module, private tlm::tlm_fw_transport_if<>, private tlm::tlm_bw_transport_if<> {
 public:
  using Payload = tlm::tlm_generic_payload;
  /// Told of each violation: the rule, and what happened where. By default a violation is a report (protocol_report).
  using Listener = std::function<void(const std::string& rule, const std::string& what)>;

  tlm::tlm_target_socket<32> from;
  tlm::tlm_initiator_socket<32> to;

  explicit ProtocolCheckerModule(sc_core::sc_module_name name, bool in_order = false, Listener listener = {});
  ~ProtocolCheckerModule() override { forget(); }

  /// The power failed: what is in flight may end without an answer, or with a late one.
  void power_off();

 private:
  enum class State : std::uint8_t { begin_req, end_req, begin_resp };
  struct Transaction {
    Payload* payload;
    State state = State::begin_req;
    sc_core::sc_time last;
    tlm::tlm_command command;
    const unsigned char* data;
    unsigned length;
    const unsigned char* enables;
    unsigned width;
    tlm::tlm_response_status response;
  };

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override { return to->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) override { return deny_direct_access(dmi); }  // past it nothing is seen
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override { from->invalidate_direct_mem_ptr(first, last); }

  void begin_request(Payload& payload, const sc_core::sc_time& at);
  void end_request(Transaction& transaction, const sc_core::sc_time& at);
  void begin_response(Transaction& transaction, const sc_core::sc_time& at);
  void end_response(Transaction& transaction, const sc_core::sc_time& at);
  void complete(Transaction& transaction, const sc_core::sc_time& at);
  void look_at(Transaction& transaction, const sc_core::sc_time& at);
  void end(Transaction& transaction);
  void forget();
  [[nodiscard]] Transaction* find(const Payload& payload);
  void violated(const char* rule, const std::string& what) const;

  bool in_order_;
  Listener listener_;
  std::vector<Transaction> transactions_;
  const Payload* requesting_ = nullptr;
  const Payload* responding_ = nullptr;
  sc_core::sc_time request_free_;
  sc_core::sc_time response_free_;
  sc_core::sc_time last_request_;
  bool cut_ = false;
};

}  // namespace tessera
