#include "stimuli/readers/record_order.hpp"

#include <algorithm>
#include <deque>

#include "base/error.hpp"

namespace tessera {
namespace {

class SpreadTimes final : public TraceAdaptation {
 public:
  SpreadTimes(std::unique_ptr<TraceSource> inner, Picoseconds resolution) : TraceAdaptation(std::move(inner)), resolution_(resolution) {}

  bool next(TraceRecord& record) override {
    if (group_.empty()) fill();
    if (group_.empty()) return false;
    record = group_.front().record;
    position_ = std::move(group_.front().position);
    group_.pop_front();
    const auto delay = static_cast<unsigned __int128>(resolution_.value()) * given_++ / group_size_;
    // A step of the clock may be shorter than the resolution that was named: time must not run backwards.
    latest_ = std::max(latest_, record.time() + LongTime(delay));
    record.arrive(latest_);
    return true;
  }

  [[nodiscard]] std::string position() const override { return position_; }

  [[nodiscard]] std::vector<std::string> notes() const override {
    auto all = inner_->notes();
    all.push_back("arrivals at one time are spread evenly over " + std::to_string(resolution_.value() / 1'000'000) +
                  " us (--spread): their gaps are an assumption, not a measurement");
    return all;
  }

 private:
  struct Held {
    TraceRecord record;
    std::string position;
  };

  /// All records of the next arrival time, and the first one after them as the seed of the group that follows.
  void fill() {
    if (ahead_) {
      group_.push_back(std::move(*ahead_));
      ahead_.reset();
    }
    for (TraceRecord record; inner_->next(record);) {
      Held held{record, inner_->position()};
      if (!group_.empty() && group_.front().record.time() != record.time()) {
        ahead_ = std::move(held);
        break;
      }
      group_.push_back(std::move(held));
      if (group_.size() > most_records)
        throw InputError(inner_->position() + ": --spread: more than " + std::to_string(most_records) + " records arrive at one time");
    }
    group_size_ = std::max<std::uint64_t>(group_.size(), 1);
    given_ = 0;
  }

  static constexpr std::size_t most_records = 4'000'000;

  const Picoseconds resolution_;
  std::deque<Held> group_;
  std::optional<Held> ahead_;
  std::uint64_t group_size_ = 1;
  std::uint64_t given_ = 0;
  LongTime latest_;
  std::string position_;
};

}  // namespace

std::unique_ptr<TraceSource> spread_times(std::unique_ptr<TraceSource> inner, Picoseconds resolution) {
  return std::make_unique<SpreadTimes>(std::move(inner), resolution);
}

}  // namespace tessera
