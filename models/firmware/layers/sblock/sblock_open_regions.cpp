#include "firmware/layers/sblock/sblock_open_regions.hpp"

namespace tessera::sblock {

OpenRegions::OpenRegions(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint64_t every, RegionLogs& logs)
    : logs_(logs), every_(every), opened_(ports.memory, MemoryCategory::metadata, logs.regions(), "regions written since the checkpoint") {
  if (!log.empty()) log_.emplace(ports, geometry, log, RecordType::opened, static_cast<TableLog::Table&>(*this));
}

Task<Status> OpenRegions::format() {
  if (!log_) co_return Status::ok;
  co_return co_await log_->format();
}

Task<Status> OpenRegions::recover() {
  if (!log_) co_return Status::ok;
  co_return co_await log_->recover();
}

Task<void> OpenRegions::repair() {
  if (!log_) co_return;
  const bool repaired = co_await log_->repair();
  if (repaired) renew();
}

/// The tables are those of the checkpoint: nothing was written to the region between it and the note.
void OpenRegions::replay(const TableLog::Words& words, std::span<const std::byte>) {
  const auto region = static_cast<std::uint32_t>(words[0]);
  opened_.peek(region) = logs_.head(region) + 1;
}

bool OpenRegions::written_since_checkpoint(std::uint32_t region) const {
  const std::uint64_t opened = opened_.peek(region);
  return opened != closed && logs_.head(region) != opened - 1;
}

void OpenRegions::save(std::span<std::byte> image) const {
  logs_.save(image);
  const std::span<std::byte> open = image.subspan(RegionLogs::image_bytes(logs_.regions(), logs_.shape()));
  for (std::uint32_t region = 0; region < logs_.regions(); ++region) open[region] = std::byte{written_since_checkpoint(region)};
}

void OpenRegions::load(std::span<const std::byte> image) {
  logs_.load(image);
  const std::span<const std::byte> open = image.subspan(RegionLogs::image_bytes(logs_.regions(), logs_.shape()));
  for (std::uint32_t region = 0; region < logs_.regions(); ++region)
    opened_.peek(region) = open[region] == std::byte{0} ? closed : logs_.head(region) + 1;
}

/// After a checkpoint: as load() would find it.
void OpenRegions::renew() {
  for (std::uint32_t region = 0; region < logs_.regions(); ++region)
    opened_.peek(region) = written_since_checkpoint(region) ? logs_.head(region) + 1 : closed;
  written_ = 1;  // the slot that it was made for
}

Task<Status> OpenRegions::checkpoint() {
  const Status status = co_await log_->checkpoint();
  if (ok(status)) renew();
  co_return status;
}

Task<Status> OpenRegions::open(std::uint32_t region) {
  if (!log_) co_return Status::ok;
  if (written_++ == every_) {
    written_ = 1;
    static_cast<void>(co_await checkpoint());  // one that fails leaves the one before in force, unless status() says that nobody knows
  }
  if (!ok(log_->status())) co_return log_->status();
  if (opened_.read(region) != closed) {
    if (logs_.head(region) - (opened_.read(region) - 1) <= logs_.intact_slots()) co_return Status::ok;
    co_return co_await checkpoint();
  }
  const std::uint64_t generation = log_->generation();
  const TableLog::Words words{region};
  const std::span<const std::byte> nothing;
  const Status status = co_await log_->append(words, nothing);
  if (log_->generation() != generation) renew();
  if (!ok(status)) co_return status;
  opened_.write(region) = logs_.head(region) + 1;
  co_return Status::ok;
}

}  // namespace tessera::sblock
