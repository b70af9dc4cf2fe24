#pragma once
// An AHCI host bus adapter of one port (Serial ATA AHCI Specification 1.3.1) with a drive at it. Plain C++; ahci_module.hpp puts it behind
// sockets.
//
// Register accesses only note what the host wants; work() does it, one step at a call: a change of state, a completion, a command. A step
// reads and writes the host's memory, which may take simulated time, in which registers are accessed: where these stop the port, the step
// ends without effect.
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "ahci/ahci_config.hpp"
#include "ahci/ahci_wire.hpp"
#include "ahci/ata_device.hpp"
#include "bus/host_segments.hpp"

namespace tessera::ahci {

class Controller final : public HostController {
 public:
  /// InputError where the configuration asks for what the standards do not allow.
  Controller(Config config, HostMemory& memory, BlockDrive& drive, Interrupts& interrupts);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  [[nodiscard]] std::uint64_t register_bytes() const override { return reg_end; }
  [[nodiscard]] std::uint64_t read_register(std::uint64_t offset, std::uint32_t bytes) const override;
  void write_register(std::uint64_t offset, std::uint64_t value, std::uint32_t bytes) override;
  [[nodiscard]] bool takes_parts() const override { return true; }
  [[nodiscard]] bool acts_on_ones(std::uint64_t offset) const override {
    return offset == reg_is || offset == reg_pis || offset == reg_serr || offset == reg_sact || offset == reg_ci;
  }
  bool work() override;
  void ended(const BlockTransfer& transfer, bool ok) override;
  void power_off() override;
  void power_on() override;
  [[nodiscard]] bool powered() const override { return powered_; }
  [[nodiscard]] bool waits_for_power() const override { return powered_ && link_ == Link::starting; }

 private:
  /// What the port sees of the drive: nothing, one that holds BSY until it has power, one whose register FIS is yet to be stored, one that
  /// serves.
  enum class Link : std::uint8_t { none, starting, signature, up };
  /// A command in flight, from its fetch to its completion.
  struct Command {
    std::uint32_t number = 0;  ///< of all commands since the start
    std::uint32_t slot = 0;
    std::uint32_t tag = 0;     ///< of a queued one
    std::uint64_t header = 0;  ///< its address
    std::uint64_t table = 0;
    std::uint32_t regions = 0;  ///< PRDTL
    AtaCommand request;
    Action action;
    std::vector<HostSegment> segments;
    bool interrupts = false;  ///< the I bit of a region that is used whole
    std::vector<std::byte> data;
    std::uint32_t transfers = 0;  ///< that the drive has not ended
    bool failed = false;
    std::uint32_t suspect = 0;   ///< of a failed read: its first block that may be the first unreadable one,
    std::uint32_t suspects = 0;  ///< and how many there are
    bool given_up = false;       ///< by a reset or the host: it only waits for its transfers
  };

  // Registers
  [[nodiscard]] std::uint32_t read_word(std::uint64_t offset) const;
  [[nodiscard]] std::uint32_t capabilities() const;
  [[nodiscard]] std::uint32_t port_interrupts() const;
  [[nodiscard]] std::uint32_t command_register() const;
  [[nodiscard]] std::uint32_t link_status() const;
  void write_word(std::uint64_t offset, std::uint32_t value);
  void write_command_register(std::uint32_t value);
  void write_link_control(std::uint32_t value);
  void raise(std::uint32_t bits);
  void look_at_interrupts();
  bool send_message();

  // States (ahci_controller.cpp).
  bool change_state();
  void connect();
  void stop();
  void give_up_commands();
  void reset(bool power);
  void halt(std::uint32_t why);
  [[nodiscard]] bool may_run() const;

  // Commands
  bool fetch();
  void receive(const std::shared_ptr<Command>& command, std::span<const std::byte> fis, std::uint32_t header);
  void control(Command& command, std::uint32_t header);
  void begin(Command& command);
  void refuse(Command& command);
  bool take_from_host(Command& command);
  void begin_transfers(Command& command);
  void submit(Command& command, BlockOp op, std::uint64_t first, std::uint32_t blocks, bool fua);
  bool look_for_block(Command& command, bool ok);
  bool complete_one();
  void complete(Command& command);
  void give_to_host(Command& command);
  bool set_up_pio(const Command& command, bool to_host, std::uint32_t bytes);
  void fail(Command& command, std::uint8_t error, bool fault);
  void fail_queue(Command& command, const TaskFile& file);
  [[nodiscard]] bool find_regions(Command& command);
  bool send_fis(std::uint32_t place, const std::vector<std::byte>& fis);
  void set_task_file(const TaskFile& file) { task_file_ = file.status | std::uint32_t{file.error} << 8; }
  [[nodiscard]] bool busy() const { return (task_file_ & (status_busy | status_request)) != 0; }

  Config config_;
  HostMemory& memory_;
  BlockDrive& drive_;
  Interrupts& platform_;
  AtaDevice device_;

  // HBA.
  bool interrupts_on_ = false;  // GHC.IE
  bool is_ = false;             // IS, of the one port
  bool asserted_ = false;       // the line
  bool reset_wanted_ = false;   // GHC.HR
  std::uint64_t message_address_ = 0;
  std::uint32_t message_data_ = 0;
  bool uses_messages_ = false;
  bool message_due_ = false;

  // Port.
  std::uint64_t list_ = 0;      // PxCLB
  std::uint64_t received_ = 0;  // PxFB
  std::uint32_t raised_ = 0;    // PxIS without the bits that follow PxSERR
  std::uint32_t enabled_ = 0;   // PxIE
  bool start_ = false;          // PxCMD.ST
  bool fis_enable_ = false;     // PxCMD.FRE
  bool running_ = false;        // PxCMD.CR
  bool halted_ = false;         // by an error, until ST is cleared
  std::uint32_t task_file_ = 0x7f;
  std::uint32_t signature_ = 0xffff'ffff;
  std::uint32_t link_control_ = 0;  // PxSCTL
  std::uint32_t errors_ = 0;        // PxSERR
  std::uint32_t active_ = 0;        // PxSACT
  std::uint32_t issued_ = 0;        // PxCI
  std::uint32_t current_ = 0;       // PxCMD.CCS
  std::uint32_t next_slot_ = 0;     // looked at first
  std::uint32_t kept_bits_ = 0;     // of PxCMD
  std::uint32_t speed_ = 0;         // of the link, as it came up: generation
  Link link_ = Link::none;
  bool in_software_reset_ = false;  // SRST

  std::map<std::uint32_t, std::shared_ptr<Command>> commands_;  // by number; a step holds its own to its end
  std::uint32_t next_number_ = 0;
  std::uint32_t queued_ = 0;            // tags that the drive holds
  std::deque<std::uint32_t> finished_;  // numbers
  std::uint32_t epoch_ = 0;             // of the port: how often it was stopped
  bool powered_ = true;
  bool has_power_cycles_ = false;
};

}  // namespace tessera::ahci
