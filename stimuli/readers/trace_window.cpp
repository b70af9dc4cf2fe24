#include "stimuli/readers/trace_window.hpp"

#include <limits>

#include "base/error.hpp"
#include "stimuli/readers/byte_stream.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t look_every = 100'000;  // records, tens of milliseconds

class TraceWindow final : public TraceAdaptation {
 public:
  TraceWindow(std::unique_ptr<TraceSource> inner, std::uint64_t skip, std::optional<std::uint64_t> limit)
      : TraceAdaptation(std::move(inner)), skip_(skip), left_(limit.value_or(std::numeric_limits<std::uint64_t>::max())) {}

  bool next(TraceRecord& record) override {
    if (left_ == 0) return false;
    for (; skipped_ < skip_; ++skipped_) {
      if (skipped_ % look_every == 0) end_if_stopped("--skip: stopped after " + std::to_string(skipped_) + " requests");
      if (!inner_->next(record)) too_short();
    }
    if (!inner_->next(record)) {
      if (!started_ && skip_ > 0) too_short();
      return false;
    }
    if (!started_) origin_ = record.time();
    started_ = true;
    record.arrive(record.time() - origin_);
    --left_;
    return true;
  }

 private:
  [[noreturn]] void too_short() const {
    throw InputError("--skip " + std::to_string(skip_) + ": the trace holds only " + std::to_string(skipped_) + " requests");
  }

  const std::uint64_t skip_;
  std::uint64_t left_;
  std::uint64_t skipped_ = 0;
  bool started_ = false;
  LongTime origin_;
};

}  // namespace

std::unique_ptr<TraceSource> window(std::unique_ptr<TraceSource> inner, std::uint64_t skip, std::optional<std::uint64_t> limit) {
  if (limit == 0) throw InputError("--limit 0: expected at least 1 request");
  return std::make_unique<TraceWindow>(std::move(inner), skip, limit);
}

}  // namespace tessera
