#include "firmware/interlaced/interlaced_layer.hpp"

#include <algorithm>

#include "firmware/layers/layer_statistics.hpp"
#include "firmware/locks/shared_locks.hpp"

namespace tessera {

InterlacedLayer::InterlacedLayer(const Ports& ports, const InterlacedConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ports_(ports),
      home_(geometry, regions_named(plan, "data"), ports.media, config.layout_n, config.order),
      rmw_(ports, config, geometry, plan),
      locks_(ports.cpu) {}

/// Of staggered numbers one access: a command for each part would come too late for the second and wait a turn for it.
PhysicalRun InterlacedLayer::longest_from(LogicalRun run) {
  PhysicalRun place = place_of(run);
  if (!home_.staggered()) return place;
  const std::uint32_t sectors = rmw_.tracks().length(place.track);
  const std::uint32_t at_home = home_.on_track(run).count;  // what will_write() is told of has one home
  while (place.count < at_home) {
    const PhysicalRun next = place_of({run.first + place.count, at_home - place.count});
    if (next.track != place.track || next.first != (place.first + place.count) % sectors) break;
    place.count += next.count;
  }
  return place;
}

PhysicalRun InterlacedLayer::in_front(LogicalSector first, const PhysicalRun& piece, EarlySectors& early) {
  const std::uint32_t sectors = rmw_.tracks().length(piece.track);
  PhysicalRun found{piece.track, piece.first, 0};
  for (std::uint32_t left = early.limit(home_.before_on_track(first)) ? early.place.count : 0; left != 0;) {
    const PhysicalRun place = longest_from({first - left, left});
    left -= place.count;
    if (left == 0 && place.track == piece.track && (place.first + place.count) % sectors == piece.first) found = place;
  }
  early.limit(found.count);
  return found;
}

Task<Status> InterlacedLayer::read_as(MediaClass priority, LogicalRun run, DataSpan data, EarlySectors* early) {
  for (std::uint32_t done = 0; done < run.count;) {
    const std::uint64_t changes = map_changes_;
    SharedLocks locks(locks_);
    MediaChain chain(priority);
    std::uint32_t end = done;
    do {  // of staggered numbers also what goes on on the next track: a chain of its own would come after the next read's, a turn late
      const PhysicalRun piece = longest_from({run.first + end, run.count - end});
      PhysicalRun passing = piece;  // under the head, and not to be moved meanwhile
      if (end == 0 && early != nullptr) [[unlikely]] {
        passing = in_front(run.first, piece, *early);
        passing.count += piece.count;
      }
      locks.add(rmw_.tracks().box(passing));
      EarlySectors* const kept = end == 0 && early != nullptr && early->place.count != 0 ? early : nullptr;
      chain.add({MediaOp::read, StepHint::position, piece, data.part(end, piece.count), {}, nullptr, {}, kept});
      end += piece.count;
    } while (home_.staggered() && end < run.count && !locks.full());
    if (!locks.granted()) blocked();
    for (auto* lock = locks.first(); lock != nullptr; lock = locks.next()) co_await *lock;
    if (changes != map_changes_) continue;
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
    done = end;
  }
  co_return Status::ok;
}

Task<Status> InterlacedLayer::write(LogicalRun run, DataSpan data, WriteOptions options) {
  trims_.written(run);
  const MediaClass priority = options.background ? MediaClass::background : MediaClass::host;
  for (std::uint32_t done = 0; done < run.count;) {
    const std::uint64_t changes = map_changes_;
    const PhysicalRun piece = longest_from({run.first + done, run.count - done});
    const bool clears = rmw_.clears_tops(piece);
    auto lock = locks_.exclusive(rmw_.tracks().reach(clears ? rmw_.tracks().whole(piece.track) : piece));
    if (!lock.granted()) blocked();
    co_await lock;
    if (changes != map_changes_ || clears != rmw_.clears_tops(piece)) continue;
    if (!ok(writable())) co_return writable();
    will_write({run.first + done, piece.count});
    const DataSpan part = data.part(done, piece.count);
    const Status status = co_await rmw_.write(piece, part, priority, lock);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

/// From the beginning of the first track on, where the TRIMs before this one reach back so far.
Task<Status> InterlacedLayer::trim(LogicalRun run) {
  trims_.add(run);
  for (LogicalSector at = std::max(trims_.begin_of(run), run.first - home_.before_on_track(run.first)); at < run.end();) {
    const std::uint64_t changes = map_changes_;
    const PhysicalRun piece = longest_from({at, static_cast<std::uint32_t>(run.end() - at)});
    const bool whole = rmw_.tracks().is_top(piece.track) && piece.count == rmw_.tracks().length(piece.track);
    if (whole) {
      auto lock = locks_.exclusive(rmw_.tracks().box(piece));
      co_await lock;
      if (changes != map_changes_) continue;
      if (trims_.begin_of(run) <= at) rmw_.trim(piece.track);
    }
    at += piece.count;
  }
  co_return Status::ok;
}

// --- With newer copies in front ---

void InterlacedLayer::spare_tops(NewestCopies& copies) {
  copies_ = &copies;
  rmw_.spare(*this);
}

bool InterlacedLayer::worthless(PhysicalSector sector) {
  ports_.cpu.array();
  const std::optional<LogicalSector> here = resident(sector);
  return here && copies_->in_front(*here);
}

std::array<std::optional<LogicalSector>, 2> InterlacedLayer::below(LogicalSector sector) {
  std::array<std::optional<LogicalSector>, 2> found;
  const PhysicalRun place = place_of({sector, 1});
  const InterlacedTracks& tracks = rmw_.tracks();
  if (!tracks.is_top(place.track)) return found;
  const std::array beside{tracks.in_front(place.track), tracks.behind(place.track)};
  for (std::size_t i = 0; i < beside.size(); ++i) {
    if (!beside[i]) continue;
    const std::uint64_t at = std::uint64_t{place.first} * tracks.length(*beside[i]) / tracks.length(place.track);
    found[i] = resident({*beside[i], static_cast<std::uint32_t>(at)});
  }
  return found;
}

void InterlacedLayer::prefill(std::uint64_t sectors) {
  for (std::uint64_t at = 0; at < sectors;) {
    if (const InterlacedLayout::WholeRadii whole = home_.whole_radii(LogicalSector(at), sectors - at); whole.sectors != 0) {
      rmw_.prefill(whole.first, whole.end);
      at += whole.sectors;
      continue;
    }
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(sectors - at, ~std::uint32_t{0}));
    const PhysicalRun piece = home_.piece({LogicalSector(at), count});
    rmw_.prefill(piece.track);
    at += piece.count;
  }
}

// --- Figures ---

void InterlacedLayer::report(MetricSet& metrics) const {
  report_work(metrics);
  if (map_bytes() != Bytes()) report_mapping_memory(metrics, paper_map_bytes(), map_bytes());
}

}  // namespace tessera
