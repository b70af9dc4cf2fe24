#include "stimuli/readers/unit_addresses.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace tessera {
namespace {

class ByAddress final : public TraceAdaptation {
 public:
  ByAddress(std::unique_ptr<TraceSource> inner, std::vector<Bytes> ends) : TraceAdaptation(std::move(inner)), ends_(std::move(ends)) {}

  bool next(TraceRecord& record) override {
    if (rest_.size == Bytes(0) && !inner_->next(rest_)) return false;
    record = rest_;
    const auto end = std::ranges::upper_bound(ends_, record.offset);
    if (end != ends_.end()) record.size = std::min(record.size, *end - record.offset);
    rest_.offset += record.size;
    rest_.size -= record.size;
    if (rest_.think) rest_.think = Picoseconds(0);
    return true;
  }

 private:
  const std::vector<Bytes> ends_;
  TraceRecord rest_;  ///< what is left of a request over a unit's end
};

class ByVolume final : public TraceAdaptation {
 public:
  ByVolume(std::unique_ptr<TraceSource> inner, std::vector<Bytes> ends) : TraceAdaptation(std::move(inner)), ends_(std::move(ends)) {}

  bool next(TraceRecord& record) override {
    if (!inner_->next(record)) return false;
    if (record.volume >= ends_.size())
      throw InputError(position() + ": the request is of volume " + std::to_string(record.volume) + " (" +
                       inner_->volume_name(record.volume) + "), and the drive has LUNs 0 to " + std::to_string(ends_.size() - 1) +
                       " (host.luns); --volume chooses one volume");
    if (record.volume != 0) record.offset += ends_[record.volume - 1];
    return true;
  }

 private:
  const std::vector<Bytes> ends_;
};

}  // namespace

std::unique_ptr<TraceSource> address_units(std::unique_ptr<TraceSource> inner, std::vector<Bytes> ends, LunOf by) {
  if (by == LunOf::volume) return std::make_unique<ByVolume>(std::move(inner), std::move(ends));
  return std::make_unique<ByAddress>(std::move(inner), std::move(ends));
}

}  // namespace tessera
