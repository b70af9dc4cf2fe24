#include "firmware/layers/sblock/sblock_store.hpp"

#include <algorithm>

#include "firmware/layers/lap_timer.hpp"
#include "firmware/layers/sblock/region_plan.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera::sblock {

namespace {

/// Free slots in front of a write: its own, and one to move an S-block to while its old copy still counts.
constexpr std::uint32_t free_for_write = 2;

}  // namespace

SblockStore::SblockStore(const Ports& ports, const RegionConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                         std::uint32_t sblock_sectors, Survival newest)
    : ports_(ports),
      area_(ports, geometry, regions_named(plan, "bands"), shape_of(config, geometry, sblock_sectors), sblock_sectors),
      logs_(ports.memory, area_.regions(), area_.shape()),
      free_slots_(ports.cpu, {"log.free_slots", "1", "free slots of the S-block logs of all regions"}, logs_.peek_free_slots()),
      open_(ports, geometry, regions_named(plan, "log"), config.checkpoint_every, logs_),
      newest_(ports.memory, MemoryCategory::metadata, area_.regions(), "newest S-blocks of the regions", newest),
      copies_(ports.cpu),
      scratch_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, sblock_sectors, "S-block that moves")),
      collection_(config.collection),
      utilisation_(utilisation(config, spare_share(config, geometry, sblock_sectors))),
      user_bytes_(sblocks() * sblock_sectors * geometry.sector_bytes) {}

SblockStore::Place SblockStore::place_of(std::uint64_t sblock) const {
  const std::uint32_t in_region = logs_.shape().sblocks;
  return {static_cast<std::uint32_t>(sblock / in_region), static_cast<std::uint32_t>(sblock % in_region)};
}

SectorRange SblockStore::range_of(std::uint64_t sblock) const {
  return SectorRange::of({LogicalSector(sblock * sblock_sectors()), sblock_sectors()});
}

void SblockStore::prefill(std::uint64_t sectors) {
  const std::uint64_t region_sectors = std::uint64_t{logs_.shape().sblocks} * sblock_sectors();
  for (std::uint32_t region = 0; region < logs_.regions() && sectors != 0; ++region) {
    const std::uint64_t here = std::min(sectors, region_sectors);
    logs_.prefill(region, static_cast<std::uint32_t>((here + sblock_sectors() - 1) / sblock_sectors()));
    sectors -= here;
  }
  free_slots_.set(logs_.peek_free_slots());
}

Task<Status> SblockStore::read(LogicalRun run, DataSpan data, MediaClass priority) {
  const std::uint64_t sblock = run.first.value() / sblock_sectors();
  const Place place = place_of(sblock);
  auto lock = copies_.shared(range_of(sblock));
  co_await lock;
  ports_.cpu.array();
  const std::uint32_t slot = logs_.slot_of(place.region, place.sblock);
  if (slot == RegionLogs::none) {
    ports_.memory.clear(data);
    co_return Status::ok;
  }
  const auto first = static_cast<std::uint32_t>(run.first.value() % sblock_sectors());
  co_return co_await area_.read(place.region, slot, first, data, priority, LostSectors::fail);
}

Task<Status> SblockStore::write(std::uint64_t sblock, DataSpan image, std::span<const SectorGap> gaps, MediaClass priority) {
  const Place place = place_of(sblock);
  Status status = co_await collect(place.region, priority);
  if (!ok(status)) co_return status;

  const Picoseconds begin = ports_.cpu.now();
  const bool merges = !gaps.empty() && logs_.slot_of(place.region, place.sblock) != RegionLogs::none;
  if (merges) ports_.cpu.event({"rmw", FirmwareEvent::Edge::begin, sblock, gaps.size()});
  LapTimer timer(ports_.cpu);
  if (!gaps.empty()) status = co_await fill(place, image, gaps, priority);
  const Picoseconds filling = timer.lap();
  if (ok(status)) status = co_await append(place, image, priority);
  if (merges) ports_.cpu.event({"rmw", FirmwareEvent::Edge::end, sblock, sblock_sectors()});
  if (!ok(status)) co_return status;
  ++statistics_.written;
  if (!merges) co_return Status::ok;
  statistics_.reading += filling;
  statistics_.writing += timer.lap();
  statistics_.rmw.record(ports_.cpu.now() - begin);  // behind its parts: where code takes time they would be longer than it
  co_return Status::ok;
}

