#pragma once
// Part of a write without parity: to the one drive that holds it, or to all copies of a mirror.
#include "stimuli/arrays/array_task.hpp"

namespace tessera {

class CopyTask final : public ArrayTask {
 public:
  CopyTask(ArrayHost& host, std::uint32_t tag, const ArrayPart& part);
  void start() override;
  [[nodiscard]] bool writes_row() const override { return writes_; }

 private:
  void locked_in() override;
  void took(std::uint32_t member, HostRequest& command) override;
  void stage_over() override { done(status_ == Status::aborted ? Status::media_error : status_); }
  [[nodiscard]] Step step(std::uint32_t member) const;
  void begin_writing();
  void done(Status status);

  std::uint32_t tag_;
  ArrayPart part_;
  bool writes_ = false;
  Status status_ = Status::ok;
};

}  // namespace tessera
