#pragma once
// Whose work a task does: its own cause, and that of the piece of work that it has reported and not yet ended (CpuPort::event). What it did
// of late is remembered for those who wait for it, and so is what it waited for itself: a destage that waits at the disk channel for a
// cleaning keeps others waiting for that.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/cause.hpp"
#include "base/request_life.hpp"
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

struct TaskWork {
  Cause task = Cause::host;             ///< of the task as a whole
  Cause now = Cause::host;              ///< what it does now: that, or the piece of work under way
  const RequestLife* serves = nullptr;  ///< the request that has started the task next to its own, until its completion

  void restart(Cause cause) {
    task = now = cause;
    serves = nullptr;
    kind_ = nullptr;
    pieces_.clear();
  }
  /// The task begins a piece of work at `at`. What its word does not name, or names less than is known, changes nothing.
  void begin(const FirmwareEvent& event, Picoseconds at) {
    if (kind_ != nullptr || !is_general(task)) return;
    const auto cause = cause_of_work(event.kind);
    if (!cause) return;
    kind_ = event.kind;
    subject_ = event.subject;
    now = *cause;
    began_ = at;
  }
  /// Whether this is the piece of work that the task has begun.
  [[nodiscard]] bool does(const FirmwareEvent& event) const;
  void end(Picoseconds at) {
    kind_ = nullptr;
    remember({now, began_, at});
    now = task;
  }

  /// The task has waited for work for `cause` from `since` to `until`: that counts as a piece of its own.
  void waited_for(Cause cause, Picoseconds since, Picoseconds until) {
    if (kind_ == nullptr && is_general(task) && cause != task) remember({cause, since, until});
  }
  /// The same for another task.
  void waited_for(const TaskWork& other, Picoseconds since, Picoseconds until) {
    other.each_piece(since, until, [this](Cause cause, Picoseconds begin, Picoseconds end) { waited_for(cause, begin, end); });
  }

  /// Calls f(cause, begin, end) for what is remembered of the time from `since` to `until`, in order of time.
  template <class F>
  void each_piece(Picoseconds since, Picoseconds until, F&& f) const {
    const auto clipped = [&](const Piece& piece) {
      const Picoseconds begin = std::max(since, piece.began);
      const Picoseconds end = std::min(until, piece.ended);
      if (end > begin) f(piece.cause, begin, end);
    };
    const auto later = [since](const Piece& piece) { return piece.ended > since; };
    for (auto piece = std::ranges::find_if(pieces_, later); piece != pieces_.end(); ++piece) clipped(*piece);
    if (kind_ != nullptr) clipped({now, began_, until});
  }

 private:
  struct Piece {
    Cause cause;
    Picoseconds began;
    Picoseconds ended;
  };
  static constexpr std::size_t most_pieces = 64;  // ours: a destage with its waits has four

  void remember(Piece piece) {
    if (!pieces_.empty()) piece.began = std::max(piece.began, pieces_.back().ended);
    if (piece.ended <= piece.began) return;
    if (pieces_.size() == most_pieces) pieces_.erase(pieces_.begin(), pieces_.begin() + most_pieces / 2);
    pieces_.push_back(piece);
  }

  const char* kind_ = nullptr;  // of the piece of work under way
  std::uint64_t subject_ = 0;
  Picoseconds began_;
  std::vector<Piece> pieces_;  // that ended, in order of time, no two at once
};

}  // namespace tessera
