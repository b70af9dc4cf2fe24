#pragma once
// Stands between an initiator's and a target's socket, passes every call on, and records each transaction: a stream for the socket; what it
// is (read, write, ignore), from BEGIN_REQ to its end in effective time (kernel time plus annotated delay); address, length, the request of
// the host that it carries, when END_REQ and BEGIN_RESP were, and the response. Direct memory access is refused: nothing of it would be
// seen.
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/direct_access_module.hpp"
#include "bus/ftr_writer.hpp"

namespace tessera {

class TransactionRecorderModule : public sc_core::sc_module, private tlm::tlm_fw_transport_if<>, private tlm::tlm_bw_transport_if<> {
 public:
  using Payload = tlm::tlm_generic_payload;

  tlm::tlm_target_socket<32> from;
  tlm::tlm_initiator_socket<32> to;

  /// `writer` stays as long as the module; several may share it.
  TransactionRecorderModule(sc_core::sc_module_name name, FtrWriter& writer);

  /// The power failed: what is in flight may end without an answer, and is recorded up to now.
  void power_off();

 private:
  struct Transaction {
    const Payload* payload = nullptr;
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
    std::optional<std::uint64_t> request;
    Picoseconds begin;
    std::optional<Picoseconds> accepted;
    std::optional<Picoseconds> answered;
  };

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override { return to->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) override { return deny_direct_access(dmi); }  // past it nothing is seen
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override { from->invalidate_direct_mem_ptr(first, last); }
  void end_of_elaboration() override;

  [[nodiscard]] static Transaction begun(const Payload& payload, const sc_core::sc_time& delay);
  void look_at(const Payload& payload, const tlm::tlm_phase& phase, bool completed, const sc_core::sc_time& delay);
  void end(const Payload& payload, Picoseconds at);
  void record(const Transaction& transaction, Picoseconds at, std::string_view response);

  FtrWriter& writer_;
  std::uint64_t stream_ = 0;
  std::uint64_t generators_[3] = {};       // by command
  std::vector<Transaction> transactions_;  // in flight
};

}  // namespace tessera
