#include "firmware/layers/sblock/open_regions.hpp"

namespace tessera::sblock {

OpenRegions::OpenRegions(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, RegionLogs& logs)
    : logs_(logs), opened_(ports.memory, MemoryCategory::metadata, logs.regions(), "regions written since the checkpoint") {
  if (!log.empty()) log_.emplace(ports.media, geometry, log, RecordType::opened, static_cast<TableLog::Table&>(*this));
}

Task<Status> OpenRegions::format() {
  if (!log_) co_return Status::ok;
  co_return co_await log_->format();
}

Task<Status> OpenRegions::recover() {
  if (!log_) co_return Status::ok;
  co_return co_await log_->recover();
}

/// The tables are those of the checkpoint: nothing was written to the region between it and the note.
void OpenRegions::replay(const TableLog::Words& words, std::span<const std::byte>) {
  const auto region = static_cast<std::uint32_t>(words[0]);
  opened_.peek(region) = logs_.head(region) + 1;
}

void OpenRegions::close_all() {
  for (std::uint32_t region = 0; region < logs_.regions(); ++region) opened_.peek(region) = closed;
}

Task<Status> OpenRegions::open(std::uint32_t region) {
  if (!log_) co_return Status::ok;
  const std::uint64_t head = logs_.head(region);
  const std::uint64_t opened = opened_.read(region);
  if (opened != closed) {
    if (head - (opened - 1) <= logs_.intact_slots()) co_return Status::ok;
    const Status status = co_await log_->checkpoint();
    if (!ok(status)) co_return status;
    close_all();
  }
  const std::uint64_t generation = log_->generation();
  const TableLog::Words words{region};
  const std::span<const std::byte> nothing;
  const Status status = co_await log_->append(words, nothing);
  if (log_->generation() != generation) close_all();
  if (!ok(status)) co_return status;
  opened_.write(region) = head + 1;
  co_return Status::ok;
}

}  // namespace tessera::sblock
