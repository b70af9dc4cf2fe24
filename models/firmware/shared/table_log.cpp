#include "firmware/shared/table_log.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "firmware/shared/crc32.hpp"

namespace tessera {

TableLog::TableLog(MediaPort& media, const DriveGeometry& geometry, const FormatPlan& log, RecordType type, Table& table)
    : media_(media),
      type_(type),
      table_(table),
      sector_bytes_(geometry.sector_bytes),
      layout_(geometry, log, media, ConventionalLayout::Reserve::none),
      superblock_(media, {layout_.piece({LogicalSector(0), 1}), layout_.piece({LogicalSector(1), 1})}),
      half_sectors_((layout_.sectors() - superblocks) / 2),
      image_((table.image_bytes() + sector_bytes_ - 1) / sector_bytes_ * sector_bytes_),
      sector_(sector_bytes_) {
  TESSERA_CHECK(layout_.sectors() >= least_sectors(table.image_bytes(), sector_bytes_), "the log region of a table is too small");
}

/// Records from `record` on, as far as they stay on one track; at most `count`.
PhysicalRun TableLog::place(std::uint64_t record, std::uint64_t count) const {
  const std::uint64_t at = half(superblock_.generation()) + image_sectors() + record;
  return layout_.piece({LogicalSector(at), static_cast<std::uint32_t>(count)});
}

Task<Status> TableLog::append(Words words, std::span<const std::byte> bytes) {
  if (records_ == records_in_half()) {
    const Status status = co_await write_checkpoint();
    if (!ok(status)) co_return status;
  }
  std::ranges::fill(sector_, std::byte{0});
  std::ranges::copy(bytes, sector_.begin());
  SectorHeader header = encode({type_, records_, 1, {superblock_.generation(), words[0], words[1], words[2], words[3]}});
  MediaChain chain(MediaClass::dependent);
  chain.add({MediaOp::write, StepHint::position, place(records_, 1), {}, sector_, &header});
  const Status status = co_await media_.run(chain);
  if (!ok(status)) co_return status;
  ++records_;
  ++sectors_written_;
  co_return Status::ok;
}

Task<Status> TableLog::recover() {
  Status status = co_await superblock_.load();
  if (!ok(status)) co_return status;
  status = co_await read_checkpoint();
  if (!ok(status)) co_return status;
  records_ = 0;
  for (bool more = true; more && records_ < records_in_half();) {
    const PhysicalRun run = place(records_, records_in_half() - records_);
    std::vector<std::byte> sectors(std::size_t{run.count} * sector_bytes_);
    std::vector<SectorHeader> headers(run.count);
    MediaStep step{MediaOp::read, StepHint::position, run, {}, sectors};
    step.headers = headers;
    MediaChain chain;
    chain.add(step);
    // A sector that cannot be read has no header: a cut tore it.
    static_cast<void>(co_await media_.run(chain));
    for (std::uint32_t i = 0; more && i < run.count; ++i) {
      more = replay(headers[i], std::span(sectors).subspan(std::size_t{i} * sector_bytes_, sector_bytes_));
      if (more) ++records_;
    }
  }
  co_return Status::ok;
}

/// False at the end of the log: the record of an older generation, a torn one, or none.
bool TableLog::replay(const SectorHeader& header, std::span<const std::byte> sector) {
  const std::optional<LogRecord> record = decode(header);
  if (!record || record->type != type_ || record->sequence != records_ || record->payload[0] != superblock_.generation()) return false;
  table_.replay({record->payload[1], record->payload[2], record->payload[3], record->payload[4]}, sector);
  return true;
}

Task<Status> TableLog::write_checkpoint() {
  std::ranges::fill(image_, std::byte{0});
  table_.save(image_);
  const std::uint64_t first = half(superblock_.generation() + 1);
  Status status = co_await transfer_image(MediaOp::write, first);
  if (!ok(status)) co_return status;
  const Superblock::Payload payload{crc32(image_)};
  status = co_await superblock_.write(payload);
  if (!ok(status)) co_return status;
  records_ = 0;
  sectors_written_ += image_sectors() + 1;
  co_return Status::ok;
}

Task<Status> TableLog::read_checkpoint() {
  const std::uint64_t first = half(superblock_.generation());
  const Status status = co_await transfer_image(MediaOp::read, first);
  if (!ok(status)) co_return status;
  if (crc32(image_) != superblock_.payload()[0]) co_return Status::corrupt;
  table_.load(image_);
  co_return Status::ok;
}

Task<Status> TableLog::transfer_image(MediaOp op, std::uint64_t first) {
  const std::uint64_t sectors = image_sectors();
  for (std::uint64_t done = 0; done < sectors;) {
    const LogicalRun rest{LogicalSector(first + done), static_cast<std::uint32_t>(sectors - done)};
    MediaStep step;
    step.op = op;
    step.run = layout_.piece(rest);
    step.system = std::span(image_).subspan(done * sector_bytes_, std::uint64_t{step.run.count} * sector_bytes_);
    done += step.run.count;
    MediaChain chain(MediaClass::dependent);
    chain.add(step);
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

}  // namespace tessera
