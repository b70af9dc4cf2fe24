#include "firmware/interlaced/track_mover.hpp"

#include <algorithm>

#include "firmware/defects/lost_sectors.hpp"
#include "firmware/defects/write_rest.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

TrackMover::TrackMover(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan, TrackMap& map, IdleGate& gate,
                       std::uint32_t images)
    : ports_(ports),
      gate_(gate),
      backup_(ports.media, geometry, regions_named(plan, "moves")),
      log_(ports, geometry, regions_named(plan, "log"), map),
      images_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, images, "images of tracks that are moved")) {}

void TrackMover::begin(const char* kind, std::uint64_t subject, const MoveLocks& locks) {
  locks_ = &locks;
  begun_ = ports_.cpu.now();
  written_before_ = sectors_written_;
  event_ = {kind, FirmwareEvent::Edge::begin, subject, 0};
  ports_.cpu.event(event_);
}

Task<void> TrackMover::turn() {
  while (!gate_.open() && !wanted()) co_await gate_.wait();
}

Task<Status> TrackMover::read(TrackImage image, StepHint hint) {
  co_await turn();
  MediaChain chain(gate_.priority(wanted()), LostSectors::carry);
  chain.read(image.run, images_.part(image.at, image.run.count), hint);
  co_return co_await ports_.media.run(chain);
}

Task<Status> TrackMover::save(std::uint32_t sectors, MoveWords words) {
  TESSERA_CHECK(sectors <= backup_.sectors(), "the images of a move do not fit the backup region");
  headers_.assign(sectors, MoveBackup::header({log_.current(), sectors, words}));
  for (std::uint32_t done = 0; done < sectors;) {
    co_await turn();
    const PhysicalRun piece = backup_.piece(done, sectors);
    MediaStep step{MediaOp::write, StepHint::whole_track, piece, images_.part(done, piece.count), {}};
    step.headers = std::span(headers_).first(piece.count);
    MediaChain chain(gate_.priority(wanted()));
    chain.add(step);
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
    sectors_written_ += piece.count;
    done += piece.count;
  }
  co_return Status::ok;
}

Task<Status> TrackMover::write(std::span<const TrackImage> images, StepHint hint, Mark mark) {
  co_await turn();
  std::uint32_t longest = 0;
  for (const TrackImage& image : images) longest = std::max(longest, image.run.count);
  headers_.assign(longest, mark_of_move());
  MediaChain chain(gate_.priority(wanted()));
  for (std::size_t i = 0; i < images.size(); ++i) {
    const TrackImage& image = images[i];
    MediaStep step{MediaOp::write, i == 0 ? hint : StepHint::position, image.run, images_.part(image.at, image.run.count), {}};
    if (mark == Mark::with) step.headers = std::span(headers_).first(image.run.count);
    chain.add(step);
    sectors_written_ += image.run.count;
  }
  const Status status = co_await ports_.media.run(chain);
  if (!ok(status)) {
    ++failed_writes_;
    co_await write_rest(ports_.media, chain);
  }
  co_return status;
}

Task<Status> TrackMover::commit(MoveWords words) {
  const Status status = co_await log_.commit(words);
  if (locks_ != nullptr && words != MoveWords{}) moves_.record(ports_.cpu.now() - begun_);
  end();
  co_return status;
}

void TrackMover::abandon() { end(); }

void TrackMover::end() {
  if (locks_ == nullptr) return;
  locks_ = nullptr;
  event_.edge = FirmwareEvent::Edge::end;
  event_.amount = sectors_written_ - written_before_;
  ports_.cpu.event(event_);
}

Task<Carriers> TrackMover::marked(std::span<const TrackImage> images) {
  const SectorHeader mark = mark_of_move();
  Carriers found;
  for (const TrackImage& image : images) co_await count_carriers(ports_.media, image.run, mark, found);
  co_return found;
}

Task<Status> TrackMover::find_unfinished(std::optional<MoveWords>& words) {
  const std::optional<MoveBackup::Found> unfinished = co_await backup_.find(log_.current());
  if (!unfinished) co_return Status::ok;
  const MoveBackup::Record& found = unfinished->record;
  for (std::uint32_t done = 0; done < found.sectors;) {
    const PhysicalRun piece = backup_.piece(done, found.sectors);
    for (std::uint32_t i = done; i < done + piece.count; ++i) images_.mark_lost(i);
    const Status status = co_await read_lost_again(ports_.media, piece, images_.part(done, piece.count));
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  words = found.words;
  in_doubt_ = unfinished->in_doubt ? found.sectors : 0;
  co_return Status::ok;
}

// --- Figures ---

void TrackMover::report(MetricSet& metrics) const {
  report_cleaning_times(metrics, moves_, "cleanings");  // tracks move as the layer learns: their clock is its intervals
  metrics.count("move.sectors", static_cast<double>(sectors_written_), "sectors", "sectors written by moves of tracks, backups included");
  metrics.count("move.failed_writes", static_cast<double>(failed_writes_), "1", "writes of moved tracks that failed");
  metrics.count("log.sectors", static_cast<double>(log_.sectors_written()), "sectors", "sectors of the merge log and its checkpoints");
}

}  // namespace tessera
