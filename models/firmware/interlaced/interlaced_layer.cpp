#include "firmware/interlaced/interlaced_layer.hpp"

#include <algorithm>

namespace tessera {

InterlacedLayer::InterlacedLayer(const Ports& ports, const InterlacedConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ports_(ports),
      home_(geometry, regions_named(plan, "data"), ports.media, config.layout_n, config.order),
      rmw_(ports, config, geometry, plan),
      locks_(ports.cpu) {}

Task<Status> InterlacedLayer::read_as(MediaClass priority, LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const std::uint64_t changes = map_changes_;
    const PhysicalRun piece = place_of({run.first + done, run.count - done});
    auto lock = locks_.shared(rmw_.tracks().box(piece));
    if (!lock.granted()) blocked();
    co_await lock;
    if (changes != map_changes_) continue;
    MediaChain chain(priority);
    chain.read(piece, data.part(done, piece.count));
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

Task<Status> InterlacedLayer::write(LogicalRun run, DataSpan data, WriteOptions options) {
  const MediaClass priority = options.background ? MediaClass::background : MediaClass::host;
  for (std::uint32_t done = 0; done < run.count;) {
    const std::uint64_t changes = map_changes_;
    const PhysicalRun piece = place_of({run.first + done, run.count - done});
    auto lock = locks_.exclusive(rmw_.tracks().reach(piece));
    if (!lock.granted()) blocked();
    co_await lock;
    if (changes != map_changes_) continue;
    if (!ok(writable())) co_return writable();
    will_write({run.first + done, piece.count});
    const DataSpan part = data.part(done, piece.count);
    const Status status = co_await rmw_.write(piece, part, priority, lock);
    if (!ok(status)) co_return status;
    done += piece.count;
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
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(sectors - at, ~std::uint32_t{0}));
    const PhysicalRun piece = home_.piece({LogicalSector(at), count});
    rmw_.prefill(piece.track);
    at += piece.count;
  }
}

}  // namespace tessera
