#include "firmware/layers/mu_rmw/mu_rmw_layer.hpp"

#include <algorithm>

#include "firmware/layout/plan_regions.hpp"

namespace tessera::mu_rmw {

namespace {

/// By physical band; none where cleaning has no choice of arms.
std::vector<std::uint32_t> arms_of_bands(const CleaningArms* cleaning, const BandLayout& layout) {
  std::vector<std::uint32_t> arms(cleaning == nullptr ? 0 : layout.bands());
  for (std::uint64_t band = 0; band < arms.size(); ++band) arms[band] = cleaning->of(layout.locate(band, 0, 1).track);
  return arms;
}

}  // namespace

MuRmw::MuRmw(const Ports& ports, const MuRmwConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ports_(ports),
      config_(config),
      split_(config.band_sectors, config.slots),
      shape_(ports.flash->shape()),
      layout_(geometry, plan, config.band_sectors, ports.media),
      bands_(static_cast<std::uint32_t>(config.bands != 0 ? config.bands : layout_.bands() - config.spares())),
      codec_(config.slots, config.slot_bytes),
      map_(ports.memory, ports.cpu, split_, bands_, shape_, config.paired(), config.victim,
           ports.cleaning == nullptr ? 1 : ports.cleaning->arms()),
      places_(ports, geometry, config.in_place() ? FormatPlan{} : regions_named(plan, "log"), bands_,
              static_cast<std::uint32_t>(layout_.bands()), arms_of_bands(ports.cleaning, layout_)),
      mergers_(make_mergers(config.round_sectors(geometry.sector_bytes))),
      reader_(ports, layout_, places_),
      free_blocks_(ports.cpu, free_blocks_gauge, 0),
      pool_(static_cast<std::uint32_t>(shape_.blocks), config.free_list, &free_blocks_),
      pages_(*ports.flash, ports.cpu, *this),
      epochs_(ports.memory, MemoryCategory::metadata, bands_, "mu-rmw merge counts of the bands"),
      checkpoint_(make_tag_checkpoint(ports, geometry, plan, config.tags())),
      group_locks_(ports.cpu),
      band_locks_(ports.cpu),
      reclaim_lock_(ports.cpu),
      commit_lock_(ports.cpu) {
  for (std::uint32_t lbn = 0; lbn < bands_; ++lbn) map_.set_arm(lbn, places_.arm_of(lbn));
  ports.memory.reserve(MemoryCategory::metadata, pool_.bytes(), "mu-rmw free blocks");
}

std::deque<MuRmw::Merger> MuRmw::make_mergers(std::uint32_t buffer_sectors) const {
  std::deque<Merger> mergers;
  for (std::uint32_t left = ports_.cleaning == nullptr ? 1 : ports_.cleaning->at_once(); left > 0; --left)
    mergers.emplace_back(ports_, layout_, buffer_sectors, split_.p());
  return mergers;
}

Task<Status> MuRmw::format() {
  for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
    if (ports_.flash->is_bad(NandBlock(block))) pool_.retire(block);
    pool_.put(block);
  }
  if (checkpoint_) {
    const Status status = co_await checkpoint_->format();
    if (!ok(status)) co_return status;
  }
  co_return co_await places_.format();
}

Task<Status> MuRmw::flush() { co_return Status::ok; }  // what was acknowledged is on flash

void MuRmw::prefill(std::uint64_t) {}  // every sector has its place in its band from the start; flash is a cache

LogicalRun MuRmw::within_group(LogicalRun rest) const {
  const SplitAddress at = split_(rest.first);
  rest.count = std::min(rest.count, split_.sectors_of(at.idx) - at.off);
  return rest;
}

}  // namespace tessera::mu_rmw
