#pragma once
// A TRIM of an array: one command to each drive for each stretch of it that falls away.
//
// As Linux md does. A drive that stands alone, and copies, are told of every block (drivers/md/raid1.c, raid10_handle_discard). Of rows
// with parity only whole ones go, and only to drives that return zeros afterwards (raid5.c, make_discard_request and
// devices_handle_discard_safely): zeros on all members are a row whose parity fits. Of one that misses a member nothing goes, since what it
// held is computed from the others; and none with a journal, which promises that no cut leaves a row half written (ours).
#include <cstdint>
#include <vector>

#include "stimuli/arrays/array_task.hpp"

namespace tessera {

class TrimTask final : public ArrayTask {
 public:
  /// `parts`: those of the request, in ascending order.
  TrimTask(ArrayHost& host, std::uint32_t tag, const ArrayParts& parts);
  void start() override;
  [[nodiscard]] bool writes_row() const override { return sent_ && host_.layout_.redundant(); }
  [[nodiscard]] std::uint64_t rows() const override { return last_.value() - row().value() + 1; }

 private:
  /// What of a row is trimmed, by data column.
  struct Cut {
    ArrayRow row;
    std::vector<ArrayPart> parts;
  };
  void locked_in() override;
  void took(std::uint32_t member, HostRequest& command) override;
  void stage_over() override;
  [[nodiscard]] std::vector<Step> commands();
  [[nodiscard]] bool goes_to_drives(const Cut& cut) const;
  void keep_in_doubt();
  void put_right();
  void done(Status status);

  std::uint32_t tag_;
  ArrayRow last_;
  std::vector<Cut> cuts_;  // before locked_in() all that were asked for, then those that go to the drives
  bool sent_ = false;
  bool differ_ = false;  // a drive kept what the others gave up
  Status status_ = Status::ok;
};

}  // namespace tessera
