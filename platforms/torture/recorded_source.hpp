#pragma once
// Requests that are at hand, as a source. Their times count from the first, as those of a trace do.
#include <utility>
#include <vector>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

class RecordedSource final : public TraceSource {
 public:
  explicit RecordedSource(std::vector<TraceRecord> records) : records_(std::move(records)) {
    for (std::size_t i = records_.size(); i-- > 0;) records_[i].arrival -= records_.front().arrival;
  }

  bool next(TraceRecord& record) override {
    if (next_ == records_.size()) return false;
    record = records_[next_++];
    return true;
  }
  [[nodiscard]] std::string position() const override { return "request " + std::to_string(next_); }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  std::vector<TraceRecord> records_;
  std::size_t next_ = 0;
};

}  // namespace tessera
