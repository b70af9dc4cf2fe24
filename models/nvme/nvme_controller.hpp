#pragma once
// An NVMe controller (NVM Express Base Specification 1.4) in front of a drive: registers, admin and I/O queues, the NVM command set. Plain
// C++; nvme_module.hpp puts it behind sockets.
//
// Register accesses only note what the host wants; work() does it, one step at a call: a change of state, a completion, a command. A step
// reads and writes the host's memory, which may take simulated time, in which registers are accessed.
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "nvme/data_pointer.hpp"
#include "nvme/nvme_config.hpp"
#include "nvme/nvme_features.hpp"
#include "nvme/nvme_identify.hpp"
#include "nvme/nvme_interrupts.hpp"
#include "nvme/nvme_logs.hpp"
#include "nvme/nvme_queues.hpp"
#include "nvme/nvme_wire.hpp"

namespace tessera::nvme {

/// Not of a command: the flush of a shutdown. Also: no command.
inline constexpr std::uint32_t no_command = 0xffff'ffff;
/// Places for commands that those of I/O queues leave free, so that an Abort finds one.
inline constexpr std::size_t admin_slots = 8;

class Controller final : public HostController {
 public:
  /// InputError where the configuration asks for what the standard does not allow.
  Controller(Config config, HostMemory& memory, BlockDrive& drive, Interrupts& interrupts);

  [[nodiscard]] std::uint64_t register_bytes() const override { return reg_end; }
  [[nodiscard]] std::uint64_t read_register(std::uint64_t offset, std::uint32_t bytes) const override;
  void write_register(std::uint64_t offset, std::uint64_t value, std::uint32_t bytes) override;
  [[nodiscard]] bool acts_on_ones(std::uint64_t offset) const override { return offset == reg_intms || offset == reg_intmc; }
  bool work() override;
  void ended(const BlockTransfer& transfer, bool ok) override;
  void power_off() override;
  void power_on() override;
  [[nodiscard]] bool powered() const override { return powered_; }
  [[nodiscard]] bool waits_for_power() const override { return state_ == State::starting; }

 private:
  enum class State : std::uint8_t { disabled, starting, ready, stopping, failed };
  /// A command in flight, from its fetch to its completion.
  struct Command {
    bool used = false;
    std::uint16_t sq = 0;
    NvmeCommand entry;
    std::vector<HostSegment> segments;
    std::vector<std::byte> data;
    std::uint32_t transfers = 0;  ///< that the drive has not ended
    bool failed = false;
    bool aborted = false;      ///< given up: it ends as aborted, unless the drive was faster
    bool reads_media = false;  ///< of a read with FUA: the drive's cache is flushed, then the read follows
    Outcome outcome = NvmeStatus::success;
    std::uint32_t result = 0;
    std::uint32_t after = no_command;  ///< of an Abort: the aborted command, whose completion comes first
  };

  // Registers and states (nvme_controller.cpp).
  [[nodiscard]] std::uint64_t capabilities() const;
  [[nodiscard]] std::uint32_t status_register() const;
  void write_word(std::uint64_t offset, std::uint32_t value);
  void ring_doorbell(std::uint64_t offset, std::uint32_t value);
  bool change_state();
  void start();
  [[nodiscard]] bool may_start() const;
  void end_queues(bool power);
  bool shut_down();
  void give_up_commands();
  void give_up(Command& command);
  void fail() {
    if (state_ != State::stopping) state_ = State::failed;
    ready_ = false;
  }
  [[nodiscard]] bool enabled() const { return (cc_ & 1) != 0; }
  [[nodiscard]] std::uint32_t page_bytes() const { return 4096U << (cc_ >> 7 & 0xf); }
  [[nodiscard]] bool busy() const { return transfers_ != 0; }

