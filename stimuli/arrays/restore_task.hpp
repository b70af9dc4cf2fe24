#pragma once
// What a member of a row should hold, computed from the others: onto a spare or spare places after a failure, or onto the member's own
// drive after a read error.
#include "stimuli/arrays/array_task.hpp"

namespace tessera {

/// Makes one member of a row anew, range by range.
class RestoreTask : public ArrayTask, private TimelineListener {
 public:
  ~RestoreTask() override;

 protected:
  RestoreTask(ArrayHost& host, ArrayRow row, std::uint32_t member, CommandPriority priority)
      : ArrayTask(host, row), wanted_(member), priority_(priority) {}

  /// Reads as much of the rest as it takes; restored() or lost() follows.
  void restore(ChunkRange range);
  virtual void restored(Content content) = 0;
  virtual void lost() = 0;
  /// The answer to a command that is not of restore().
  virtual void took_own(HostRequest& command) = 0;
  virtual void own_stage_over() = 0;

  std::uint32_t wanted_;  // member
  CommandPriority priority_;

 private:
  void took(std::uint32_t member, HostRequest& command) final;
  void stage_over() final;
  void on_time(std::uint64_t) override;
  void read();
  void compute();

  ChunkRange range_;
  bool reading_ = false;
  bool again_ = false;
  bool loses_ = false;            // lost() is on its way
  std::vector<bool> unreadable_;  // members that could not be read
  std::vector<bool> absent_;      // from row_content_
  RowContent row_content_;
};

class RebuildTask final : public RestoreTask {
 public:
  RebuildTask(ArrayHost& host, ArrayRow row, std::uint32_t member, std::shared_ptr<RowSweep> sweep)
      : RestoreTask(host, row, member, CommandPriority::background), sweep_(std::move(sweep)) {}
  void start() override;

 private:
  void locked_in() override { restore(piece_); }
  void restored(Content content) override;
  void lost() override;
  void took_own(HostRequest&) override {}
  void own_stage_over() override { go_on(); }
  void go_on();
  void done();
  /// Whether the rebuild that it is a part of goes on.
  [[nodiscard]] bool goes_on() const { return host_.rebuild_ && host_.rebuild_->sweep == sweep_; }
  [[nodiscard]] std::optional<std::uint32_t> target() const { return goes_on() ? host_.rebuild_target(row_, wanted_) : std::nullopt; }

  std::shared_ptr<RowSweep> sweep_;
  ChunkRange piece_;  // all of the chunk, or a sector after the other
  bool lost_ = false;
};

/// Looks at each sector of a place that could not be read, or not be written, and writes again what is unreadable.
class RepairTask final : public RestoreTask {
 public:
  RepairTask(ArrayHost& host, ArrayRow row, std::uint32_t member, std::uint32_t drive, ChunkRange range)
      : RestoreTask(host, row, member, CommandPriority::foreground), drive_(drive), place_(range), at_(range.begin) {}
  void start() override { lock(place_); }

 private:
  enum class Stage : std::uint8_t { probe, write, verify };

  void locked_in() override { next(); }
  void restored(Content content) override;
  void lost() override;
  void took_own(HostRequest& command) override { good_ = ok(command.status); }
  void own_stage_over() override;
  void next();
  void look(Stage stage);
  [[nodiscard]] ChunkRange sector() const;

  std::uint32_t drive_;
  ChunkRange place_;
  std::uint32_t at_;  // the sector's first block
  Stage stage_ = Stage::probe;
  bool good_ = false;
};

}  // namespace tessera
