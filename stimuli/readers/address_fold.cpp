#include "stimuli/readers/address_fold.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tessera {
namespace {

class BoundedAddresses final : public TraceAdaptation {
 public:
  BoundedAddresses(std::unique_ptr<TraceSource> inner, Bytes capacity) : TraceAdaptation(std::move(inner)), capacity_(capacity) {}

  bool next(TraceRecord& record) override {
    if (!inner_->next(record)) return false;
    const bool names_zone = record.op >= HostOp::zone_report && !record.all_zones;
    if (record.end() > capacity_ || (names_zone && record.offset >= capacity_))
      throw InputError(position() + ": the request ends at byte " + std::to_string(record.end().value()) + ", past the drive's end at " +
                       std::to_string(capacity_.value()) + "; --fold wraps addresses round");
    return true;
  }

 private:
  const Bytes capacity_;
};

class FoldedAddresses final : public TraceAdaptation {
 public:
  FoldedAddresses(std::unique_ptr<TraceSource> inner, Bytes capacity) : TraceAdaptation(std::move(inner)), capacity_(capacity) {}

  bool next(TraceRecord& record) override {
    if (rest_.size == Bytes(0)) {
      if (!inner_->next(record)) return false;
      folded_ += record.end() > capacity_ ? 1 : 0;
      record.offset = record.offset % capacity_;
      rest_ = record;
    }
    record = rest_;
    record.size = std::min(rest_.size, capacity_ - rest_.offset);
    rest_.size -= record.size;
    rest_.offset = Bytes(0);
    if (rest_.think) rest_.think = Picoseconds(0);
    return true;
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    auto all = inner_->notes();
    if (folded_ != 0) all.push_back(std::to_string(folded_) + " requests folded back from past the drive's end");
    return all;
  }

 private:
  const Bytes capacity_;
  TraceRecord rest_;  ///< what is left of a request over the drive's end
  std::uint64_t folded_ = 0;
};

}  // namespace

std::unique_ptr<TraceSource> bound_addresses(std::unique_ptr<TraceSource> inner, Bytes capacity) {
  return std::make_unique<BoundedAddresses>(std::move(inner), capacity);
}

std::unique_ptr<TraceSource> fold_addresses(std::unique_ptr<TraceSource> inner, Bytes capacity) {
  return std::make_unique<FoldedAddresses>(std::move(inner), capacity);
}

}  // namespace tessera
