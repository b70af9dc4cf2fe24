#include "firmware/interlaced/track_moving_layer.hpp"

#include <algorithm>

#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

namespace {
constexpr std::size_t hottest_reported = 20;  // as the paper's figures 4 and 11
}

TrackMovingLayer::TrackMovingLayer(const Ports& ports, const MovingConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                                   TrackMap& map, std::uint32_t images)
    : InterlacedLayer(ports, config.interlaced, geometry, plan),
      heat_(ports.cpu, ports.memory, config.update_frequency),
      gate_(config.gate, ports.cpu, ports.host),
      mover_(ports, geometry, plan, map, gate_, images),
      counted_(config.heat),
      map_(map),
      waiting_gauge_(ports.cpu, {"moves.waiting", "1", "moves of tracks that are planned and not carried out"}, 0),
      under_way_gauge_(ports.cpu, {"moves.under_way", "1", "moves of tracks that have begun and not ended"}, 0),
      hot_gauge_(ports.cpu, {"tracks.hot", "1", "tracks that were written in the interval before"}, 0),
      away_gauge_(ports.cpu, {"tracks.away", "1", "tracks whose sectors do not lie at home: flipped, cached or swapped"}, 0),
      planned_(ports.cpu) {}

Task<Status> TrackMovingLayer::format() { co_return co_await mover_.log().format(); }

/// Tops of a read-modify-write first, then the map, then the move that was under way. A drive whose log takes nothing more can be read.
Task<Status> TrackMovingLayer::recover() {
  Status status = co_await rmw_.recover();
  if (!ok(status)) co_return status;
  status = co_await mover_.log().recover();
  if (!ok(status)) co_return status;
  std::optional<MoveWords> unfinished;
  status = co_await mover_.find_unfinished(unfinished);
  if (!ok(status)) co_return status;
  if (unfinished) {
    const MoveWords words = *unfinished;
    status = co_await finish(words);
    if (!ok(mover_.log().status())) status = Status::ok;
  }
  away_gauge_.set(map_.away());
  co_return status;
}

/// A move whose save the cut may have ended is none where it has written nothing. Where it has, the save was whole, and is made whole
/// again: the next boot may find the marks written over.
Task<Status> TrackMovingLayer::finish(MoveWords words) {
  if (mover_.in_doubt() == 0) co_return co_await resume(words);
  const std::vector<TrackImage> first = first_written(words);
  const Carriers begun = co_await mover_.marked(first);
  if (!begun.any()) {
    const MoveWords nothing{};
    co_return co_await commit(nothing);
  }
  const Status saved = co_await mover_.save(mover_.in_doubt(), words);
  if (!ok(saved)) co_return saved;
  co_return co_await resume(words);
}

Task<Status> TrackMovingLayer::read_as(MediaClass priority, LogicalRun run, DataSpan data, EarlySectors* early) {
  gate_.operation_begins();
  const Status status = co_await InterlacedLayer::read_as(priority, run, data, early);
  gate_.operation_ends();
  co_return status;
}

Task<Status> TrackMovingLayer::write(LogicalRun run, DataSpan data, WriteOptions options) {
  gate_.operation_begins();
  reached_ += note(run, HeatOf::media);
  const Status status = co_await InterlacedLayer::write(run, data, options);
  gate_.operation_ends();
  if (counted_ == HeatOf::media) look();
  co_return status;
}

void TrackMovingLayer::received(LogicalRun run) {
  arrived_ += note(run, HeatOf::host);
  if (counted_ == HeatOf::host) look();
}

void TrackMovingLayer::look() {
  if (!heat_.interval_over() || planning_) return;
  planning_ = true;
  ports_.cpu.spawn(plan(), "plan");
}

/// A write counts once for each home track that it touches; gives how many these are. Those of the other source make no track hot.
std::uint64_t TrackMovingLayer::note(LogicalRun run, HeatOf source) {
  std::uint64_t tracks = 0;
  for (std::uint32_t done = 0; done < run.count; ++tracks) {
    const PhysicalRun piece = home_.on_track({run.first + done, run.count - done});
    if (source == counted_) note_write(piece);
    done += piece.count;
  }
  return tracks;
}

