#pragma once
// Waveforms: a change-driven recorder that writes a standard value change dump (IEEE 1364, $timescale 1 ps).
//
// A drive without waveforms gives its devices a null pointer. With one, a change outside the window costs the store of the
// signal's value (needed for the dump at the window's start), a change inside about as much as formatting it.
// Devices report a change when they know of it, and local times of CPU and devices differ: the recorder sorts by time.
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace tessera {

/// Handle of a declared signal.
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
  std::size_t ring_changes = std::size_t{1} << 18;  ///< changes kept while waiting (24 B each); fewer than `before` needs: see start()
};

class Waveform {
 public:
  /// `out` must outlive the recorder. Its state is the caller's to check: nothing here throws on a full disk.
  Waveform(std::ostream& out, WaveWindow window);
  Waveform(std::ostream& out, WaveTrigger trigger);

  /// Declarations; all of them precede the first set(). `scope` is the path of the block, dots between levels
  /// ("drive.media"); `name` is unique in it. A signal that was never set shows as unknown.
  [[nodiscard]] WaveSignal bit(std::string_view scope, std::string_view name);
  /// An unsigned number; `width` in bits, 1 to 64. Higher bits of values are cut off.
  [[nodiscard]] WaveSignal vector(std::string_view scope, std::string_view name, std::uint32_t width);
  /// An enumeration shown as text; its values index `names`, which hold no blanks.
  [[nodiscard]] WaveSignal state(std::string_view scope, std::string_view name, std::vector<std::string> names);

  /// The signal has `value` from `time` on. Times may go back a little between calls; of the changes of one signal at one
  /// time the last call counts.
  void set(WaveSignal signal, std::uint64_t value, Picoseconds time) {
    if (time >= end_) return;
    if (time <= begin_ && !started_) {
      keep(signals_[signal.index], value, time);
    } else {
      append({time, signal.index, value});
    }
  }

  /// Opens the window around `time`; later calls do nothing, as does a call on a recorder with a fixed window.
  void trigger(Picoseconds time);
  /// Whether a trigger is still awaited.
  [[nodiscard]] bool armed() const { return armed_; }

  /// Writes what is left, up to the window's end or `now`. No set() may follow.
  void finish(Picoseconds now);

  /// First instant of the window: later than asked for where the ring was too short. Unset (max) while a trigger is awaited.
  [[nodiscard]] Picoseconds start() const { return armed_ ? Picoseconds::max() : begin_; }
  /// Changes that came later than the reorder buffer reaches and were moved to the time already written.
  [[nodiscard]] std::uint64_t late_changes() const { return late_changes_; }

 private:
  struct Signal {
    std::string scope;
    std::string name;
    std::uint32_t width = 1;
    std::vector<std::string> names;  // of a state; empty otherwise
    std::string code;                // VCD identifier
    std::uint64_t value = 0;         // newest up to the window's start, then as written
    Picoseconds since;               // when `value` began
    bool known = false;
    bool touched = false;    // has a change in the time step being written
    std::uint64_t next = 0;  // the value after that step
  };
  struct Change {
    Picoseconds time;
    std::uint32_t signal;
    std::uint64_t value;
  };

  [[nodiscard]] WaveSignal declare(std::string_view scope, std::string_view name, std::uint32_t width, std::vector<std::string> names);
  static void keep(Signal& signal, std::uint64_t value, Picoseconds time) {
    if (time < signal.since) return;
    signal.value = value;
    signal.since = time;
    signal.known = true;
  }
  void append(const Change& change);
  void append_to_ring(const Change& change);
  /// Writes all but the newest changes, in order of time.
  void write_older(std::size_t keep_newest);
  /// Writes the touched signals that really changed, under `time`.
  void write_step(Picoseconds time);
  void write_header();
  void write_start();
  void write_value(const Signal& signal);
  void hand_over(std::size_t when_longer_than);

  std::ostream& out_;
  std::vector<Signal> signals_;
  std::vector<Change> changes_;      // the ring while armed, then the reorder buffer
  std::vector<std::uint32_t> step_;  // signals touched in the time step being written
  std::string text_;                 // formatted, not yet handed to out_
  Picoseconds begin_;
  Picoseconds end_;
  Picoseconds before_;
  Picoseconds after_;
  Picoseconds lost_until_;  // newest change that left the ring
  std::size_t ring_changes_ = 0;
  std::size_t oldest_ = 0;  // of a full ring
  Picoseconds written_until_;
  std::uint64_t late_changes_ = 0;
  bool armed_ = false;
  bool started_ = false;  // header and initial values are written
};

}  // namespace tessera
