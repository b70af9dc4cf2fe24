#pragma once
// Background work that goes over the rows of an array in order: which one may begin when. What is done to a row is its caller's.
#include <functional>
#include <optional>
#include <set>

#include "base/timeline.hpp"
#include "stimuli/arrays/array_config.hpp"

namespace tessera {

class RowSweep final : private TimelineListener {
 public:
  struct Hooks {
    /// Whether requests of the host are under way, or were since this was last asked.
    std::function<bool()> busy;
    std::function<void(ArrayRow)> begin;
    std::function<void()> ended;
    /// Whether a row has anything to be done; without it, each.
    std::function<bool(ArrayRow)> wanted = {};
    /// Makes durable what was done before, and calls flushed(); without it, all that is done is durable at once.
    std::function<void()> checkpoint = {};
  };
  /// The pace is that of each drive: of rows side by side as many go as fast as one that takes all drives.
  RowSweep(Timeline& timeline, const SweepPace& pace, const ArrayLayout& layout, Hooks hooks, Picoseconds checkpoints = {});
  ~RowSweep();

  void start();
  /// A row that was begun has been dealt with: done() says so from now on.
  void mark(ArrayRow row);
  /// After mark(): another may begin.
  void row_done();
  /// What was done before checkpoint() was called is durable, or could not be made so.
  void flushed(bool well);
  /// The rows that were begun are lost, and so are those which no checkpoint covers. All are to be begun again: by start().
  void interrupt();

  [[nodiscard]] bool done(ArrayRow row) const { return row.value() < first_undone_ || done_beyond_.contains(row.value()); }
  [[nodiscard]] bool over() const { return first_undone_ == rows_; }
  [[nodiscard]] double share_done() const { return static_cast<double>(rows_done()) / static_cast<double>(rows_); }
  [[nodiscard]] std::uint64_t rows_done() const { return first_undone_ + done_beyond_.size(); }

 private:
  void on_time(std::uint64_t) override;
  void go_on();
  [[nodiscard]] bool checkpoint_due() const;
  void end_if_over();
  [[nodiscard]] Picoseconds earliest() const;
  [[nodiscard]] bool has_to_yield();

  Timeline& timeline_;
  SweepPace pace_;
  std::uint64_t rows_;
  std::uint32_t depth_;  // rows
  Bytes chunk_;          // that a row takes of each drive, on average
  Hooks hooks_;
  Picoseconds since_;
  std::uint64_t begun_since_ = 0;  // rows since then
  std::uint64_t next_ = 0;
  std::uint64_t first_undone_ = 0;
  std::set<std::uint64_t> done_beyond_;
  std::uint64_t durable_ = 0;              // rows before it, as of the last checkpoint
  std::optional<std::uint64_t> flushing_;  // the same, of the checkpoint that is being made
  std::uint64_t tried_ = 0;                // the same, of the last that was begun
  Picoseconds checkpoints_;                // time between them
  Picoseconds last_checkpoint_;
  std::uint32_t under_way_ = 0;
  bool waits_ = false;
  bool going_ = false;
};

}  // namespace tessera