  // Fetch and completion (nvme_commands.cpp).
  bool fetch();
  bool complete_one();
  bool post(std::uint16_t sq, std::uint16_t id, NvmeStatus status, std::uint32_t result);
  void end(Command& command, Outcome outcome, std::uint32_t result = 0);
  [[nodiscard]] Command& take_slot();
  [[nodiscard]] std::uint32_t index_of(const Command& command) const { return static_cast<std::uint32_t>(&command - commands_.data()); }
  void submit(Command& command, BlockOp op, std::uint64_t offset, std::uint64_t bytes, std::byte* data = nullptr, bool fua = false);
  void event(std::uint8_t type, std::uint8_t information, std::uint8_t log);
  void clear_event(std::uint8_t type);
  bool answer_event();
  [[nodiscard]] DriveHealth health() const { return config_.health ? config_.health() : DriveHealth(); }
  [[nodiscard]] Picoseconds now() const { return config_.now ? config_.now() : Picoseconds(); }
  [[nodiscard]] std::uint8_t warnings(const DriveHealth& health) const;
  void look_at_health();

  // Admin commands (nvme_admin.cpp): the outcome, or nothing where the command goes on.
  using Answer = std::optional<Outcome>;
  Answer admin(Command& command);
  Answer create_completion_queue(const NvmeCommand& entry);
  Answer create_submission_queue(const NvmeCommand& entry);
  Answer delete_completion_queue(const NvmeCommand& entry);
  Answer delete_submission_queue(Command& command);
  Answer identify_what(Command& command);
  Answer log_page(Command& command);
  Answer set_feature(Command& command);
  Answer get_feature(Command& command);
  Answer abort(Command& command);
  [[nodiscard]] Command* take_event_request(std::uint16_t id);
  [[nodiscard]] Command* give_up_command(std::uint32_t sq, std::uint16_t id);
  [[nodiscard]] Outcome to_host(Command& command, std::span<const std::byte> data);
  [[nodiscard]] Outcome from_host(Command& command, std::span<std::byte> data);

  // NVM command set (nvme_io.cpp).
  Answer io(Command& command);
  Answer transfer(Command& command, const Namespace& space);
  void submit_read(Command& command);
  Answer write_zeroes(Command& command, const Namespace& space);
  Answer deallocate(Command& command, const Namespace& space);
  /// What a command to this namespace is refused with where it is none, or not active.
  [[nodiscard]] Outcome check_namespace(std::uint32_t number) const;
  void finish_io(Command& command);

  Config config_;
  HostMemory& memory_;
  BlockDrive& drive_;
  Logs logs_;
  Features features_;
  InterruptTable interrupts_;

  State state_ = State::disabled;
  std::uint32_t cc_ = 0;
  std::uint32_t aqa_ = 0;
  std::uint64_t asq_ = 0;
  std::uint64_t acq_ = 0;
  std::uint32_t shutdown_ = 0;  // CSTS.SHST
  bool shutdown_flushes_ = false;
  bool announced_ = false;         // a shutdown, since the controller was last enabled: the end of power is then no unsafe one
  bool ready_ = false;             // CSTS.RDY
  bool queues_allocated_ = false;  // by Set Features, once between resets
  bool queues_created_ = false;    // after which they cannot be

  std::vector<SubmissionQueue> sqs_;  // 0: admin
  std::vector<CompletionQueue> cqs_;
  std::uint32_t next_sq_ = 0;  // round robin
  std::vector<Namespace> namespaces_;

  std::vector<Command> commands_;
  std::vector<std::uint32_t> free_;
  std::deque<std::uint32_t> finished_;     // whose completion is to be written
  std::uint64_t transfers_ = 0;            // at the drive
  std::vector<std::uint32_t> deletions_;   // Delete SQ commands that wait for commands in flight
  std::deque<std::uint16_t> held_events_;  // identifiers of Asynchronous Event Request commands
  std::deque<std::uint32_t> events_;       // results that no request has taken yet
  std::uint8_t masked_events_ = 0;         // types whose log page the host has yet to read
  std::uint8_t told_warnings_ = 0;         // critical ones that have been an event
  Picoseconds next_look_;                  // at the drive's health
  /// Data of reads that the drive still has and nobody waits for, by generation and command.
  std::map<std::uint64_t, std::vector<std::byte>> forgotten_;
  bool powered_ = true;
  bool cut_ = false;  // by a power cut that work() has yet to clear up behind
  std::uint32_t generation_ = 0;
};

}  // namespace tessera::nvme
