#include "firmware/interlaced/track_mover.hpp"

#include "firmware/shared/layer_statistics.hpp"

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
  SectorHeader record = MoveBackup::header({log_.current(), sectors, words});
  for (std::uint32_t done = 0; done < sectors;) {
    co_await turn();
    const PhysicalRun piece = backup_.piece(done, sectors);
    const bool last = done + piece.count == sectors;
    MediaChain chain(gate_.priority(wanted()));
    chain.write(piece, images_.part(done, piece.count), StepHint::whole_track, last ? &record : nullptr);
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
    sectors_written_ += piece.count;
    done += piece.count;
  }
  co_return Status::ok;
}

Task<void> TrackMover::write(std::span<const TrackImage> images, StepHint hint, SectorHeader* header) {
  co_await turn();
  MediaChain chain(gate_.priority(wanted()));
  for (std::size_t i = 0; i < images.size(); ++i) {
    const TrackImage& image = images[i];
    const bool last = i + 1 == images.size();
    chain.write(image.run, images_.part(image.at, image.run.count), i == 0 ? hint : StepHint::position, last ? header : nullptr);
    sectors_written_ += image.run.count;
  }
  const Status status = co_await ports_.media.run(chain);
  if (!ok(status)) ++failed_writes_;
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

Task<bool> TrackMover::marked(PhysicalRun sector) {
  SectorHeader header{};
  MediaChain chain;
  chain.read(sector, {}, StepHint::position, &header);
  const Status status = co_await ports_.media.run(chain);
  const std::optional<LogRecord> record = decode(header);
  co_return ok(status) && record && record->type == RecordType::track_move && record->sequence == log_.current();
}

Task<Status> TrackMover::find_unfinished(std::optional<MoveWords>& words) {
  const std::optional<MoveBackup::Record> found = co_await backup_.find();
  if (!found || found->move != log_.current()) co_return Status::ok;
  for (std::uint32_t done = 0; done < found->sectors;) {
    const PhysicalRun piece = backup_.piece(done, found->sectors);
    MediaChain chain(MediaClass::host, LostSectors::carry);
    chain.read(piece, images_.part(done, piece.count));
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  words = found->words;
  co_return Status::ok;
}

void TrackMover::report(MetricSet& metrics) const {
  report_cleanings(metrics, moves_, "cleanings");
  metrics.count("move.sectors", static_cast<double>(sectors_written_), "sectors", "sectors written by moves of tracks, backups included");
  metrics.count("move.failed_writes", static_cast<double>(failed_writes_), "1", "writes of moved tracks that failed");
  metrics.count("log.sectors", static_cast<double>(log_.sectors_written()), "sectors", "sectors of the merge log and its checkpoints");
}

}  // namespace tessera
