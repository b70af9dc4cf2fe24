#pragma once
// One drive's calendar of future actions, in order of (time, order of posting). Pure: unit tests run it as a
// virtual clock; timeline_module.hpp runs it under the SystemC kernel, ahead of kernel time where nothing can observe it.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace tessera {

/// What happens at a posted time. `argument` is what the poster gave: an index, a pointer, or nothing.
class TimelineListener {
 public:
  virtual void on_time(std::uint64_t argument) = 0;

 protected:
  ~TimelineListener() = default;
};

class Timeline {
 public:
  /// The current local time: the time of the action that is being carried out.
  [[nodiscard]] Picoseconds now() const { return now_; }

  /// Has `listener.on_time(argument)` called at `when`, which must not lie before now().
  void post(Picoseconds when, TimelineListener& listener, std::uint64_t argument = 0);

  /// Moves on to `when`, later in the action in hand, as if it had posted the rest of itself for then and that were carried out now. Not
  /// where something else comes first, or somebody may look at the calendar in between.
  [[nodiscard]] bool go_on(Picoseconds when) {
    if (when >= unobserved_until_ || due_by(when)) return false;
    TESSERA_CHECK(when >= now_, "an action went on in the past");
    now_ = when;
    ++actions_;
    return true;
  }
  /// Until then nobody looks at the calendar between two actions. Without a call nothing goes on.
  void unobserved_until(Picoseconds when) { unobserved_until_ = when; }

  /// Removes every entry of `listener` (a device that lost its power). Linear in the number of entries.
  void withdraw(const TimelineListener& listener);

  [[nodiscard]] bool empty() const { return heap_.empty() || (vacant_ && heap_.size() == 1); }
  /// Time of the next entry; the timeline must not be empty.
  [[nodiscard]] Picoseconds next() {
    fill_top();
    return heap_.front().when;
  }

  /// Carries out the next entry.
  void step() {
    fill_top();
    TESSERA_CHECK(!heap_.empty(), "an empty timeline was stepped");
    const Entry next = heap_.front();
    vacant_ = true;
    now_ = next.when;
    ++actions_;
    next.listener->on_time(next.argument);
  }
  /// Carries out every entry up to and including `limit`.
  void run_until(Picoseconds limit);
  /// Carries out entries until none is left.
  void run();
  /// Moves now() forward with no action; nothing may be due before.
  void advance_to(Picoseconds time);

  /// Number of actions carried out since construction.
  [[nodiscard]] std::uint64_t actions() const { return actions_; }

 private:
  struct Entry {
    Picoseconds when;
    std::uint64_t order;
    TimelineListener* listener;
    std::uint64_t argument;
    bool operator<(const Entry& other) const { return when != other.when ? when < other.when : order < other.order; }
  };
  /// Whether an entry is, but for that of the action in hand.
  [[nodiscard]] bool due_by(Picoseconds when) const {
    const std::size_t first = vacant_ ? 1 : 0;
    const std::size_t end = std::min(vacant_ ? 1 + arity : 1, heap_.size());
    for (std::size_t i = first; i < end; ++i)
      if (heap_[i].when <= when) return true;
    return false;
  }
  void append(const Entry& entry);
  void sift_up(const Entry& entry);
  void sift_down(const Entry& entry);
  void fill_top() {
    if (vacant_) fill_top_with_last();
  }
  void fill_top_with_last();

  static constexpr std::size_t arity = 4;
  std::vector<Entry> heap_;  // min-heap: shallower than a binary one for the ~100 entries of a busy drive
  bool vacant_ = false;      // the top is that of the action carried out last, which mostly posts the entry that takes its place
  Picoseconds now_;
  Picoseconds unobserved_until_;
  std::uint64_t posted_ = 0;
  std::uint64_t actions_ = 0;
};

}  // namespace tessera
