#pragma once
// What an array does to whole rows by itself: a comparison of data with parity or copies, and what a journal has; and a FLUSH of drives,
// which is of no row.
#include "stimuli/arrays/array_task.hpp"
#include "stimuli/arrays/row_journal.hpp"

namespace tessera {

class CheckTask final : public ArrayTask {
 public:
  /// `repair`: parity, or all copies but the first that can be read, are made to fit the data. `ended` is told whether they did, and
  /// whether all members were there to be compared.
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
  std::vector<std::uint32_t> unreadable_;  // members
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

/// A FLUSH of some drives.
class FlushTask final : public ArrayTask {
 public:
  using Ended = std::function<void(Status status, const RequestLife& life)>;
  FlushTask(ArrayHost& host, std::vector<std::uint32_t> drives, CommandPriority priority, Ended ended)
      : ArrayTask(host, ArrayRow(0)), drives_(std::move(drives)), priority_(priority), ended_(std::move(ended)) {}
  void start() override;

 private:
  void took(std::uint32_t number, HostRequest& command) override;
  void stage_over() override;

  std::vector<std::uint32_t> drives_;
  CommandPriority priority_;
  Ended ended_;
  std::uint32_t failed_ = ~std::uint32_t{0};  // which of the drives
  Status status_ = Status::ok;
};

}  // namespace tessera
