#pragma once
// The recorder: takes the changes of signals in the order in which they are told, puts them into that of time, keeps those inside its
// windows and hands them to the writers.
//
// Outside the windows a change costs the store of the signal's value (needed for the dump at a window's start), inside about as much as
// formatting it. Devices report a change when they know of it, and local times of CPU and devices differ: hence the order is another.
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/change_queue.hpp"
#include "base/change_ring.hpp"
#include "base/signal.hpp"
#include "base/told_change.hpp"
#include "base/units.hpp"
#include "base/wave_writer.hpp"

namespace tessera {

/// Handle of a recorded signal.
struct WaveSignal {
  std::uint32_t index = std::numeric_limits<std::uint32_t>::max();
};

/// Records the changes in [begin, end); the values at `begin` are dumped there.
struct WaveWindow {
  Picoseconds begin;
  Picoseconds end = Picoseconds::max();
};

/// Records from `before` ahead of the first call of trigger() until `after` past it.
struct WaveTrigger {
  Picoseconds before;
  Picoseconds after;
  std::size_t ring_changes =
      std::size_t{17} << 14;  ///< newest changes kept while waiting (24 B each); fewer than `before` needs: see start()
};

class Waveform final : public SignalSink, private ChangeRoom {
 public:
  /// The windows follow each other, each ends before the next begins. Writers must outlive the recorder.
  Waveform(std::vector<WaveWriter*> writers, std::vector<WaveWindow> windows);
  Waveform(std::vector<WaveWriter*> writers, WaveTrigger trigger);

  /// Records a signal that others declared; all of them precede the first change. `scope` is the path of the block, dots between levels
  /// ("drive.media"); `info` must outlive the recorder, and its name is unique in the scope.
  WaveSignal record(std::string_view scope, const SignalInfo& info);
  /// What the source tells by itself is recorded whole: it is asked before anything later is written.
  void follow(SignalSource& source) { sources_.push_back(&source); }
  /// Signals of the caller's own.
  [[nodiscard]] WaveSignal bit(std::string_view scope, std::string_view name);
  /// An unsigned number; `width` in bits, 1 to 64. Higher bits of values are cut off.
  [[nodiscard]] WaveSignal vector(std::string_view scope, std::string_view name, std::uint32_t width);
  /// An enumeration shown as text; its values index `names`, which hold no blanks.
  [[nodiscard]] WaveSignal state(std::string_view scope, std::string_view name, std::vector<std::string> names);
  [[nodiscard]] std::size_t signals() const { return traces_.size(); }

  /// The signal has `value` from `time` on. Times may go back a little between calls; of the changes of one signal at one
  /// time the last call counts.
  void set(WaveSignal signal, std::uint64_t value, Picoseconds time) { add({time, value, signal.index}); }

  // SignalSink
  void change(std::uint32_t id, std::uint64_t value, Picoseconds at) override { set({id}, value, at); }
  void withdraw(std::uint32_t id, Picoseconds at) override { add(withdrawal_of(id, at)); }
  [[nodiscard]] ChangeRoom* room() override { return this; }

  /// Opens the window around `time`; later calls do nothing, as does a call on a recorder with fixed windows.
  void trigger(Picoseconds time);
  /// Whether a trigger is still awaited.
  [[nodiscard]] bool armed() const { return armed_; }

  /// Writes what is left, up to the last window's end or `now`. No set() may follow.
  void finish(Picoseconds now);

  /// First instant of the first window: later than asked for where the ring was too short. Unset (max) while a trigger is awaited.
  [[nodiscard]] Picoseconds start() const { return armed_ ? Picoseconds::max() : windows_.front().begin; }
  /// After finish(): where the recording ended, which is no later than that call.
  [[nodiscard]] Picoseconds end() const { return ended_; }
  /// Changes that came later than the reorder buffer reaches and were moved to the time already written.
  [[nodiscard]] std::uint64_t late_changes() const { return late_changes_; }

