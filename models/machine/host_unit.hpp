#pragma once
// The host interface's registers: commands by a ring in memory, one task of the executor for each. The task waits for what the firmware
// submits on its command's behalf and carries it out, so that the life of a request tells of it.
//
// Where the firmware's tasks are the controller's own (TaskStarter), there is but that task: it carries out the firmware's work, and
// whatever else the running task submits that task itself.
//
// What is not spent at a device counts as `cpu` in the life of a request: the model does not see for what the firmware lets it wait.
#include <vector>

#include "base/slot_pool.hpp"
#include "firmware/hal/descriptors.hpp"
#include "machine/errands.hpp"
#include "machine/machine.hpp"
#include "machine/register_file.hpp"

namespace tessera {

class HostUnit final : public RegisterUnit, public Errands, private ErrandWorker {
 public:
  HostUnit(Machine& machine, std::uint32_t tags);

  std::uint64_t read(hal::Register which) override;
  void write(hal::Register which, std::uint64_t value) override;

  /// The task of a command, until the firmware completes it.
  [[nodiscard]] Task<void> serve(HostCommand& command);
  /// The host gave the command up.
  void aborted(const HostCommand& command);
  void give(std::uint32_t tag, ErrandWorker& worker, std::uint64_t number) override;

 private:
  struct Errand {
    ErrandWorker* worker = nullptr;  // null: the end of the command
    std::uint64_t number = 0;
  };
  struct Slot {
    HostCommand* command = nullptr;
    Status status = Status::ok;
    std::vector<Errand> errands;  // for its task, in order
    bool waits = false;           // its task does, for an errand
    DeviceWait turn;
    std::vector<HostPiece> pieces;  // by half of the buffer
  };

  void put(hal::HostEntry entry);
  void put_command(const HostCommand& command);
  [[nodiscard]] Slot& slot_of(std::uint64_t tag, const char* what);
  void leave(Slot& slot, const Errand& errand);
  void complete(std::uint64_t value);
  void begin_piece(std::uint64_t address);
  void notify_piece(std::uint64_t address);
  [[nodiscard]] bool write_waiting() const;
  void end(Slot& slot);
  Task<void> in_background(ErrandWorker& worker, std::uint64_t number);
  void carry_out_here(ErrandWorker& worker, std::uint64_t number);
  Task<void> here(ErrandWorker& worker, std::uint64_t number, std::uint64_t place);
  Task<void> carry_out(std::uint64_t number) override;

  Machine& machine_;
  std::vector<Slot> slots_;           // by tag
  SlotPool<Task<void>> here_;         // carried out by the tasks that have submitted them
  std::vector<std::uint64_t> ended_;  // of these
  std::uint64_t ring_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t produced_ = 0;
  std::uint64_t search_first_ = 0;
  std::uint64_t search_end_ = 0;
  std::uint64_t search_but_ = 0;
};

}  // namespace tessera
