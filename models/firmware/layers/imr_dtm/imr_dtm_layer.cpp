#include "firmware/layers/imr_dtm/imr_dtm_layer.hpp"

#include <algorithm>

#include "firmware/layout/plan_regions.hpp"

namespace tessera::dtm {

ImrDtm::Mapping::Mapping(const Ports& ports, const ImrDtmConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : tracks(ports.media, geometry, regions_named(plan, "data"), config.zone_tracks), map(ports.memory, tracks) {}

ImrDtm::ImrDtm(const Ports& ports, const ImrDtmConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ImrDtm(ports, config, geometry, plan, std::make_unique<Mapping>(ports, config, geometry, plan)) {}

ImrDtm::ImrDtm(const Ports& ports, const ImrDtmConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
               std::unique_ptr<Mapping> mapping)
    : TrackMovingLayer(ports, config.moving, geometry, plan, mapping->map, 5 * longest_track(geometry)),
      config_(config),
      mapping_(std::move(mapping)) {}

PhysicalRun ImrDtm::place_of(LogicalRun run) {
  ports_.cpu.array();
  const PhysicalRun home = home_.piece(run);
  ports_.cpu.array();
  const PseudoTracks::Home found = mapping_->tracks.home_of({home.track, home.first});
  if (!found.pseudo) return home;
  const std::uint32_t place = mapping_->map.place_of(found.zone, *found.pseudo);
  return mapping_->tracks.piece(found.zone, place, found.offset, std::min(home.count, found.rest));
}

/// Whose home it is that now lies there: looked for among the pseudo-tracks of the zone.
std::optional<LogicalSector> ImrDtm::resident(PhysicalSector sector) const {
  const PseudoTracks::Home place = mapping_->tracks.home_of(sector);
  if (!place.pseudo) return home_.logical(sector);
  std::uint32_t pseudo = 0;
  while (mapping_->map.place_of(place.zone, pseudo) != *place.pseudo) ++pseudo;
  const PhysicalRun home = mapping_->tracks.piece(place.zone, pseudo, place.offset, 1);
  return home_.logical({home.track, home.first});
}

/// A write counts for each pseudo-track that it touches; those of what never moves are told apart by zone only.
void ImrDtm::note_write(const PhysicalRun& run) {
  const std::uint32_t sectors = rmw_.tracks().length(run.track);
  for (std::uint32_t done = 0; done < run.count;) {
    const std::uint32_t at = (run.first + done) % sectors;
    const PseudoTracks::Home home = mapping_->tracks.home_of({run.track, at});
    const PseudoTracks& tracks = mapping_->tracks;
    heat_.note(home.pseudo ? tracks.zone(home.zone).base + *home.pseudo : tracks.count() + home.zone);
    done += std::min(home.rest, sectors - at);
  }
}

/// The pseudo-tops nearest to a pseudo-bottom, or the bottoms nearest to a top, by home.
std::array<std::optional<std::uint64_t>, 2> ImrDtm::beside(std::uint64_t track) const {
  std::array<std::optional<std::uint64_t>, 2> found;
  if (track >= mapping_->tracks.count()) return found;
  const PseudoZone& zone = mapping_->tracks.zone(mapping_->tracks.zone_of(track));
  const std::uint64_t pseudo = track - zone.base;
  const bool bottom = pseudo < zone.bottoms;
  const std::uint64_t index = bottom ? pseudo : pseudo - zone.bottoms;
  const std::uint64_t others = bottom ? zone.base + zone.bottoms : zone.base;
  const std::uint64_t end = bottom ? zone.tops : zone.bottoms;
  const std::uint64_t behind = bottom ? index : index + 1;
  if (behind > 0 && behind - 1 < end) found[0] = others + behind - 1;
  if (behind < end) found[1] = others + behind;
  return found;
}

void ImrDtm::plan_moves() {
  ports_.cpu.scan(heat_.hottest().size());
  swaps_ = plan_swaps(heat_, mapping_->map, mapping_->tracks, config_.limits, ports_.cpu);
  next_ = 0;
}

/// The runs of a place, their images one behind the other from `at` on.
std::vector<TrackImage> ImrDtm::pieces(std::uint32_t zone, std::uint32_t place, std::uint32_t at) const {
  std::vector<TrackImage> found;
  const std::uint32_t length = mapping_->tracks.zone(zone).length;
  for (std::uint32_t done = 0; done < length;) {
    const PhysicalRun run = mapping_->tracks.piece(zone, place, done, length - done);
    found.push_back({run, at + done});
    done += run.count;
  }
  return found;
}

/// What a write of the bottoms destroys: one run a top, also where two bottoms share it.
std::vector<PhysicalRun> ImrDtm::tops_beside(const std::vector<TrackImage>& bottoms) const {
  std::vector<PhysicalRun> tops;
  for (const TrackImage& bottom : bottoms) {
    const Neighbours overlapped = rmw_.tracks().neighbours_of(bottom.run);
    for (std::uint32_t i = 0; i < overlapped.count; ++i) {
      const PhysicalRun& run = overlapped.runs[i];
      const auto shared = std::ranges::find(tops, run.track, &PhysicalRun::track);
      if (shared == tops.end()) {
        tops.push_back(run);
        continue;
      }
      const std::uint32_t end = std::max(shared->first + shared->count, run.first + run.count);
      shared->first = std::min(shared->first, run.first);
      shared->count = end - shared->first;
    }
  }
  return tops;
}

std::uint32_t ImrDtm::holding_data(const std::vector<PhysicalRun>& tops) const {
  std::uint32_t which = 0;
  for (std::size_t i = 0; i < tops.size(); ++i) which |= rmw_.holds_data(tops[i].track) ? 1U << i : 0U;
  return which;
}

void ImrDtm::lay_out(const Permutation::Swap& swap, std::uint32_t which, Images& images) const {
  const std::uint32_t length = mapping_->tracks.zone(swap.zone).length;
  images.hot = pieces(swap.zone, mapping_->map.place_of(swap.zone, swap.hot), 0);
  images.saved = length;
  images.tops.clear();
  const std::vector<PhysicalRun> tops = tops_beside(images.hot);
  for (std::size_t i = 0; i < tops.size(); ++i) {
    if ((which >> i & 1U) == 0) continue;
    images.tops.push_back({tops[i], images.saved});
    images.saved += tops[i].count;
  }
  images.which = which;
  images.cold = pieces(swap.zone, mapping_->map.place_of(swap.zone, swap.cold), images.saved);
  images.sectors = images.saved + length;
}

/// Two boxes, or one around both where they overlap.
MoveLocks ImrDtm::lock_all(const Images& images) {
  AngularBox near = rmw_.tracks().reach(images.hot.front().run);
  for (const TrackImage& image : images.hot) near.enclose(rmw_.tracks().reach(image.run));
  for (const TrackImage& image : images.tops) near.enclose(rmw_.tracks().box(image.run));
  AngularBox far = rmw_.tracks().box(images.cold.front().run);
  for (const TrackImage& image : images.cold) far.enclose(rmw_.tracks().box(image.run));
  if (!near.overlaps(far)) return lock(near, far);
  near.enclose(far);
  return lock(near);
}

/// Section 2.4, "Timing", steps 1 to 10. All images exist at every moment: T' until T is written, T in the backup until T' is written.
Task<Status> ImrDtm::carry_out_next() {
  Permutation::Swap swap = swaps_[next_++];
  if (!mapping_->map.on_bottoms(swap.zone, swap.hot) || mapping_->map.on_bottoms(swap.zone, swap.cold)) co_return Status::ok;
  Images& images = images_;
  lay_out(swap, ~std::uint32_t{0}, images);  // all tops, for the locks
  auto locks = lock_all(images);
  co_await locks.near;
  co_await locks.far;
  swap.saved = holding_data(tops_beside(images.hot));
  lay_out(swap, swap.saved, images);
  if (images.sectors > mover_.capacity()) co_return Status::ok;  // slipped defects spread it over too many tracks
  const MoveWords words = Permutation::words(swap);

  mover_.begin("swap", mapping_->tracks.zone(swap.zone).base + swap.hot, locks);
  Status status = co_await forget(images);
  if (ok(status)) status = co_await read_around(images);
  if (ok(status)) status = co_await mover_.save(images.saved, words);
  if (ok(status)) status = co_await read_images(images.cold);
  if (!ok(status)) {  // nothing was overwritten yet, but the record says that it may be
    const MoveWords nothing{};
    co_return co_await commit(nothing);
  }
  co_await write_images(images.hot, images.saved, TrackMover::Mark::with);
  co_await restore_tops(images);
  co_await write_images(images.cold, 0, TrackMover::Mark::with);
  for (const TrackImage& image : images.cold) rmw_.set_holds_data(image.run.track);
  ++swaps_done_;
  co_return co_await commit(words);
}

std::vector<TrackImage> ImrDtm::first_written(MoveWords words) {
  const Permutation::Swap swap = Permutation::swap_of(words);
  lay_out(swap, swap.saved, images_);
  return images_.hot;
}

/// The marks on T show whether it was written whole. If so T' may be half written, and is in the backup; if not, T' is whole.
Task<Status> ImrDtm::resume(MoveWords words) {
  const Permutation::Swap swap = Permutation::swap_of(words);
  Images& images = images_;
  lay_out(swap, swap.saved, images);
  const bool forward = co_await written();
  if (!forward) co_await write_images(images.hot, 0, TrackMover::Mark::without);
  co_await restore_tops(images);
  if (forward) co_await write_images(images.cold, 0, TrackMover::Mark::with);
  const MoveWords change = forward ? words : MoveWords{};
  co_return co_await commit(change);
}

/// Where a sector of T cannot be read, perhaps as the cut tore it, the swap can still be undone, unless T' was begun.
Task<bool> ImrDtm::written() {
  const Carriers hot = co_await mover_.marked(images_.hot);
  if (hot.all() || !hot.perhaps_all()) co_return hot.all();
  const Carriers cold = co_await mover_.marked(images_.cold);
  co_return cold.any();
}

Task<Status> ImrDtm::forget(const Images& images) {
  for (const TrackImage& image : images.cold) {
    const Status status = co_await rmw_.forget(image.run);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

Task<Status> ImrDtm::read_images(const std::vector<TrackImage>& images) {
  StepHint hint = StepHint::position;
  for (const TrackImage& image : images) {
    const Status status = co_await mover_.read(image, hint);
    if (!ok(status)) co_return status;
    hint = StepHint::whole_track;
  }
  co_return Status::ok;
}

/// T-1, T and T+1, from the outside in.
Task<Status> ImrDtm::read_around(const Images& images) {
  std::vector<TrackImage> around = images.hot;
  around.insert(around.end(), images.tops.begin(), images.tops.end());
  std::ranges::sort(around, {}, [](const TrackImage& image) { return image.run.track.radius; });
  co_return co_await read_images(around);
}

Task<void> ImrDtm::write_images(const std::vector<TrackImage>& images, std::uint32_t from, TrackMover::Mark mark) {
  const std::uint32_t first = images.front().at;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::array piece{TrackImage{images[i].run, images[i].at - first + from}};
    co_await mover_.write(piece, i == 0 ? StepHint::position : StepHint::whole_track, mark);
  }
}

Task<void> ImrDtm::restore_tops(const Images& images) {
  for (const TrackImage& image : images.tops) {
    const std::array top{image};
    co_await mover_.write(top, StepHint::whole_track);
  }
}

// --- Figures ---

void ImrDtm::report_work(MetricSet& metrics) const {
  report_moving(metrics);
  metrics.count("swap.count", static_cast<double>(swaps_done_), "1", "swaps of a pseudo-track on bottoms and one on tops");
}

}  // namespace tessera::dtm
