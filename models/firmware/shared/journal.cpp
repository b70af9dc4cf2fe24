#include "firmware/shared/journal.hpp"

#include <algorithm>

#include "firmware/shared/header_scan.hpp"

namespace tessera {

namespace {
PhysicalRun sector_of(const ConventionalLayout& layout, std::uint64_t position) { return layout.piece({LogicalSector(position), 1}); }
}  // namespace

Journal::Journal(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, std::uint64_t most)
    : media_(ports.media),
      layout_(geometry, regions, ports.media, ConventionalLayout::Reserve::none),
      superblock_(ports.media, {sector_of(layout_, 0), sector_of(layout_, 1), sector_of(layout_, 2), sector_of(layout_, 3)}),
      space_(ports.cpu),
      capacity_(std::min(layout_.sectors() - superblocks, most)) {
  TESSERA_CHECK(layout_.sectors() > superblocks, "a journal region is too small");
}

Journal::Pin::~Pin() {
  if (journal_ != nullptr) journal_->detach(*this);
}

void Journal::attach(Pin& pin) {
  pin.journal_ = this;
  pin.older_ = newest_;
  (newest_ != nullptr ? newest_->newer_ : oldest_) = &pin;
  newest_ = &pin;
}

void Journal::detach(Pin& pin) {
  (pin.older_ != nullptr ? pin.older_->newer_ : oldest_) = pin.newer_;
  (pin.newer_ != nullptr ? pin.newer_->older_ : newest_) = pin.older_;
}

PhysicalRun Journal::place(std::uint64_t sequence, std::uint32_t count) const {
  const std::uint64_t position = sequence % capacity_;
  const auto unwrapped = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, capacity_ - position));
  return layout_.piece({LogicalSector(superblocks + position), unwrapped});
}

Task<Status> Journal::format() {
  const Superblock::Payload payload{head_};
  const Status status = co_await superblock_.write(payload);
  ++sectors_written_;
  if (ok(status)) start_ = released_ = head_;
  co_return status;
}

void Journal::release_before(std::uint64_t sequence) {
  if (oldest_ != nullptr) sequence = std::min(sequence, oldest_->sequence_);
  if (sequence <= released_) return;
  released_ = sequence;
  space_.wake_all();
}

void Journal::end_releases() {
  releases_ended_ = true;
  space_.wake_all();
}

Task<Status> Journal::make_space(std::uint32_t sectors) {
  while (head_ + sectors - start_ > capacity_) {
    if (released_ == start_ || moving_start_) {
      if (releases_ended_ && !moving_start_) co_return Status::read_only;
      co_await space_.change(LifePhase::cleaning);
      continue;
    }
    moving_start_ = true;
    const std::uint64_t start = released_;
    const Superblock::Payload payload{start};
    const Status status = co_await superblock_.write(payload);
    moving_start_ = false;
    ++sectors_written_;
    if (ok(status)) start_ = start;
    space_.wake_all();
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

Task<Status> Journal::append(LogicalRun run, DataSpan data, Pin& pin) {
  TESSERA_CHECK(run.count <= capacity_ / 2, "a record is too long for its journal");
  const Status space = co_await make_space(run.count);
  if (!ok(space)) co_return space;
  pin.sequence_ = head_;
  attach(pin);
  head_ += run.count;

  for (std::uint32_t done = 0; done < run.count;) {
    const std::uint64_t sequence = pin.sequence_ + done;
    const PhysicalRun piece = place(sequence, run.count - done);
    SectorHeader header = encode({RecordType::data, sequence, piece.count, {(run.first + done).value()}});
    MediaChain chain(MediaClass::dependent);
    chain.write(piece, data.part(done, piece.count), StepHint::position, &header);
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
    sectors_written_ += piece.count;
    done += piece.count;
  }
  co_return Status::ok;
}

Task<Status> Journal::recover(std::vector<Record>& records) {
  const Status loaded = co_await superblock_.load();
  if (!ok(loaded)) co_return loaded;
  start_ = released_ = head_ = superblock_.payload()[0];

  // Any sector may be the last one of a record, so each one's out-of-band bytes are looked at.
  HeaderScan scan(media_);
  std::array<PhysicalRun, HeaderScan::most> sectors{};
  for (std::uint64_t begin = 0; begin < capacity_; begin += HeaderScan::most) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(HeaderScan::most, capacity_ - begin));
    for (std::uint32_t i = 0; i < count; ++i) sectors[i] = place(begin + i, 1);
    co_await scan.read(sectors, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::optional<LogRecord> found = scan.record(i);
      if (!found || found->type != RecordType::data || found->sequence + found->length <= start_) continue;
      const std::uint64_t last = found->sequence + found->length - 1;
      if (last % capacity_ != begin + i || last >= start_ + capacity_) continue;
      // The log may start inside a record: what is in front of that is home, and its place in use again.
      const std::uint64_t first = std::max(found->sequence, start_);
      const auto left = static_cast<std::uint32_t>(last + 1 - first);
      records.push_back({first, {LogicalSector(found->payload[0] + (first - found->sequence)), left}, place(first, left)});
      head_ = std::max(head_, last + 1);
    }
  }
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.sequence < b.sequence; });
  co_return Status::ok;
}

}  // namespace tessera
