#pragma once
// Part of a read: from the drive that holds it, from the copy with the shortest queue, or computed from the rest of the row.
#include "stimuli/arrays/array_task.hpp"

namespace tessera {

class ReadTask final : public ArrayTask {
 public:
  ReadTask(ArrayHost& host, std::uint32_t tag, const ArrayPart& part);
  void start() override;

 private:
  void locked_in() override { read(); }
  void took(std::uint32_t member, HostRequest& command) override;
  void stage_over() override;
  void read();
  void read_copy();
  void read_rest();
  void by_sectors();
  void give(const Content& content);
  void done(Status status);

  std::uint32_t tag_;
  ArrayPart part_;
  bool locked_ = false;
  bool decodes_ = false;
  std::vector<bool> unread_;  // members that could not be read, or are not there
  Status status_ = Status::ok;
  RowContent row_content_;
};

}  // namespace tessera
