#include "stimuli/readers/side_by_side.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tessera {
namespace {

/// The end of what a record needs of its volume: a zone is named by where it begins.
Bytes reach(const TraceRecord& record) {
  return record.op >= HostOp::zone_report && !record.all_zones ? record.offset + Bytes(1) : record.end();
}

}  // namespace

void VolumeExtents::add(const TraceRecord& record) {
  if (record.volume >= ends_.size()) {
    ends_.resize(record.volume + 1);
    requested_.resize(record.volume + 1);
  }
  ends_[record.volume] = std::max(ends_[record.volume], reach(record));
  requested_[record.volume] = true;
}

std::size_t VolumeExtents::requested() const { return static_cast<std::size_t>(std::ranges::count(requested_, true)); }

std::vector<Bytes> VolumeExtents::begins(Bytes alignment) const {
  constexpr std::uint64_t most = std::uint64_t{1} << 63;
  std::vector<Bytes> begins{Bytes(0)};
  for (const Bytes end : ends_) {
    const unsigned __int128 steps = (end.value() + (alignment.value() - 1)) / alignment.value();
    const unsigned __int128 next = begins.back().value() + steps * alignment.value();
    if (next > most) throw InputError("the trace's volumes side by side reach past 2^63 bytes; --volume chooses one");
    begins.emplace_back(static_cast<std::uint64_t>(next));
  }
  return begins;
}

Bytes volume_alignment(std::optional<Bytes> zone) {
  constexpr Bytes mib{std::uint64_t{1} << 20};
  return zone && *zone > Bytes(0) ? *zone : mib;
}

namespace {

class LaidSideBySide final : public TraceAdaptation {
 public:
  LaidSideBySide(std::unique_ptr<TraceSource> inner, SideBySide how) : TraceAdaptation(std::move(inner)), how_(std::move(how)) {}

  bool next(TraceRecord& record) override {
    if (!inner_->next(record)) return false;
    if (record.volume == 0) [[likely]]
      return true;
    if (begins_.empty()) lay();
    if (record.all_zones)
      throw InputError(position() + ": a reset of all zones of one volume among " + std::to_string(volumes_) + "; --volume chooses one");
    if (record.volume + 1 >= begins_.size() || reach(record) > begins_[record.volume + 1] - begins_[record.volume])
      throw InputError(position() + ": the request lies outside its volume: the file has changed while it was read");
    if (record.op != HostOp::flush) record.offset += begins_[record.volume];
    return true;
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    auto all = inner_->notes();
    if (volumes_ > 1)
      all.push_back(std::to_string(volumes_) + " volumes lie side by side on the drive, " + std::to_string(begins_.back().value()) +
                    " B in all; --volume chooses one");
    return all;
  }

 private:
  void lay() {
    const VolumeExtents extents = how_.extents();
    volumes_ = extents.requested();
    begins_ = extents.begins(how_.alignment);
    if (how_.capacity && begins_.back() > *how_.capacity)
      throw InputError(position() + ": the trace's " + std::to_string(volumes_) + " volumes take " +
                       std::to_string(begins_.back().value()) + " B side by side, and the drive holds " +
                       std::to_string(how_.capacity->value()) +
                       " B; --volume chooses one, --fold wraps addresses round, 'tessera trace merge --over' lays all over one another");
  }

  const SideBySide how_;
  std::vector<Bytes> begins_;
  std::size_t volumes_ = 0;
};

}  // namespace

std::unique_ptr<TraceSource> lay_side_by_side(std::unique_ptr<TraceSource> inner, SideBySide how) {
  return std::make_unique<LaidSideBySide>(std::move(inner), std::move(how));
}

}  // namespace tessera
