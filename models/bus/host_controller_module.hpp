#pragma once
// A host controller as a SystemC module: registers by a target socket, the platform's memory by an initiator socket, interrupts by a line,
// by messages in that memory or by a callback, and behind it a drive's block socket (host/block_target_module.hpp). What it does with them
// is its core's affair: models/nvme, models/ahci.
//
// One process does the controller's steps one after another, each with the time that the platform's memory takes for it. Transfers to the
// drive are under way side by side.
//
// A register access takes effect at kernel time plus its annotated delay, so that nothing depends on how far an initiator runs ahead:
// b_transport waits for that instant and gives the delay back as 0, which costs a processor model its quantum at each access;
// nb_transport_fw with a delay is answered by BEGIN_RESP at that instant, without one at once by TLM_COMPLETED.
#include <tlm_utils/peq_with_get.h>

#include <deque>
#include <functional>
#include <systemc>
#include <tlm>

#include "base/byte_enables.hpp"
#include "base/direct_access_module.hpp"
#include "base/drive_part.hpp"
#include "bus/host_controller.hpp"
#include "bus/transactions_module.hpp"

namespace tessera {

class HostControllerModule : public sc_core::sc_module,
                             public PoweredPart,
                             protected tlm::tlm_fw_transport_if<>,
                             protected tlm::tlm_bw_transport_if<>,
                             protected HostMemory,
                             protected BlockDrive,
                             protected Interrupts {
 public:
  tlm::tlm_target_socket<32> registers;  ///< accesses of 4 or 8 B, aligned; AHCI takes 1 and 2 B too
  tlm::tlm_initiator_socket<32> memory;  ///< b_transport
  tlm::tlm_initiator_socket<32> drive;   ///< to DriveModule::block_socket()
  sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>
      interrupt;  ///< the line, where there are no messages

  /// `capacity`: of the drive in bytes, 0 without power.
  HostControllerModule(sc_core::sc_module_name name, std::function<std::uint64_t()> capacity);
  ~HostControllerModule() override;

  /// Called when a vector's message has been written, beside the message.
  void on_message(std::function<void(std::uint16_t vector)> listener) { listener_ = std::move(listener); }

  /// With the drive's: DriveModule::attach() calls both.
  void power_off() override;
  void power_on() override;

 protected:
  [[nodiscard]] virtual HostController& core() = 0;

 private:
  using Payload = tlm::tlm_generic_payload;
  /// Whose transfer a payload is.
  struct Origin : tlm::tlm_extension<Origin> {
    BlockTransfer transfer;
    tlm_extension_base* clone() const override { return new Origin(*this); }
    void copy_from(const tlm_extension_base& other) override { *this = static_cast<const Origin&>(other); }
  };
  /// The memory's side: it blocks, so nothing comes back.
  struct MemoryReturn final : tlm::tlm_bw_transport_if<> {
    tlm::tlm_sync_enum nb_transport_bw(Payload&, tlm::tlm_phase&, sc_core::sc_time&) override { return tlm::TLM_ACCEPTED; }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };

  void run();
  void drive_line();
  void carry_out_accesses();
  void answer_accesses();
  void send();
  void take_responses();

  // Registers.
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override;
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) override { return deny_direct_access(dmi); }
  void carry_out(Payload& payload);
  [[nodiscard]] tlm::tlm_response_status access(const Payload& payload, bool changes);
  void access_registers(bool reads, std::uint64_t at, unsigned char* data, unsigned bytes, const ByteEnables& enables);
  [[nodiscard]] std::uint64_t left_out(std::uint64_t at, std::uint32_t bytes);

  // The drive.
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  [[nodiscard]] std::uint64_t capacity() const override { return capacity_(); }
  void submit(const BlockTransfer& transfer) override;
  [[nodiscard]] std::uint32_t waiting(std::uint32_t command) const override;
  void withdraw(std::uint32_t command) override;
  void abort(std::uint32_t command, std::uint32_t generation) override;

  // The platform.
  bool read(std::uint64_t address, std::span<std::byte> to) override;
  bool write(std::uint64_t address, std::span<const std::byte> from) override;
  bool move(tlm::tlm_command command, std::uint64_t address, std::byte* data, std::size_t bytes);
  void line(bool asserted) override;
  void message(std::uint16_t vector) override;

  std::function<std::uint64_t()> capacity_;
  std::function<void(std::uint16_t)> listener_;
  MemoryReturn memory_return_;
  PayloadPool<BlockExtension> payloads_;
  std::deque<Payload*> unsent_;
  Payload* requesting_ = nullptr;    // whose END_REQ is to come
  sc_core::sc_time request_free_;    // when the last END_REQ takes effect
  sc_core::sc_event request_ended_;  // by itself: a later notification of an event gives way to an earlier one
  std::vector<Payload*> outstanding_;
  tlm_utils::peq_with_get<Payload> responses_{"responses"};
  tlm_utils::peq_with_get<Payload> accesses_{"accesses"};  // that came with a delay, without blocking
  std::deque<Payload*> answers_;                           // to them
  Payload* answering_ = nullptr;                           // whose END_RESP is to come
  sc_core::sc_event answered_;
  bool asserted_ = false;  // the line, which one process alone may write
  sc_core::sc_event line_changed_;
  sc_core::sc_event changed_;  // a register was written, power came or went
};

}  // namespace tessera
