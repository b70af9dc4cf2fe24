#include "firmware/flash/band_map.hpp"

#include <cstring>

#include "firmware/shared/crc32.hpp"

namespace tessera {

BandMap::BandMap(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint32_t bands,
                 std::uint32_t physical_bands)
    : media_(ports.media),
      sector_bytes_(geometry.sector_bytes),
      physical_bands_(physical_bands),
      places_(ports.memory, MemoryCategory::metadata, bands, "band map"),
      watermarks_(ports.memory, MemoryCategory::metadata, bands, "band watermarks") {
  reset();
  if (log.empty()) return;
  layout_.emplace(geometry, log, ports.media, ConventionalLayout::Reserve::none);
  TESSERA_CHECK(layout_->sectors() >= least_log_sectors(bands, sector_bytes_), "the log region of a band map is too small");
  superblock_.emplace(ports.media, std::array{layout_->piece({LogicalSector(0), 1}), layout_->piece({LogicalSector(1), 1})});
  half_sectors_ = (layout_->sectors() - superblocks) / 2;
  image_.resize(checkpoint_sectors(bands, sector_bytes_) * sector_bytes_);
}

std::uint64_t BandMap::least_log_sectors(std::uint64_t bands, std::uint32_t sector_bytes) {
  return superblocks + 2 * (checkpoint_sectors(bands, sector_bytes) + 1);
}

void BandMap::reset() {
  for (std::uint32_t band = 0; band < places_.size(); ++band) {
    places_.peek(band) = band;
    watermarks_.peek(band) = 0;
  }
  collect_spares();
}

void BandMap::collect_spares() {
  std::vector<bool> used(physical_bands_);
  for (std::uint32_t band = 0; band < places_.size(); ++band) used[places_.peek(band)] = true;
  spares_.clear();
  for (std::uint32_t place = 0; place < physical_bands_; ++place)
    if (!used[place]) spares_.push_back(place);
}

void BandMap::move(std::uint32_t band, std::uint32_t place, std::uint64_t watermark) {
  places_.write(band) = place;
  watermarks_.write(band) = watermark;
}

Task<Status> BandMap::format() {
  reset();
  if (!logged()) co_return Status::ok;
  co_return co_await write_checkpoint();
}

Task<Status> BandMap::commit(std::uint32_t band, std::uint64_t watermark) {
  TESSERA_CHECK(logged() && !spares_.empty(), "a band is moved without a log or a spare band");
  if (records_ == records_in_half()) {
    const Status status = co_await write_checkpoint();
    if (!ok(status)) co_return status;
  }
  const std::uint32_t place = spares_.front();
  SectorHeader header = encode({RecordType::band_moved, records_, 1, {superblock_->generation(), band, place, watermark}});
  MediaChain chain(MediaClass::dependent);
  chain.write(record_place(records_), {}, StepHint::position, &header);
  const Status status = co_await media_.run(chain);
  if (!ok(status)) co_return status;
  ++records_;
  ++sectors_written_;
  spares_.erase(spares_.begin());
  spares_.push_back(static_cast<std::uint32_t>(places_.peek(band)));
  move(band, place, watermark);
  co_return Status::ok;
}

Task<Status> BandMap::recover() {
  reset();
  if (!logged()) co_return Status::ok;
  Status status = co_await superblock_->load();
  if (!ok(status)) co_return status;
  status = co_await read_checkpoint();
  if (!ok(status)) co_return status;
  for (records_ = 0; records_ < records_in_half(); ++records_) {
    SectorHeader header{};
    MediaChain chain;
    chain.read(record_place(records_), {}, StepHint::position, &header);
    status = co_await media_.run(chain);
    // The record of an older generation, a torn one or none: the end of the log.
    const std::optional<LogRecord> record = decode(header);
    if (!ok(status) || !record || record->type != RecordType::band_moved || record->sequence != records_ ||
        record->payload[0] != superblock_->generation())
      break;
    move(static_cast<std::uint32_t>(record->payload[1]), static_cast<std::uint32_t>(record->payload[2]), record->payload[3]);
  }
  collect_spares();
  co_return Status::ok;
}

PhysicalRun BandMap::record_place(std::uint64_t record) const {
  const std::uint64_t sector = half(superblock_->generation()) + image_.size() / sector_bytes_ + record;
  return layout_->piece({LogicalSector(sector), 1});
}

Task<Status> BandMap::write_checkpoint() {
  const std::uint64_t bands = places_.size();
  std::memcpy(image_.data(), &places_.peek(0), bands * sizeof(std::uint32_t));
  std::memcpy(image_.data() + bands * sizeof(std::uint32_t), &watermarks_.peek(0), bands * sizeof(std::uint64_t));
  const std::uint64_t first = half(superblock_->generation() + 1);
  Status status = co_await transfer_image(MediaOp::write, first);
  if (!ok(status)) co_return status;
  const Superblock::Payload payload{crc32(image_)};
  status = co_await superblock_->write(payload);
  if (!ok(status)) co_return status;
  records_ = 0;
  sectors_written_ += image_.size() / sector_bytes_ + 1;
  co_return Status::ok;
}

Task<Status> BandMap::read_checkpoint() {
  const std::uint64_t first = half(superblock_->generation());
  const Status status = co_await transfer_image(MediaOp::read, first);
  if (!ok(status)) co_return status;
  if (crc32(image_) != superblock_->payload()[0]) co_return Status::corrupt;
  const std::uint64_t bands = places_.size();
  std::memcpy(&places_.peek(0), image_.data(), bands * sizeof(std::uint32_t));
  std::memcpy(&watermarks_.peek(0), image_.data() + bands * sizeof(std::uint32_t), bands * sizeof(std::uint64_t));
  co_return Status::ok;
}

Task<Status> BandMap::transfer_image(MediaOp op, std::uint64_t first) {
  const std::uint64_t sectors = image_.size() / sector_bytes_;
  for (std::uint64_t done = 0; done < sectors;) {
    const LogicalRun rest{LogicalSector(first + done), static_cast<std::uint32_t>(sectors - done)};
    MediaStep step;
    step.op = op;
    step.run = layout_->piece(rest);
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
