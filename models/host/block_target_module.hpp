#pragma once
// The drive as a plain memory-mapped target: any initiator of generic payloads can mount it. The address is a byte offset on the drive, a
// payload reads or writes whole host blocks of 512 B; b_transport, nb_transport and transport_dbg. Where the drive keeps the content of
// user data (mode `bytes`), the data pointer is read and filled; without, a read brings zeros.
//
// A transfer becomes one host command, or several where it is larger than one may be; they take tags as these come free, and END_REQ is
// kept back from a transfer that has not had all of its own. While the drive boots, transfers wait. The phase ABORT_REQ
// (bus/transactions_module.hpp) gives a transfer up: it ends early if it can, with a generic error, and any part of a write may be there.
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <functional>
#include <string>
#include <systemc>

#include "base/drive_part.hpp"
#include "base/timed_initiator_module.hpp"
#include "base/timed_target_module.hpp"
#include "bus/transactions_module.hpp"
#include "host/debug_writes.hpp"
#include "host/first_content.hpp"
#include "host/host_request.hpp"

namespace tessera {

/// The type of the report about a debug write that was not done whole; a warning, so that the number of bytes remains the answer.
inline constexpr const char* debug_write_report = "/tessera/debug-write";

struct BlockTargetConfig {
  ContentMode content = ContentMode::none;
  std::uint32_t tags = 32;
  Bytes largest;                    ///< of one host command
  std::function<Bytes()> capacity;  ///< of the drive; 0 while it has no power
};

class BlockTargetModule : public sc_core::sc_module, public PoweredPart, private TimedTarget::Device, private TimedInitiator::Client {
  TimelineModule& drive_;
  TimedTarget target_;
  TimedInitiator initiator_;

 public:
  tlm::tlm_target_socket<32>& socket;      ///< plain payloads
  tlm::tlm_initiator_socket<32>& to_host;  ///< to the drive's host socket

  BlockTargetModule(sc_core::sc_module_name name, TimelineModule& drive, BlockTargetConfig config);

  /// What blocks hold that nobody has written yet; it stays. Zeros where there is none.
  void set_first_content(FirstContent& content) { first_ = &content; }
  /// Whether an initiator has sent a transfer.
  [[nodiscard]] bool was_used() const { return was_used_; }
  /// What the host was last acknowledged of the block, without time; mode `bytes`.
  void peek(HostBlock block, std::span<std::byte> to) const;
  /// Calls for each block that was written or trimmed through this target.
  void each_acknowledged(const std::function<void(HostBlock)>& visit) const;

  /// The drive has booted and serves, as of the timeline's now().
  void power_on() override;
  /// What is under way ends with a generic error: its initiator has power. What comes later waits for the next boot.
  void power_off() override;

 private:
  struct Transfer {
    tlm::tlm_generic_payload* payload = nullptr;
    HostOp op = HostOp::read;
    bool force_unit_access = false;
    std::uint64_t next = 0;  ///< first block that no command has been sent for
    std::uint64_t end = 0;
    std::uint32_t commands = 0;  ///< under way
    bool failed = false;
    bool merges = false;  ///< a write that leaves bytes out: its blocks are read first, and while they are no other request is taken
    std::vector<unsigned char> merged{};  ///< them, then what is written

    [[nodiscard]] bool reads_first() const { return merges && op == HostOp::read; }
  };
  struct Command {
    HostRequest request;
    Transfer* transfer = nullptr;
  };
  using Block = std::array<std::byte, host_block_bytes>;

  [[nodiscard]] tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& payload) const override;
  bool arrived(tlm::tlm_generic_payload& payload) override;
  void signalled(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) override;
  unsigned debug(tlm::tlm_generic_payload& payload) override;
  [[nodiscard]] std::string why_not(const tlm::tlm_generic_payload& payload, unsigned bytes) const;
  unsigned access_without_time(tlm::tlm_generic_payload& payload);
  void answered(tlm::tlm_generic_payload& payload) override;
  void send_commands();
  void send(Command& command, Transfer& transfer);
  void end(Transfer& transfer);
  void take_content(Command& command, const Transfer& transfer);
  void give_content(const HostRequest& request, Transfer& transfer);
  void merge(Transfer& transfer);
  void remember(const HostRequest& request);
  void put_right(HostRequest& request);
  void note_sent(const HostRequest& request);
  [[nodiscard]] bool under_way(HostBlock block) const;

  BlockTargetConfig config_;
  PayloadPool<HostExtension> payloads_;
  std::vector<Command> commands_;    // by tag
  std::vector<std::uint32_t> free_;  // tags
  std::deque<Transfer> transfers_;   // in order of arrival; ended ones at the front are taken away
  Transfer* sending_ = nullptr;      // that has commands to send
  bool kept_back_ = false;           // its END_REQ
  bool serves_ = false;
  bool was_used_ = false;
  FirstContent* first_ = nullptr;
  DebugWrites debug_writes_;
  std::uint64_t numbers_ = 0;
  boost::unordered_flat_map<std::uint64_t, Block> image_;  // what the host was acknowledged, in mode `bytes`: for transport_dbg
};

}  // namespace tessera