/// The old copy of an S-block that moves is given up when the new one is on the platter.
Task<Status> SblockStore::collect(std::uint32_t region, MediaClass priority) {
  if (logs_.free_slots(region) >= free_for_write) co_return Status::ok;
  const Picoseconds begin = ports_.cpu.now();
  const std::uint64_t round = collection_ == Collection::whole_log ? logs_.head(region) : 0;
  Status status = Status::ok;
  std::uint64_t moved = 0;
  while (ok(status) && (logs_.free_slots(region) < free_for_write || logs_.tail(region) < round)) {
    ports_.cpu.array();
    const Place oldest{region, logs_.at_tail(region)};
    if (oldest.sblock != RegionLogs::none) {
      if (moved++ == 0) ports_.cpu.event({"collect", FirmwareEvent::Edge::begin, region, 0});
      status = co_await move(oldest, priority);
    }
    if (!ok(status)) break;
    logs_.pass_tail(region);
    free_slots_.rise(1);
  }
  if (moved == 0) co_return Status::ok;
  ports_.cpu.event({"collect", FirmwareEvent::Edge::end, region, moved * sblock_sectors()});
  statistics_.count_collection(moved, ports_.cpu.now() - begin);
  co_return status;
}

Task<Status> SblockStore::move(Place place, MediaClass priority) {
  const std::uint32_t slot = logs_.slot_of(place.region, place.sblock);
  const DataSpan data = scratch_.part(0, sblock_sectors());
  const Status status = co_await area_.read(place.region, slot, 0, data, priority, LostSectors::carry);
  if (!ok(status)) co_return status;
  co_return co_await append(place, data, priority);
}

/// One sweep over the old copy, from the first gap to the last.
Task<Status> SblockStore::fill(Place place, DataSpan image, std::span<const SectorGap> gaps, MediaClass priority) {
  const std::uint32_t slot = logs_.slot_of(place.region, place.sblock);
  if (slot == RegionLogs::none) {
    for (const SectorGap& gap : gaps) ports_.memory.clear(image.part(gap.first, gap.count));
    co_return Status::ok;
  }
  const std::uint32_t first = gaps.front().first;
  const DataSpan old = scratch_.part(0, gaps.back().first + gaps.back().count - first);
  const Status status = co_await area_.read(place.region, slot, first, old, priority, LostSectors::carry);
  for (const SectorGap& gap : gaps) ports_.memory.copy(old.part(gap.first - first, gap.count), image.part(gap.first, gap.count));
  co_return status;
}

/// To the head of the log. Readers of the old copy are waited for: once the table is changed, the head may come over it.
Task<Status> SblockStore::append(Place place, DataSpan image, MediaClass priority) {
  Status status = co_await open_.open(place.region);
  if (!ok(status)) co_return status;
  const std::uint64_t number = number_of(place);
  const SlotRecord record{number, logs_.head(place.region), number_of({place.region, logs_.newest(place.region)})};
  status = co_await area_.write(place.region, record, image, priority);
  if (!ok(status)) co_return status;
  auto lock = copies_.exclusive(range_of(number));
  co_await lock;
  ports_.cpu.array();
  logs_.append(place.region, place.sblock);
  free_slots_.fall(1);
  newest_.write(place.region) = {number + 1, record.position};
  co_return Status::ok;
}

Task<Status> SblockStore::trim(std::uint64_t sblock) {
  const Place place = place_of(sblock);
  auto lock = copies_.exclusive(range_of(sblock));
  co_await lock;
  logs_.drop(place.region, place.sblock);
  co_return Status::ok;
}

Task<Status> SblockStore::recover() {
  const Status status = co_await open_.recover();
  if (!ok(status)) co_return status;
  std::vector<SlotRecord> found;
  for (std::uint32_t region = 0; region < logs_.regions(); ++region) {
    if (!open_.has_checkpoints()) {
      co_await area_.scan_all(region, found);
    } else if (open_.is_open(region)) {
      co_await area_.scan_from(region, logs_.head(region), found);
    } else {
      continue;
    }
    const Newest last = newest_.peek(region);
    const std::uint64_t end = found.empty() ? logs_.head(region) : found.back().position + 1;
    if (last.sblock != 0 && last.position > end) co_return Status::corrupt;  // two in a row cannot be read
    if (last.sblock != 0 && last.position == end) found.push_back({last.sblock - 1, last.position});
    for (const SlotRecord& record : found)
      if (record.position >= logs_.head(region)) logs_.replay(region, record.position, place_of(record.sblock).sblock);
  }
  free_slots_.set(logs_.peek_free_slots());
  co_await open_.repair();
  co_return Status::ok;
}

// --- Figures ---

namespace {
/// What the paper charges such designs (section III-C): 24 GB a TB. That is 12 bytes for each sector of 512 B, an account of logs
/// that place sectors one by one.
constexpr double paper_metadata_share = 24e9 / 1e12;
}  // namespace

void SblockStore::report(MetricSet& metrics) const {
  statistics_.report(metrics);
  metrics.add("layout.utilisation", utilisation_, "1", "share of the tracks that hold data: formula, S_reg / (S_reg + 2 kappa) (1 - beta)");
  metrics.count("log.sectors", static_cast<double>(open_.sectors_written()), "sectors", "sectors of the table's log and its checkpoints");
  metrics.add("meta.ram_bytes_sector_level", paper_metadata_share * static_cast<double>(user_bytes_), "B",
              "what the paper charges such designs: 24 GB a TB, the account of sectors placed one by one");
}

}  // namespace tessera::sblock
