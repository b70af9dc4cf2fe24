#include "firmware/layers/imr_flip/imr_flip_layer.hpp"

#include <algorithm>
#include <array>

#include "firmware/layout/plan_regions.hpp"

namespace tessera::flip {

ImrFlip::ImrFlip(const Ports& ports, const ImrFlipConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ImrFlip(ports, config, geometry, plan,
              std::make_unique<FlipMap>(ports.memory, InterlacedTracks(ports.media, geometry, regions_named(plan, "data")))) {}

ImrFlip::ImrFlip(const Ports& ports, const ImrFlipConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                 std::unique_ptr<FlipMap> map)
    : TrackMovingLayer(ports, config.moving, geometry, plan, *map, 3 * longest_track(geometry)), config_(config), map_(std::move(map)) {}

PhysicalRun ImrFlip::place_of(LogicalRun run) {
  ports_.cpu.array();
  const PhysicalRun home = home_.piece(run);
  ports_.cpu.array();
  return map_->place_of(home);
}

/// A flip exchanges, so that the same map leads back.
std::optional<LogicalSector> ImrFlip::resident(PhysicalSector sector) const {
  const PhysicalRun home = map_->place_of({sector.track, sector.index, 1});
  return home_.logical({home.track, home.first});
}

/// Marks writes of the ends of a bottom of which one stays behind in a flip.
void ImrFlip::note_write(const PhysicalRun& run) {
  const InterlacedTracks& tracks = rmw_.tracks();
  std::uint32_t stays = 0;
  if (tracks.is_bottom(run.track)) {
    const std::optional<PhysicalTrack> front = tracks.in_front(run.track);
    const std::optional<PhysicalTrack> top = front ? front : tracks.behind(run.track);
    const std::uint32_t length = tracks.length(run.track);
    if (top) stays = length - std::min(length, tracks.length(*top));
  }
  const bool writes_front = run.first < stays || run.first + run.count > tracks.length(run.track);  // or it wraps
  const bool writes_back = run.first + run.count + stays > tracks.length(run.track);
  heat_.note(tracks.number(run.track), writes_front, writes_back);
}

void ImrFlip::plan_moves() {
  ports_.cpu.scan(heat_.hottest().size());
  moves_ = plan_flips(heat_, *map_, rmw_.tracks(), config_.limits);
  next_ = 0;
}

FlippedPair ImrFlip::pair_of(PhysicalTrack bottom, Flip flip) const {
  const Flip exchanged = flip == Flip::home ? map_->state(bottom) : flip;
  return {bottom, map_->partner(bottom, exchanged), exchanged};
}

std::optional<PhysicalTrack> ImrFlip::other_top(const FlippedPair& pair) const {
  const std::optional<PhysicalTrack> front = rmw_.tracks().in_front(pair.bottom);
  return front == pair.top ? rmw_.tracks().behind(pair.bottom) : front;
}

ImrFlip::Images ImrFlip::images_of(const FlippedPair& pair, bool with_beside) const {
  const InterlacedTracks& tracks = rmw_.tracks();
  Images images;
  std::uint32_t at = 0;
  const auto image = [&](PhysicalTrack track) {
    const TrackImage made{tracks.whole(track), at};
    at += made.run.count;
    return made;
  };
  if (with_beside) images.beside = image(*other_top(pair));
  images.bottom = image(pair.bottom);
  images.top = image(pair.top);
  return images;
}

/// The flip before may have been given up, or have been of an interval before.
bool ImrFlip::possible(const FlipMove& move) const {
  if (move.flip == Flip::home) return map_->state(move.bottom) != Flip::home;
  return !map_->flip_of(move.bottom) && !map_->flip_of(move.top);
}

/// Section 2.2, "Timing", steps 1 to 8.
Task<Status> ImrFlip::carry_out_next() {
  const FlipMove move = moves_[next_++];
  if (!possible(move)) co_return Status::ok;
  const FlippedPair pair = pair_of(move.bottom, move.flip);
  const std::optional<PhysicalTrack> other = other_top(pair);
  auto locks = lock(rmw_.tracks().reach(rmw_.tracks().whole(pair.bottom)));
  co_await locks.near;
  const Images images = images_of(pair, other && rmw_.holds_data(*other));
  const MoveWords words = map_->words(move.bottom, move.flip, images.beside.has_value());

  mover_.begin(move.flip == Flip::home ? "unflip" : "flip", rmw_.tracks().number(move.bottom), locks);
  Status status = co_await rmw_.forget(images.top.run);
  if (ok(status)) status = co_await read_tracks(images);
  if (ok(status)) status = co_await mover_.save(images.saved(config_.saves_top()), words);
  if (!ok(status)) {  // nothing was overwritten yet
    mover_.abandon();
    co_return Status::ok;
  }
  co_await exchange(pair, images);
  rmw_.set_holds_data(pair.top);
  ++(move.flip == Flip::home ? unflips_ : flips_);
  co_return co_await commit(words);
}

Task<Status> ImrFlip::read_tracks(const Images& images) {
  if (images.beside) {
    const Status status = co_await mover_.read(*images.beside, StepHint::whole_track);
    if (!ok(status)) co_return status;
  }
  const Status status = co_await mover_.read(images.bottom, StepHint::whole_track);
  if (!ok(status)) co_return status;
  co_return co_await mover_.read(images.top, StepHint::whole_track);
}

/// T+1 to T, T to T+1, and T-1 again. What stays of the top is written too: writing T has destroyed it.
Task<void> ImrFlip::exchange(FlippedPair pair, Images images) {
  const Splice splice = map_->splice(pair);
  const std::array to_bottom{TrackImage{{pair.bottom, splice.bottom_first, splice.count}, images.top.at + splice.top_first}};
  co_await mover_.write(to_bottom, StepHint::whole_track, TrackMover::Mark::with);

  std::array<TrackImage, 3> to_top;
  std::size_t parts = 0;
  const std::uint32_t behind = splice.top_first + splice.count;
  if (splice.top_first != 0) to_top[parts++] = {{pair.top, 0, splice.top_first}, images.top.at};
  to_top[parts++] = {{pair.top, splice.top_first, splice.count}, images.bottom.at + splice.bottom_first};
  if (behind != images.top.run.count) to_top[parts++] = {{pair.top, behind, images.top.run.count - behind}, images.top.at + behind};
  const std::span<const TrackImage> top_parts(to_top.data(), parts);
  co_await mover_.write(top_parts, StepHint::whole_track);

  if (!images.beside) co_return;
  const std::array to_beside{*images.beside};
  co_await mover_.write(to_beside, StepHint::whole_track);
}

/// T and T-1 as they were: all that can be done without an image of T+1.
Task<void> ImrFlip::restore(Images images) {
  const std::array to_bottom{images.bottom};
  co_await mover_.write(to_bottom, StepHint::whole_track);
  if (!images.beside) co_return;
  const std::array to_beside{*images.beside};
  co_await mover_.write(to_beside, StepHint::whole_track);
}

std::vector<TrackImage> ImrFlip::first_written(MoveWords words) {
  const FlipMap::Change change = map_->change_of(words);
  const FlippedPair pair = pair_of(change.bottom, change.flip);
  const Splice splice = map_->splice(pair);
  return {{{pair.bottom, splice.bottom_first, splice.count}, 0}};
}

Task<Status> ImrFlip::resume(MoveWords words) {
  const FlipMap::Change change = map_->change_of(words);
  const FlippedPair pair = pair_of(change.bottom, change.flip);
  const Images images = images_of(pair, change.beside_saved);
  if (config_.saves_top()) {
    co_await exchange(pair, images);
    co_return co_await commit(words);
  }
  co_await restore(images);
  const MoveWords nothing{};
  co_return co_await commit(nothing);
}

// --- Figures ---

/// Three bits a bottom.
Bytes ImrFlip::paper_map_bytes() const { return Bytes((3 * rmw_.tracks().bottoms() + 7) / 8) + heat_.paper_bytes(); }

void ImrFlip::report_work(MetricSet& metrics) const {
  report_moving(metrics);
  metrics.count("flip.count", static_cast<double>(flips_), "1", "flips of a bottom and a top track");
  metrics.count("unflip.count", static_cast<double>(unflips_), "1", "flips that were undone");
}

}  // namespace tessera::flip