 private:
  struct alignas(64) State {
    Picoseconds since;                       // when the value began
    std::uint64_t value = 0;                 // newest: up to the window's start, then of what is written; while armed with all bits
    std::uint64_t mask = ~std::uint64_t{0};  // of the signal's bits
    std::uint64_t before = 0;                // value before the time step in which it changed last
    bool known = false;
    bool known_before = false;
  };

  WaveSignal declare(std::string_view scope, SignalInfo info);
  void keep(std::uint64_t signal, std::uint64_t value, Picoseconds time) {
    State& state = states_[signal];
    if (time < state.since) return;
    state.value = value & state.mask;
    state.since = time;
    state.known = true;
  }
  /// Until some other time it has the value that was told before.
  void keep_withdrawal(std::uint64_t signal, Picoseconds at) { states_[signal].since = std::min(states_[signal].since, at); }
  void full() override;
  /// Of changes that leave the ring the values stay.
  void keep_leaving(std::span<const SignalChange> told);
  void keep_more(const SignalChange& told);
  /// Brings what was told last into order with the rest, and writes what is old.
  void sort_told();
  void take_told();
  /// Has the sources tell what happens up to `at`.
  void ask_sources(Picoseconds at);
  /// Leaves what no window shows out of what was told last.
  [[nodiscard]] std::span<const SignalChange> told_for_windows();
  /// Writes all but the newest changes, in order of time.
  void write_older(std::size_t keep_newest);
  /// Writes whole time steps.
  void write(std::span<const SignalChange> steps);
  /// Writes a time step inside the open window, from its first change on: where the next one begins.
  const SignalChange* write_step(const SignalChange* change, const SignalChange* end);
  /// Of a signal that may have changed before in the time step from `first` on.
  void write_again(const SignalChange& change, const SignalChange* first, std::size_t written_before);
  /// Writes changes that are outside the windows, or late: where others begin.
  const SignalChange* write_apart(const SignalChange* change, const SignalChange* end);
  /// The change is written, unless the signal shows that value.
  void show(State& state, const SignalChange& change, Picoseconds at) {
    const std::uint64_t value = change.value & state.mask;
    if (state.value == value && state.known) return;
    state.before = state.value;
    state.known_before = state.known;
    state.value = value;
    state.known = true;
    written_[writes_++] = {at, value, change.signal};
  }
  /// Hands what was written to the writers.
  void hand_over();
  /// Opens and closes the windows that begin and end up to `time`.
  void pass(Picoseconds time);
  void open_window();
  void close_window(Picoseconds at, bool last);
  void begin();

  std::vector<WaveWriter*> writers_;
  std::deque<SignalInfo> own_;
  std::vector<SignalSource*> sources_;
  bool asking_ = false;
  std::vector<WaveTrace> traces_;  // as written
  std::vector<State> states_;
  std::optional<ChangeRing> ring_;     // while armed: changes are laid down in it, else in told_
  std::vector<SignalChange> told_;     // last
  std::vector<SignalChange> shown_;    // of them
  ChangeQueue pending_;                // what is not written
  std::vector<SignalChange> written_;  // not handed to the writers: the first `writes_`
  std::size_t writes_ = 0;
  std::vector<WaveWindow> windows_;
  std::size_t window_ = 0;       // the one that is open or comes next
  Picoseconds begin_;            // of it
  Picoseconds pending_from_{1};  // earlier changes are for the values at its beginning alone
  Picoseconds last_end_;         // of the last window
  Picoseconds ended_;
  Picoseconds before_;
  Picoseconds after_;
  Picoseconds written_until_;  // last time step that was handed over
  Picoseconds step_time_;      // last time step
  Picoseconds open_until_;     // end of the open window; 0 outside
  std::uint64_t late_changes_ = 0;
  bool armed_ = false;
  bool begun_ = false;  // the writers have the signals
  bool open_ = false;   // a window is
};

}  // namespace tessera
