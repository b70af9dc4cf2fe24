#include "stimuli/readers/looped_trace.hpp"

#include "base/error.hpp"

namespace tessera {
namespace {

class LoopedTrace final : public TraceAdaptation {
 public:
  LoopedTrace(std::function<std::unique_ptr<TraceSource>()> open, std::uint64_t passes, Bytes drift, bool in_time)
      : TraceAdaptation(open()), open_(std::move(open)), passes_(passes), drift_(drift), in_time_(in_time) {}

  bool next(TraceRecord& record) override {
    while (!inner_->next(record)) {
      if (pass_ + 1 >= passes_) return false;
      begin_pass();
    }
    ++requests_;
    last_ = record.time();
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
    const auto moved = record.op == HostOp::flush ? 0 : shift_;
    if (__builtin_add_overflow(record.offset.value(), moved, &offset) || __builtin_add_overflow(offset, record.size.value(), &end))
      throw InputError(position() + ": the request ends past 2^64 bytes in pass " + std::to_string(pass_ + 1) + " of the trace");
    record.arrive(last_ + start_);
    record.offset = Bytes(offset);
    return true;
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    auto all = inner_->notes();
    if (passes_ == for_ever)
      all.emplace_back("the input is repeated until the drive has its age (--age)");
    else
      all.push_back("the trace is played " + std::to_string(passes_) + " times, each pass " + std::to_string(drift_.value()) +
                    " bytes above the one before");
    return all;
  }

 private:
  void begin_pass() {
    if (in_time_ && last_ == LongTime())
      throw InputError(
          "--age: all requests of the input arrive at one time, so that repeating it would take no time; give --replay closed:N");
    const LongTime gap = requests_ > 1 ? LongTime(last_.value() / (requests_ - 1)) : LongTime(Picoseconds(1));
    start_ += last_ + gap;
    if (__builtin_add_overflow(shift_, drift_.value(), &shift_))
      throw InputError("pass " + std::to_string(pass_ + 2) + " of the trace begins past 2^64 bytes");
    ++pass_;
    requests_ = 0;
    inner_ = open_();
  }

  const std::function<std::unique_ptr<TraceSource>()> open_;
  const std::uint64_t passes_;
  const Bytes drift_;
  const bool in_time_;
  std::uint64_t pass_ = 0;
  std::uint64_t requests_ = 0;  ///< of this pass
  LongTime last_;               ///< last arrival of this pass, before the shift
  LongTime start_;              ///< of this pass
  std::uint64_t shift_ = 0;     ///< of this pass, bytes
};

}  // namespace

std::unique_ptr<TraceSource> loop(std::function<std::unique_ptr<TraceSource>()> open, std::uint64_t passes, Bytes drift, bool in_time) {
  if (passes == 0) throw InputError("a trace must be played at least once");
  return std::make_unique<LoopedTrace>(std::move(open), passes, drift, in_time);
}

}  // namespace tessera
