#pragma once
// What an array does to whole rows by itself: a missing member computed again, a comparison of data with parity or copies; and a
// FLUSH of all drives, which is of no row.
#include "stimuli/arrays/array_task.hpp"
#include "stimuli/arrays/row_journal.hpp"

namespace tessera {

class RebuildTask final : public ArrayTask {
 public:
  /// `member`: what is to be computed again.
  RebuildTask(ArrayHost& host, ArrayRow row, std::uint32_t member, std::shared_ptr<RowSweep> sweep);
  void start() override;

 private:
  void locked_in() override { read(); }
  void took(std::uint32_t member, HostRequest& command) override;
  void stage_over() override;
  void read();
  void write();
  void done();

  /// Whether the rebuild that it is a part of goes on.
  [[nodiscard]] bool goes_on() const { return host_.rebuild_ && host_.rebuild_->sweep == sweep_; }

  std::shared_ptr<RowSweep> sweep_;
  std::uint32_t wanted_;          // member
  std::vector<bool> unreadable_;  // members that could not be read
  std::vector<bool> absent_;      // from row_content_
  RowContent row_content_;
  bool writes_ = false;
  bool again_ = false;
  bool failed_ = false;
};

class CheckTask final : public ArrayTask {
 public:
  /// `repair`: parity, or all copies but the first that is there, are made to fit the data. `ended` is told whether they did, and whether
  /// all members were there to be compared.
  CheckTask(ArrayHost& host, ArrayRow row, bool repair, CommandPriority priority, std::function<void(bool fits, bool compared)> ended);
  void start() override;
  [[nodiscard]] bool writes_row() const override { return writes_; }

 private:
  void locked_in() override;
  void took(std::uint32_t member, HostRequest& command) override;
  void stage_over() override;
  void write(const std::vector<std::uint32_t>& differing);
  void done();

  bool repair_;
  CommandPriority priority_;
  std::function<void(bool, bool)> ended_;
  RowContent row_content_;
  bool writes_ = false;
  bool fits_ = true;
  bool compared_ = true;
  bool again_ = false;
};

/// Writes again what a record of the journal has, after a power cut.
class ReplayTask final : public ArrayTask {
 public:
  ReplayTask(ArrayHost& host, std::uint32_t record, std::function<void()> ended);
  void start() override;

 private:
  void took(std::uint32_t member, HostRequest& command) override;
  void stage_over() override;
  void read();
  void write();
  void done();

  std::uint32_t record_;
  std::function<void()> ended_;
  std::vector<MemberWrite> writes_;
  std::uint32_t tried_ = 0;  // parity members that the record may be read from
  bool read_ = false;
  bool writing_ = false;
};

class FlushTask final : public ArrayTask {
 public:
  FlushTask(ArrayHost& host, std::uint32_t tag) : ArrayTask(host, ArrayRow(0)), tag_(tag) {}
  void start() override;

 private:
  void took(std::uint32_t member, HostRequest& command) override;
  void stage_over() override;

  std::uint32_t tag_;
  std::uint64_t covered_ = 0;  ///< of the host's writes: all that had ended before
  Status status_ = Status::ok;
};

}  // namespace tessera
