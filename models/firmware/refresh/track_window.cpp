#include "firmware/refresh/track_window.hpp"

#include "firmware/layout/plan_regions.hpp"

namespace tessera {

TrackWindow::TrackWindow(const Ports& ports, const DriveGeometry& geometry, std::uint32_t slots)
    : ports_(ports),
      slots_(slots),
      most_sectors_(longest_track(geometry)),
      sector_bytes_(geometry.sector_bytes),
      progress_(ports.memory, MemoryCategory::metadata, 1, "progress of a rewrite", Survival::dumped),
      headers_(ports.memory, MemoryCategory::metadata, std::uint64_t{slots} * most_sectors_, "headers of tracks under rewrite",
               Survival::dumped),
      tracks_(ports.memory.reserve_dumped_buffer(MemoryCategory::merge_buffer, slots * most_sectors_, "tracks under rewrite")) {}

std::optional<PhysicalTrack> TrackWindow::begun() const {
  const Progress& progress = progress_.read(0);
  if (progress.state != State::begun) return std::nullopt;
  return PhysicalTrack{progress.surface, progress.radius};
}

void TrackWindow::begin(PhysicalTrack first) { progress_.write(0) = {State::begun, first.surface, first.radius, 0, 0}; }

void TrackWindow::end() { progress_.write(0) = {State::none, 0, 0, 0, 0}; }

Task<void> TrackWindow::read_next(PhysicalTrack track, MediaClass priority) {
  const std::uint32_t place = read();
  const std::uint32_t sectors = ports_.media.sectors_on(track);
  MediaChain chain(priority, LostSectors::carry);
  Status status = Status::ok;
  if (sectors != 0) {
    const std::span<SectorHeader> each = headers(place).first(sectors);
    chain.add({MediaOp::read, StepHint::whole_track, {track, 0, sectors}, tracks_.part(first_sector(place), sectors), {}, nullptr, each});
    status = co_await ports_.media.run(chain);
  }
  if (status == Status::aborted) co_return;
  ++progress_.write(0).read;
}

Task<bool> TrackWindow::write_next(PhysicalTrack track, MediaClass priority) {
  const std::uint32_t place = written();
  const std::uint32_t sectors = ports_.media.sectors_on(track);
  const std::uint32_t at = first_sector(place);
  bool all = true;
  MediaChain chain(priority, LostSectors::carry);
  for (std::uint32_t next = 0; next < sectors;) {
    chain.clear();
    while (next < sectors && chain.steps().size() < MediaChain::max_steps) {
      const auto left_out = [&](std::uint32_t sector) {
        return place == 0 ? tracks_.is_lost(at + sector) : tracks_.is_overwritten(at + sector);
      };
      while (next < sectors && left_out(next)) ++next;
      const std::uint32_t first = next;
      while (next < sectors && !left_out(next)) ++next;
      if (next == first) break;
      const std::uint32_t count = next - first;
      const std::span<SectorHeader> each = headers(place).subspan(first, count);
      chain.add({MediaOp::write, StepHint::whole_track, {track, first, count}, tracks_.part(at + first, count), {}, nullptr, each});
    }
    if (chain.empty()) break;
    const Status status = co_await ports_.media.run(chain);
    if (ok(status)) continue;
    // What could be written of the run that failed was; those after it were not begun.
    all = false;
    const PhysicalRun& failed = chain.steps()[chain.steps_done].run;
    next = failed.first + failed.count;
  }
  ++progress_.write(0).written;
  co_return all;
}

Bytes TrackWindow::bytes() const { return Bytes(std::uint64_t{slots_} * most_sectors_ * (sector_bytes_ + header_bytes)); }

}  // namespace tessera
