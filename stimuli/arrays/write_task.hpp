#pragma once
// A write of part of a row whose data has parity.
#include "stimuli/arrays/array_task.hpp"
#include "stimuli/arrays/row_journal.hpp"

namespace tessera {

class WriteTask final : public ArrayTask, private TimelineListener {
 public:
  /// `parts`: those of the request in one row.
  WriteTask(ArrayHost& host, std::uint32_t tag, std::vector<ArrayPart> parts);
  ~WriteTask() override;
  void start() override;
  /// What the journal has is put right from there.
  [[nodiscard]] bool writes_row() const override { return stage_ == Stage::write && !record_; }

 private:
  enum class Stage : std::uint8_t { wait, read, log, write };

  void locked_in() override { plan(); }
  void took(std::uint32_t member, HostRequest& command) override;
  void stage_over() override;
  void plan();
  void by_sectors();
  void compute();
  void modify_parity(std::uint32_t parity);
  void lay_new_data();
  void write();
  void log(std::uint32_t record);
  void on_time(std::uint64_t) override;
  void write_row();
  void count_way() const;
  void done(Status status);

  std::uint32_t tag_;
  std::vector<ArrayPart> parts_;
  std::vector<ChunkRange> fresh_;  // by data column
  std::vector<bool> unread_;       // members that are missing or could not be read
  WritePlan plan_;
  RowContent old_;  // by member, over the band
  std::vector<MemberWrite> writes_;
  std::optional<std::uint32_t> record_;  // of the journal
  Stage stage_ = Stage::wait;
  Status status_ = Status::ok;
};

}  // namespace tessera
