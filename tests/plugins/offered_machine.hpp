#pragma once
// What the five ports of a layer in C++ behind the firmware interface have in common: its operations with their coroutines, and the names
// of its buffers.
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "firmware/translation_layer.hpp"
#include "platforms/plugin/tessera_firmware.h"

namespace tessera {

/// There was no room: the drive knows why, and ends the run.
struct OfferRefused {};

/// An operation and the coroutine that works it off.
struct OfferedOperation {
  tessera_operation number = 0;
  Task<void> task;
  bool complete = false;
  DataBuffer data;  ///< of its command, by address; content stays with the drive

  DeviceWait* wait = nullptr;   ///< where the coroutine is suspended
  MediaChain* chain = nullptr;  ///< what it waits for, if that
  FlashBatch* batch = nullptr;
  std::vector<tessera_media_step> steps;
  std::vector<tessera_flash_command> commands;
};

class OfferedMachine {
 public:
  OfferedMachine(tessera_machine& table, std::uint32_t sector_bytes) : table_(table), shape_{sector_bytes, ContentMode::none} {}

  [[nodiscard]] tessera_machine& table() const { return table_; }
  [[nodiscard]] const SectorShape& shape() const { return shape_; }
  /// The operation whose coroutine runs.
  [[nodiscard]] OfferedOperation& current() const;
  [[nodiscard]] bool ending() const { return ending_; }

  /// The operation of this number, made where there is none.
  OfferedOperation& operation(tessera_operation number);
  /// Begins its coroutine, or goes on with it where its wait has ended.
  void start(OfferedOperation& operation, Task<void> task);
  void resume(OfferedOperation& operation, Status status, std::uint32_t steps_done);
  void complete(OfferedOperation& operation, Status status);

  void spawn(Task<void> task, const char* name);
  [[nodiscard]] Task<void> take_spawned(const void* state);
  /// Ends all coroutines: the power is gone.
  void power_off();

  /// The sectors of a span as the interface names them, and a buffer for those that it names.
  [[nodiscard]] tessera_data named(const DataSpan& span) const;
  [[nodiscard]] DataBuffer buffer_at(const tessera_data& data) const { return {DramAddress(data.address), data.sectors, shape_}; }
  /// Marks of lost sectors, to the drive and from there: a buffer here has marks of its own.
  void push_lost(const DataSpan& span) const;
  void pull_lost(const DataSpan& span) const;

 private:
  void run(OfferedOperation& operation, std::coroutine_handle<> task);
  void take_answers(OfferedOperation& operation, Status status, std::uint32_t steps_done);

  tessera_machine& table_;
  SectorShape shape_;
  std::vector<std::unique_ptr<OfferedOperation>> slots_;
  std::map<std::uint64_t, Task<void>> spawned_;  // not begun yet, by number
  std::uint64_t spawns_ = 0;
  OfferedOperation* current_ = nullptr;
  bool ending_ = false;
};

}  // namespace tessera
