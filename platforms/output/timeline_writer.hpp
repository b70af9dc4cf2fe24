#pragma once
// Writes the recorded signals as a timeline: the JSON trace events that Perfetto (ui.perfetto.dev) and chrome://tracing open.
//
// Blocks are processes, and what has states is a thread of its block: a slice for each time in a state other than the first, with the
// numbers declared beside the state as arguments. A tag's lane has a slice for the command, and within it one for each phase. Levels are
// counters. An arrow leads from a command to each slice of a device that serves it (a `tag` beside the state).
//
// The array is not closed before the end, and is handed over in whole events: what a killed run leaves opens as well. Times are
// microseconds with six decimals, which is picoseconds; Perfetto keeps nanoseconds of them.
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/wave_writer.hpp"

namespace tessera {

class TimelineWriter final : public WaveWriter {
 public:
  /// `out` must outlive the writer. Its state is the caller's to check.
  explicit TimelineWriter(std::ostream& out) : out_(out) {}

  void begin(const std::vector<WaveTrace>& signals) override;
  void open(Picoseconds at) override;
  void changes(std::span<const SignalChange> changed) override;
  void close(Picoseconds at, bool last) override;
  void nothing(const std::string& why) override;
  void finish() override;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// A thread: the slices of one state, text or bit.
  struct Track {
    std::uint32_t signal;
    std::uint32_t process;
    std::vector<std::uint32_t> arguments;  // numbers and further states beside it
    std::uint32_t tag = none;              // the signal that says whom it serves
    std::uint32_t request = none;          // of a tag's lane: the signal that numbers the commands
    std::uint32_t op = none;               // and the one that names what they do
    std::size_t open = 0;                  // slices that have begun and not ended
    std::uint64_t shown = 0;               // the state of the innermost one
    bool touched = false;
    bool again = false;  // another piece of work in the same state
  };
  void make_tracks();
  /// At one time.
  void step(std::span<const SignalChange> changed);
  void describe(const Track& track);
  void update(Track& track, Picoseconds at);
  void end_slices(Track& track, std::size_t keep, Picoseconds at);
  void begin_slice(Track& track, std::string_view name, Picoseconds at, bool with_arguments);
  void draw_arrow(const Track& track, Picoseconds at);
  void count(std::uint32_t signal, Picoseconds at);
  void begin_event(char kind, std::uint32_t process, std::uint32_t thread, Picoseconds at);
  [[nodiscard]] std::uint32_t process_of(const std::string& scope);
  [[nodiscard]] std::uint32_t thread_of(const Track& track) const { return static_cast<std::uint32_t>(&track - tracks_.data()) + 1; }
  [[nodiscard]] std::string_view name_of(const Track& track) const;
  [[nodiscard]] std::string value_of(std::uint32_t signal) const;
  void touch(std::uint32_t signal);
  void hand_over(std::size_t when_longer_than);

  std::ostream& out_;
  const std::vector<WaveTrace>* signals_ = nullptr;
  std::vector<WaveTrace> shown_;  // what they show now
  std::vector<std::string> processes_;
  std::vector<Track> tracks_;
  struct Use {
    std::uint32_t track;
    bool renews;  // a change begins another slice, although the state stays
  };
  std::vector<std::vector<Use>> uses_;  // by signal: the tracks that show it
  std::vector<std::uint32_t> lanes_;    // by tag: its track
  std::vector<std::uint32_t> touched_;  // tracks, in this step
  std::vector<std::uint32_t> begun_;    // of them, those that serve a tag and began a slice
  std::string text_;                    // whole events, not yet handed to out_
  std::uint64_t arrows_ = 0;
  bool first_ = true;
};

}  // namespace tessera