Task<void> TrackMovingLayer::plan() {
  planning_ = false;
  heat_.count();
  hot_gauge_.set(heat_.hottest().size());
  report_hottest();
  const bool had_moves = moves_waiting() != 0;
  plan_moves();
  waiting_gauge_.set(moves_waiting());
  if (moves_waiting() != 0 && !had_moves && !moving_) gate_.due();
  planned_.wake_all();
  co_return;
}

/// Carries out the moves while the host pauses; one that has waited too long goes ahead beside the host.
Task<void> TrackMovingLayer::work() {
  for (;;) {
    if (moves_waiting() == 0) {
      co_await planned_.change(LifePhase::cpu_wait);
      continue;
    }
    if (!gate_.open()) {
      co_await gate_.wait();
      continue;
    }
    moving(true);
    const Status status = co_await carry_out_next();
    moving(false);
    waiting_gauge_.set(moves_waiting());
    gate_.due();
    if (ok(status)) continue;
    ++failed_commits_;
    co_return;  // a map that cannot be made durable must not change any more
  }
}

void TrackMovingLayer::moving(bool under_way) {
  moving_ = under_way;
  under_way_gauge_.set(under_way ? 1 : 0);
}

void TrackMovingLayer::start_background() {
  gate_.start();
  ports_.cpu.spawn(work(), "move_tracks");
}

MoveLocks TrackMovingLayer::lock(const AngularBox& near, const AngularBox& far) { return {locks_.exclusive(near), locks_.exclusive(far)}; }

Task<Status> TrackMovingLayer::commit(MoveWords words) {
  const Status status = co_await mover_.commit(words);
  ++map_changes_;
  away_gauge_.set(map_.away());
  co_return status;
}

std::array<std::optional<std::uint64_t>, 2> TrackMovingLayer::beside(std::uint64_t track) const {
  const InterlacedTracks& tracks = rmw_.tracks();
  const auto number = [&tracks](const std::optional<PhysicalTrack>& of) { return of ? std::optional(tracks.number(*of)) : std::nullopt; };
  return {number(tracks.in_front(tracks.track(track))), number(tracks.behind(tracks.track(track)))};
}

/// One event for each of the hottest tracks of the interval, followed by those of its neighbours.
void TrackMovingLayer::report_hottest() {
  ports_.cpu.event({"interval", FirmwareEvent::Edge::instant, heat_.intervals(), heat_.hottest().size()});
  for (const TrackHeat& heat : heat_.hottest().first(std::min(hottest_reported, heat_.hottest().size()))) {
    ports_.cpu.event({"hot_track", FirmwareEvent::Edge::instant, heat.track, heat.writes});
    for (const std::optional<std::uint64_t>& neighbour : beside(heat.track)) {
      if (neighbour) ports_.cpu.event({"hot_neighbour", FirmwareEvent::Edge::instant, *neighbour, heat_.writes_of(*neighbour)});
    }
  }
}

// --- Figures ---

void TrackMovingLayer::report_moving(MetricSet& metrics) const {
  rmw_.report(metrics);
  mover_.report(metrics);
  metrics.count("intervals.count", static_cast<double>(heat_.intervals()), "1", "intervals at whose end hot tracks were looked for");
  report_rounds(metrics, "heat_intervals", heat_.intervals(), "intervals at whose end hot tracks were looked for");
  metrics.count("heat.arrived", static_cast<double>(arrived_), "1", "writes of tracks as the host sent them, a write once for each track");
  metrics.count("heat.reached", static_cast<double>(reached_), "1", "writes of tracks that reached them, behind any write cache");
  metrics.add("heat.lost_in_cache",
              arrived_ == 0 ? std::nullopt : std::optional(1 - static_cast<double>(reached_) / static_cast<double>(arrived_)), "1",
              "share of heat.arrived that a write cache made one of: what layers.*.heat = \"media\" does not see");
  metrics.count("move.failed_commits", static_cast<double>(failed_commits_), "1", "changes of the track map that could not be logged");
}

}  // namespace tessera
