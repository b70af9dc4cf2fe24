#include "firmware/layers/sblock/open_regions.hpp"

namespace tessera::sblock {

OpenRegions::OpenRegions(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, RegionLogs& logs)
    : logs_(logs), open_(ports.memory, MemoryCategory::metadata, logs.regions(), "regions written since the checkpoint") {
  if (!log.empty()) log_.emplace(ports.media, geometry, log, RecordType::opened, static_cast<TableLog::Table&>(*this));
}

Task<Status> OpenRegions::format() {
  if (!log_) co_return Status::ok;
  co_return co_await log_->format();
}

Task<Status> OpenRegions::recover() {
  if (!log_) {
    open_.set_below(open_.size());
    co_return Status::ok;
  }
  co_return co_await log_->recover();
}

void OpenRegions::replay(const TableLog::Words& words, std::span<const std::byte>) { open_.set_uncharged(words[0]); }

Task<Status> OpenRegions::open(std::uint32_t region) {
  if (!log_ || open_.test(region)) co_return Status::ok;
  const TableLog::Words words{region};
  const std::span<const std::byte> nothing;
  const Status status = co_await log_->append(words, nothing);
  if (log_->changes() <= 1) open_.clear();  // a checkpoint was made in front of it
  if (!ok(status)) co_return status;
  open_.set(region);
  co_return Status::ok;
}

}  // namespace tessera::sblock
