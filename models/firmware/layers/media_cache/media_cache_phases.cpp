// A merge in place, phase by phase: merged in the buffer, written to the merge area, then to the band. What a phase writes destroys the
// beginning of the next, so that this is part of its copy:
//
//   tracks   | 0  1  2  3  4 | 5  6  7  8 | 9 ..
//   phase 1  | copied         x|            x: kept, in the copy and in the buffer
//   phase 2                 |x  copied    x|
#include "firmware/layers/lap_timer.hpp"
#include "firmware/layers/media_cache/media_cache_layer.hpp"

namespace tessera::media_cache {

/// Where the buffer holds more than is kept; and in steps alone, as a merge in one piece has nobody to let in.
bool MediaCache::by_phases(const Merge& merge) const {
  return config_.stepwise() && !merge.to_spare && phase_sectors(merge.band) >= 2 * kept_sectors(merge.band);
}

/// `first_is_ready`: the buffer and the newest image hold what the first phase writes. Nothing can follow a merge that ends while part of
/// the band is in its copy alone.
Task<Status> MediaCache::merge_phases(const Merge& merge, bool first_is_ready, const MediaClass& priority, MergeTimes& times) {
  const LogicalRun& run = merge.run;
  Status written = Status::ok;
  std::uint32_t here = 0;  // sectors at the beginning of the buffer, from the phase before
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun part{run.first + done, std::min(phase_sectors(merge.band), run.count - done)};
    const std::uint32_t kept = done + part.count == run.count ? 0 : kept_sectors(merge.band);
    if (done != 0 || !first_is_ready) {
      Status status = co_await prepare_phase(merge, part, here, priority, times);
      LapTimer timer(ports_.cpu);
      if (ok(status)) status = co_await merge_area_->complete(part, priority, kept);
      times.copy += timer.lap();
      if (!ok(status)) {
        if (carried_.count != 0) unfinished_ = status;
        co_return status;
      }
    }
    const Status status = co_await finish_phase(merge, part, kept, priority, times);
    if (ok(written)) written = status;
    here = kept;
    done += part.count - kept;
    if (done < run.count) co_await let_in();
  }
  if (ok(written)) images_done_ = merge_area_->newest();
  co_return written;
}

/// Into the buffer, behind what is there, and from there to the merge area. Reads come in while extents are collected.
Task<Status> MediaCache::prepare_phase(const Merge& merge, LogicalRun part, std::uint32_t here, const MediaClass& priority,
                                       MergeTimes& times) {
  const LogicalRun rest{part.first + here, part.count - here};
  const DataSpan data = buffer_.part(here, rest.count);
  ++phases_;
  LapTimer timer(ports_.cpu);
  Status status = co_await read_band(merge.band, rest, data, priority);
  if (ok(status) && zones_ != nullptr) clear_destroyed(rest.first, data);
  times.band_read += timer.lap();
  if (!ok(status)) co_return status;
  status = co_await collect(rest, here, priority, times);
  if (!ok(status)) co_return status;
  auto no_reads = readers_.exclusive(NumberRange::of(merge.band.number));
  co_await no_reads;
  LapTimer copied(ports_.cpu);
  const DataSpan all = buffer_.part(0, part.count);
  status = co_await merge_area_->write(0, all, priority);
  times.copy += copied.lap();
  co_return status;
}

/// To the band. A phase that could not be written keeps no later one from it: its writes have destroyed what they reached all the same.
Task<Status> MediaCache::finish_phase(const Merge& merge, LogicalRun part, std::uint32_t kept, const MediaClass& priority,
                                      MergeTimes& times) {
  auto no_reads = readers_.exclusive(NumberRange::of(merge.band.number));
  co_await no_reads;
  LapTimer timer(ports_.cpu);
  const LogicalRun home{part.first, part.count - kept};
  const DataSpan data = buffer_.part(0, home.count);
  const Status status = co_await bands_.transfer(MediaOp::write, home, data, priority, LostSectors::carry);
  times.band_write += timer.lap();
  carried_ = {home.end(), kept};
  if (kept != 0) ports_.memory.copy(buffer_.part(home.count, kept), buffer_.part(0, kept));
  co_return status;
}

/// Boot: a cut let a merge get so far that part of the band is in the copy alone. What the log holds of it stays there.
Task<Status> MediaCache::go_on_with(LogicalRun image) {
  const Band band = bands_.band_of(image.first);
  const Merge merge{.band = band, .run = {image.first, static_cast<std::uint32_t>(band.end() - image.first)}};
  const DataSpan data = buffer_.part(0, image.count);
  const Status status = co_await merge_area_->read(0, data, MediaClass::host);
  if (!ok(status)) co_return status;
  extents_.clear();
  MergeTimes times;
  static_cast<void>(co_await merge_phases(merge, true, MediaClass::host, times));
  co_return unfinished_;
}

}  // namespace tessera::media_cache
