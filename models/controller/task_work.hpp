#pragma once
// Whose work a task does: its own cause, and that of the piece of work that it has reported and not yet ended (CpuPort::event).
#include <algorithm>
#include <cstdint>

#include "base/cause.hpp"
#include "base/request_life.hpp"
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

struct TaskWork {
  Cause task = Cause::host;             ///< of the task as a whole
  Cause now = Cause::host;              ///< what it does now: that, or the piece of work under way
  const RequestLife* serves = nullptr;  ///< the request that has started the task next to its own, until its completion

  /// The task begins a piece of work at `at`. What its word does not name, or names less than is known, changes nothing.
  void begin(const FirmwareEvent& event, Picoseconds at) {
    if (kind_ != nullptr || !is_general(task)) return;
    const auto cause = cause_of_work(event.kind);
    if (!cause) return;
    kind_ = event.kind;
    subject_ = event.subject;
    piece_ = now = *cause;
    began_ = at;
  }
  /// Whether this is the piece of work that the task has begun.
  [[nodiscard]] bool does(const FirmwareEvent& event) const;
  void end(Picoseconds at) {
    kind_ = nullptr;
    now = task;
    ended_ = at;
  }

  /// The task has waited from `since` to `until` for another one: a piece of work of that counts as one of its own for those who wait for
  /// it.
  void waited_for(const TaskWork& other, Picoseconds since, Picoseconds until) {
    const Picoseconds time = other.in_piece(since, until);
    if (kind_ != nullptr || !is_general(task) || time == Picoseconds(0)) return;
    piece_ = other.piece_;
    began_ = std::max(since, other.began_);
    ended_ = began_ + time;
  }

  /// The cause of its last piece of work, and how much of the time from `since` to `until` that took.
  [[nodiscard]] Cause piece() const { return piece_; }
  [[nodiscard]] Picoseconds in_piece(Picoseconds since, Picoseconds until) const {
    const Picoseconds begin = std::max(since, began_);
    const Picoseconds end = kind_ != nullptr ? until : std::min(until, ended_);
    return end > begin ? end - begin : Picoseconds(0);
  }

 private:
  const char* kind_ = nullptr;  // of the piece of work under way
  std::uint64_t subject_ = 0;
  Cause piece_ = Cause::host;
  Picoseconds began_;
  Picoseconds ended_;
};

}  // namespace tessera
