#include "media/media_faults.hpp"

#include "base/check.hpp"

namespace tessera {

namespace {

constexpr std::uint64_t million = 1'000'000;
constexpr std::uint64_t billion = 1'000'000'000;
constexpr std::uint64_t ps_in_ms = 1'000'000'000;

/// A command that lost its track waits for its first sector to come round again: whole revolutions, at least one.
Picoseconds whole_turns(Picoseconds time, Picoseconds turn) {
  const std::uint64_t turns = (time.value() + turn.value() - 1) / turn.value();
  return turn * (turns == 0 ? 1 : turns);
}

}  // namespace

MediaFaults::MediaFaults(const MediaConfig& config, const TrackGeometry& geometry, std::uint64_t seed)
    : geometry_(geometry),
      transient_rates_(config, geometry),
      interference_rate_(config.interference_limit == 0 ? 0 : config.interference_errors_per_million * (billion / million)),
      transient_reads_(config.transient_error_reads),
      notice_(config.grown_defect_notice),
      fading_reads_(config.grown_defect_reads),
      unrecoverable_rate_(config.unrecoverable_errors_per_billion),
      write_rate_(config.write_faults_per_million),
      servo_rate_(config.servo_faults_per_million),
      rates_(transient_rates_.any() || (interference_rate_ | unrecoverable_rate_ | write_rate_) != 0),
      servo_time_(whole_turns(config.servo_retry_time, geometry.revolution())),
      read_errors_(seed, "media.read_errors"),
      write_faults_(seed, "media.write_faults"),
      servo_(seed, "media.servo") {
  for (const NumberRow& row : config.unreadable_sectors) spot_of(row).bad_from = Picoseconds(0);
  for (const NumberRow& row : config.transient_sectors) spot_of(row).failing_reads = static_cast<std::uint32_t>(row[3]);
  for (const NumberRow& row : config.write_fault_sectors) spot_of(row).write_fault = true;
  for (const NumberRow& row : config.grown_defects) {
    Spot& spot = spot_of(row);
    spot.bad_from = std::min(spot.bad_from, Picoseconds(static_cast<std::uint64_t>(row[3]) * ps_in_ms));
  }
}

MediaFaults::Spot& MediaFaults::spot_of(const NumberRow& row) {
  const PhysicalTrack track{static_cast<std::uint32_t>(row[0]), static_cast<std::uint32_t>(row[1])};
  return spots_[key(geometry_.linear(track), static_cast<std::uint32_t>(row[2]))];
}

void MediaFaults::add_unreadable(PhysicalSector sector) {
  TESSERA_CHECK(geometry_.contains(sector.track), "an unreadable sector lies outside the drive");
  spots_[key(geometry_.linear(sector.track), sector.index)].bad_from = Picoseconds(0);
}

void MediaFaults::add_transient(PhysicalSector sector, std::uint32_t reads) {
  TESSERA_CHECK(geometry_.contains(sector.track), "a sector that fails lies outside the drive");
  spots_[key(geometry_.linear(sector.track), sector.index)].failing_reads = reads;
}

void MediaFaults::add_write_fault(PhysicalSector sector) {
  TESSERA_CHECK(geometry_.contains(sector.track), "an unwritable sector lies outside the drive");
  spots_[key(geometry_.linear(sector.track), sector.index)].write_fault = true;
}

void MediaFaults::draw_read_errors(std::uint64_t track, std::uint32_t first, std::uint32_t count, const TrackInterference& beside) {
  const std::uint64_t of_track = transient_rates_.of(track);
  if ((of_track | interference_rate_ | unrecoverable_rate_) == 0) return;
  for (std::uint32_t sector = first; sector < first + count; ++sector) {
    const std::uint64_t drawn = read_errors_.below(billion);
    std::uint64_t rate = unrecoverable_rate_ + of_track;
    if (interference_rate_ != 0) rate += interference_rate_ * beside.writes_beside(track, sector) / beside.limit();
    if (drawn >= rate) continue;
    Spot& spot = spots_[key(track, sector)];
    if (drawn < unrecoverable_rate_) {
      spot.bad_from = Picoseconds(0);
    } else if (spot.failing_reads == 0) {
      spot.failing_reads = static_cast<std::uint32_t>(1 + read_errors_.below(transient_reads_));
      spot.passing = true;
    }
  }
}

std::uint32_t MediaFaults::write_fault(std::uint64_t track, std::uint32_t first, std::uint32_t count, bool whole, std::uint32_t worn) {
  std::uint32_t sector = none;
  const std::uint64_t begin = key(track, first);
  for (auto at = spots_.lower_bound(begin); at != spots_.end() && at->first < begin + count; ++at) {
    if (!at->second.write_fault) continue;
    sector = static_cast<std::uint32_t>(at->first - begin) + first;
    break;
  }
  const std::uint64_t rate = write_rate_ + worn;
  if (rate == 0 || !whole) return sector;
  for (std::uint32_t i = first; i < first + count && i < sector; ++i)
    if (write_faults_.below(million) < rate) return i;
  return sector;
}

Picoseconds MediaFaults::off_track() {
  if (servo_rate_ == 0 || servo_.below(million) >= servo_rate_) return {};
  return servo_time_;
}

void MediaFaults::save_state(StateWriter& out, Picoseconds now) const {
  out.number(spots_.size());
  for (const auto& [sector, spot] : spots_) {
    const bool fails = spot.bad_from != Spot::never;
    out.number(sector);
    out.flag(fails);
    if (fails) out.number(spot.unreadable(now) ? 0 : (spot.bad_from - now).value());
    out.number(spot.failing_reads);
    out.number(spot.failed);
    out.flag(spot.passing);
    out.flag(spot.write_fault);
  }
}

void MediaFaults::load_state(StateReader& in) {
  spots_.clear();
  const std::uint64_t sectors = geometry_.tracks() * geometry_.most_sectors();
  for (std::size_t left = in.count(sectors); left > 0; --left) {
    Spot& spot = spots_[in.number(sectors)];
    if (in.flag()) spot.bad_from = Picoseconds(in.number());
    spot.failing_reads = static_cast<std::uint32_t>(in.number(std::uint64_t{1} << 32));
    spot.failed = static_cast<std::uint32_t>(in.number(std::uint64_t{1} << 32));
    spot.passing = in.flag();
    spot.write_fault = in.flag();
  }
}

}  // namespace tessera
