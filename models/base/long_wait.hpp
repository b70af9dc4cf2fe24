#pragma once
// A wait for a drive that is only slow, or for one that never answers. As long as its devices work it is slow, however long it takes: polls
// of firmware that waits for them are no reason to end a run.
#include <cstdint>

namespace tessera {

/// What the devices of a drive do.
struct DeviceWork {
  std::uint64_t operations = 0;  // begun since the drive was made
  bool busy = false;             // one is under way
};

class LongWait {
 public:
  /// Actions of the timeline without a new operation of a device: seconds of processor time. Firmware that polls every millisecond takes 14
  /// h of simulated time for as many.
  static constexpr std::uint64_t most_actions = 50'000'000;
  /// How many times as many while an operation is under way: of a bus with one byte a second, for a page of 256 KiB.
  static constexpr std::uint64_t more_while_busy = 20;
  /// Operations of devices during one wait: a cleaning of every zone, the longest rightful wait, takes some hundred thousand.
  static constexpr std::uint64_t most_operations = 10'000'000;

  /// Whether nothing will come of it. `actions`: of the timeline, since it was made. The first call begins the wait.
  [[nodiscard]] bool is_in_vain(std::uint64_t actions, const DeviceWork& work) {
    if (!begun_) {
      begun_ = true;
      first_operation_ = work.operations;
      operations_ = work.operations;
      actions_ = actions;
    }
    if (work.operations != operations_) {
      operations_ = work.operations;
      actions_ = actions;
    }
    return operations_ - first_operation_ >= most_operations || actions - actions_ >= most_actions * (work.busy ? more_while_busy : 1);
  }

 private:
  bool begun_ = false;
  std::uint64_t first_operation_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t actions_ = 0;  // when the last new operation was seen
};

}  // namespace tessera
