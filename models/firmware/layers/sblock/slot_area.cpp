#include "firmware/layers/sblock/slot_area.hpp"

#include <algorithm>

#include "firmware/flash/band_sweep.hpp"
#include "firmware/logs/log_record.hpp"

namespace tessera::sblock {

SlotArea::SlotArea(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, const LogShape& shape,
                   std::uint32_t sblock_sectors)
    : media_(ports.media),
      shape_(shape),
      sblock_sectors_(sblock_sectors),
      layout_(geometry, regions, shape.slots * sblock_sectors, ports.media) {}

Task<Status> SlotArea::read(std::uint32_t region, std::uint32_t slot, std::uint32_t first, DataSpan data, MediaClass priority,
                            LostSectors lost) {
  return sweep_band(media_, layout_, {MediaOp::read, region, slot * sblock_sectors_ + first, data, priority, nullptr, lost});
}

Task<Status> SlotArea::write(std::uint32_t region, SlotRecord record, DataSpan data, MediaClass priority) {
  SectorHeader header = encode({RecordType::sblock, record.position, sblock_sectors_, {record.sblock, record.before}});
  const auto slot = static_cast<std::uint32_t>(record.position % shape_.slots);
  const BandSweep sweep{MediaOp::write, region, slot * sblock_sectors_, data, priority, &header};
  co_return co_await sweep_band(media_, layout_, sweep);
}

Task<void> SlotArea::read_records(std::uint32_t region, std::uint64_t first, std::uint32_t count, Slots& slots) {
  std::array<PhysicalRun, HeaderScan::most> sectors{};
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto slot = static_cast<std::uint32_t>((first + i) % shape_.slots);
    sectors[i] = layout_.locate(region, (slot + 1) * sblock_sectors_ - 1, 1);
  }
  HeaderScan scan(media_);
  const std::span<const PhysicalRun> places(sectors.data(), count);
  co_await scan.read(places);
  for (std::uint32_t i = 0; i < count; ++i) {
    slots[i].reset();
    // A sector that cannot be read lies in the reach of the head.
    const std::optional<LogRecord> record = scan.record(i);
    if (!record || record->type != RecordType::sblock || record->sequence % shape_.slots != (first + i) % shape_.slots) continue;
    if (record->payload[0] / shape_.sblocks == region) slots[i] = SlotRecord{record->payload[0], record->sequence, record->payload[1]};
  }
}

Task<void> SlotArea::scan_from(std::uint32_t region, std::uint64_t position, std::vector<SlotRecord>& found) {
  // Most regions were written once, or not at all, since the checkpoint; two slots without a record are the end.
  constexpr std::uint32_t at_once = 3;
  found.clear();
  bool missing = false;  // the record in front
  for (Slots slots;; position += at_once) {
    co_await read_records(region, position, at_once, slots);
    for (std::uint32_t i = 0; i < at_once; ++i) {
      const bool there = slots[i] && slots[i]->position == position + i;
      if (!there && missing) co_return;
      if (there && missing) found.push_back({slots[i]->before, position + i - 1});
      if (there) found.push_back(*slots[i]);
      missing = !there;
    }
  }
}

Task<void> SlotArea::scan_all(std::uint32_t region, std::vector<SlotRecord>& found) {
  found.clear();
  std::vector<bool> without(shape_.slots, true);
  Slots slots;
  for (std::uint32_t first = 0; first < shape_.slots; first += HeaderScan::most) {
    const std::uint32_t count = std::min(HeaderScan::most, shape_.slots - first);
    co_await read_records(region, first, count, slots);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!slots[i]) continue;
      found.push_back(*slots[i]);
      without[first + i] = false;
    }
  }
  std::ranges::sort(found, {}, &SlotRecord::position);
  const std::size_t readable = found.size();
  for (std::size_t i = 1; i < readable; ++i) {
    const SlotRecord& record = found[i];
    if (found[i - 1].position + 2 != record.position || !without[(record.position - 1) % shape_.slots]) continue;
    found.push_back({record.before, record.position - 1});
  }
  std::ranges::sort(found, {}, &SlotRecord::position);
}

}  // namespace tessera::sblock
