#include "firmware/layers/media_cache/merge_area.hpp"

#include "base/check.hpp"
#include "firmware/layout/track_transfer.hpp"
#include "firmware/logs/header_scan.hpp"

namespace tessera::media_cache {

MergeArea::MergeArea(const Ports& ports, const MediaCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& regions,
                     std::uint32_t band_sectors)
    : config_(config),
      media_(ports.media),
      layout_(geometry, regions, ports.media, ConventionalLayout::Reserve::none),
      band_sectors_(band_sectors) {
  TESSERA_CHECK(layout_.sectors() >= least_sectors(band_sectors), "the merge area of a media cache is too small");
}

Task<Status> MergeArea::transfer(MediaOp op, std::uint64_t first, DataSpan data, MediaClass priority) {
  return transfer_tracks(
      media_, op, data, priority, LostSectors::carry,
      [this, first](std::uint32_t done, std::uint32_t count) {
        return layout_.piece({LogicalSector(first + done), count});
      },
      nullptr, config_.chain_steps(priority));
}

Task<Status> MergeArea::write(std::uint32_t offset, DataSpan data, MediaClass priority) {
  sectors_written_ += data.count;
  co_return co_await transfer(MediaOp::write, slot_at(newest_ + 1) + records + offset, data, priority);
}

Task<Status> MergeArea::read(std::uint32_t offset, DataSpan data, MediaClass priority) {
  co_return co_await transfer(MediaOp::read, slot_at(newest_) + records + offset, data, priority);
}

PhysicalRun MergeArea::place(LogicalRun run) const {
  return layout_.piece({LogicalSector(slot_at(newest_) + records + (run.first - image_.first)), run.count});
}

Task<Status> MergeArea::write_record(std::uint64_t image, LogicalRun run, std::uint32_t kept, MediaClass priority) {
  SectorHeader header = encode({RecordType::band_image, image, 1, {run.first.value(), run.count, kept}});
  MediaChain chain(priority);
  for (std::uint32_t copy = 0; copy < records; ++copy)
    chain.write(layout_.piece({LogicalSector(slot_at(image) + copy), 1}), {}, StepHint::position, &header);
  sectors_written_ += records;
  co_return co_await media_.run(chain);
}

Task<Status> MergeArea::complete(LogicalRun run, MediaClass priority, std::uint32_t kept) {
  const Status status = co_await write_record(newest_ + 1, run, kept, priority);
  if (!ok(status)) co_return status;
  ++newest_;
  image_ = run;
  kept_ = kept;
  co_return Status::ok;
}

Task<Status> MergeArea::make_void() {
  const LogicalRun nothing{};
  const Status status = co_await write_record(newest_, nothing, 0, MediaClass::dependent);
  if (!ok(status)) co_return status;
  image_ = nothing;
  kept_ = 0;
  co_return status;
}

Task<Status> MergeArea::recover() {
  HeaderScan scan(media_);
  std::array<PhysicalRun, slots * records> places{};
  for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = layout_.piece({LogicalSector(slot_at(i / records) + i % records), 1});
  const std::span<const PhysicalRun> sectors(places);
  co_await scan.read(sectors);
  newest_ = 0;
  image_ = {};
  kept_ = 0;
  std::uint32_t alike = 0;  // records that say the same of the newest image
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    const std::optional<LogRecord> record = scan.record(i);
    if (!record || record->type != RecordType::band_image || record->sequence < newest_) continue;
    const LogicalRun run{LogicalSector(record->payload[0]), static_cast<std::uint32_t>(record->payload[1])};
    alike = record->sequence == newest_ && run == image_ ? alike + 1 : 1;
    // Of the two records of one image a cut may have let the first become void alone: then it is void.
    if (record->sequence == newest_ && image_.count == 0) continue;
    newest_ = record->sequence;
    image_ = run;
    kept_ = static_cast<std::uint32_t>(record->payload[2]);
  }
  // Before anything is done that one of them alone says.
  if (newest_ != 0 && alike != records) static_cast<void>(co_await write_record(newest_, image_, kept_, MediaClass::dependent));
  // The next image would lie in the other slot. Where neither of its records can be read, the one found may be older than what its band
  // holds.
  const auto next = static_cast<std::uint32_t>((newest_ + 1) % slots * records);
  co_return scan.unknown(next) && scan.unknown(next + 1) ? Status::corrupt : Status::ok;
}

}  // namespace tessera::media_cache
