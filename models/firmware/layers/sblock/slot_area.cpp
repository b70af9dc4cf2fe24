#include "firmware/layers/sblock/slot_area.hpp"

#include <algorithm>

#include "firmware/shared/header_scan.hpp"
#include "firmware/shared/log_record.hpp"

namespace tessera::sblock {

SlotArea::SlotArea(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, const LogShape& shape,
                   std::uint32_t sblock_sectors)
    : media_(ports.media),
      shape_(shape),
      sblock_sectors_(sblock_sectors),
      layout_(geometry, regions, shape.slots * sblock_sectors, ports.media) {}

Task<Status> SlotArea::read(std::uint32_t region, std::uint32_t slot, std::uint32_t first, DataSpan data, MediaClass priority) {
  co_return co_await transfer(MediaOp::read, region, slot * sblock_sectors_ + first, data, nullptr, priority);
}

Task<Status> SlotArea::write(std::uint32_t region, SlotRecord record, DataSpan data, MediaClass priority) {
  SectorHeader header = encode({RecordType::sblock, record.position, sblock_sectors_, {record.sblock}});
  const auto slot = static_cast<std::uint32_t>(record.position % shape_.slots);
  co_return co_await transfer(MediaOp::write, region, slot * sblock_sectors_, data, &header, priority);
}

/// In the order in which the tracks overlap: what a slot's later tracks lose to its earlier ones is written anew.
Task<Status> SlotArea::transfer(MediaOp op, std::uint32_t region, std::uint32_t first, DataSpan data, SectorHeader* header,
                                MediaClass priority) {
  MediaChain chain(priority);
  for (std::uint32_t done = 0; done < data.count;) {
    chain.clear();
    while (done < data.count && chain.steps().size() < MediaChain::max_steps) {
      MediaStep step;
      step.op = op;
      step.run = layout_.locate(region, first + done, data.count - done);
      step.data = data.part(done, step.run.count);
      if (step.run.count == media_.sectors_on(step.run.track)) step.hint = StepHint::whole_track;
      done += step.run.count;
      if (done == data.count) step.header = header;
      chain.add(step);
    }
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

Task<void> SlotArea::scan(std::uint32_t region, std::vector<SlotRecord>& found) {
  found.clear();
  HeaderScan scan(media_);
  std::array<PhysicalRun, HeaderScan::most> sectors{};
  for (std::uint32_t begin = 0; begin < shape_.slots; begin += HeaderScan::most) {
    const std::uint32_t count = std::min(HeaderScan::most, shape_.slots - begin);
    for (std::uint32_t i = 0; i < count; ++i) sectors[i] = layout_.locate(region, (begin + i + 1) * sblock_sectors_ - 1, 1);
    co_await scan.read(sectors, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      // A sector that cannot be read lies in the reach of the head.
      const SectorHeader* const header = scan.header(i);
      const std::optional<LogRecord> record = header == nullptr ? std::nullopt : decode(*header);
      if (!record || record->type != RecordType::sblock || record->sequence % shape_.slots != begin + i) continue;
      if (record->payload[0] / shape_.sblocks == region) found.push_back({record->payload[0], record->sequence});
    }
  }
  std::ranges::sort(found, {}, &SlotRecord::position);
}

}  // namespace tessera::sblock
