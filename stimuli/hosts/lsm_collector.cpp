// The host with a log-structured merge tree: zones that are dead are reset; of zones that are mostly so, what is live is moved, by ZenFS's
// law (GC_START_LEVEL, GC_SLOPE). Where no more zones are free than the collection needs, the one with most dead sectors is taken.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/lsm_host.hpp"

namespace tessera {

namespace {

constexpr std::size_t pieces_at_once = 2;  // one at the heads, the next one waiting
constexpr std::uint32_t least_spare = 2;   // zones: with no more than the reserve and these, collection does not wait for its law

}  // namespace

void LsmHost::reset_dead_zones() {
  while (const std::optional<std::uint32_t> zone = zones_.take_dead()) {
    commands_.send(HostOp::zone_reset, blocks_of({zones_.first_place(*zone), 0}), CommandPriority::background, [this, zone](HostRequest&) {
      zones_.set_free(*zone);
      ++counts_.host.resets;
      proceed();
    });
  }
}

void LsmHost::collect() {
  if (!collection_.zone && !begin_collection()) return;
  move_pieces();
}

bool LsmHost::begin_collection() {
  const bool needed = application_.outstanding() != 0 || flush_job_.active || compaction_.active || !pending_.empty();
  if (seen_zones_ == zones_.version() || (ended_ && !needed)) return false;
  seen_zones_ = zones_.version();
  const double free = static_cast<double>(zones_.free_zones()) / zones_.zones();
  const bool must = zones_.free_zones() <= lsm_reserved_zones + least_spare;
  if (!must && free >= config_.collect_below) return false;
  const double dead = must ? 0 : std::max(0.0, 1 - config_.collect_slope * (config_.collect_below - free));
  const std::optional<std::uint32_t> victim = zones_.choose_victim(dead);
  cpu_.sectors += zones_.zones();
  if (!victim) return false;
  zones_.zone(*victim).use = LsmZoneUse::collected;
  collection_ = {};
  collection_.zone = victim;
  collection_.begin = timeline_.now();
  for (std::uint32_t level = 0; level < lsm_levels; ++level)
    for (const LsmFilePtr& file : tree_.level(level))
      for (const LsmExtent& extent : file->extents) {
        if (zones_.zone_of(extent.place) != *victim) continue;
        for (std::uint32_t at = 0; at < extent.sectors;) {
          const std::uint32_t piece = std::min(layout_.record_sectors, extent.sectors - at);
          at += piece;
          collection_.waiting.push_back({file, extent, {extent.place + at - piece, piece}, at == extent.sectors, 0, {}, {}});
        }
      }
  return true;
}

/// As a compaction reads; an index that cannot be read is in host memory.
void LsmHost::read_moved(const std::shared_ptr<Moved>& moved, LsmExtent run) {
  ++moved->reads;
  const LsmExtent piece = moved->piece;
  read_place(run, CommandPriority::background, [this, moved, piece, run](HostRequest& command) {
    --moved->reads;
    if (!ok(command.status) && run.sectors > 1) {
      for (std::uint32_t i = 0; i < run.sectors; ++i) read_moved(moved, {run.place + i, 1});
      return;
    }
    if (ok(command.status)) {
      const std::size_t first = (run.place - piece.place) * view_.bytes();
      std::ranges::copy(command.content, moved->content.begin() + static_cast<std::ptrdiff_t>(first));
      return;
    }
    const auto position = moved->file->position_of(moved->from) + static_cast<std::uint32_t>(run.place - moved->from.place);
    if (position >= moved->file->keys.size()) return;
    moved->lost.push_back(moved->file->keys[position]);
    ++counts_.lost;
  });
}

/// In their order. An extent's new places hold once the last of its pieces is there.
void LsmHost::move_pieces() {
  Collection& collection = collection_;
  while (collection.read.size() < pieces_at_once && !collection.waiting.empty()) {
    const Moved& next = collection.waiting.front();
    if (next.piece.place == next.from.place && tree_.file(next.file->id) == nullptr) {  // it died meanwhile
      while (!collection.waiting.front().last) collection.waiting.pop_front();
      collection.waiting.pop_front();
      continue;
    }
    const auto moved = std::make_shared<Moved>(std::move(collection.waiting.front()));
    collection.waiting.pop_front();
    collection.read.push_back(moved);
    moved->content.resize(moved->piece.sectors * view_.bytes());
    read_moved(moved, moved->piece);
  }
  while (!collection.read.empty() && collection.read.front()->reads == 0 && collection.writes == 0) {
    Moved& moved = *collection.read.front();
    const std::uint32_t room = zones_.room(LsmLife::moved);
    if (room == 0) return;
    const LsmExtent to = zones_.allocate(LsmLife::moved, std::min(room, moved.piece.sectors));
    const auto bytes = static_cast<std::ptrdiff_t>(to.sectors * view_.bytes());
    std::vector<std::byte> content(moved.content.begin(), moved.content.begin() + bytes);
    moved.content.erase(moved.content.begin(), moved.content.begin() + bytes);
    moved.piece.sectors -= to.sectors;
    collection.to.push_back(to);
    for (const std::uint64_t key : std::exchange(moved.lost, {})) collection.lost.push_back(key);
    counts_.moved += to.sectors;
    ++collection.writes;
    const bool last = moved.last && moved.piece.sectors == 0;
    LsmChange change{.kind = LsmChange::Kind::relocate,
                     .level = 0,
                     .id = moved.file->id,
                     .key = 0,
                     .file = nullptr,
                     .from = moved.from,
                     .to = {},
                     .lost = {}};
    if (moved.piece.sectors == 0) collection.read.pop_front();
    write_place(to, CommandPriority::background, std::move(content), [this, last, change]() mutable {
      --collection_.writes;
      if (!last) return;
      change.to = std::exchange(collection_.to, {});
      change.lost = std::exchange(collection_.lost, {});
      ++collection_.commits;
      commit({{std::move(change)}, std::nullopt, [this] { --collection_.commits; }});
    });
  }
  if (!collection.waiting.empty() || !collection.read.empty() || collection.writes != 0 || collection.commits != 0) return;
  ++counts_.collections;
  counts_.host.cleaned(timeline_.now() - collection.begin, false);
  zones_.zone(*collection.zone).use = LsmZoneUse::filled;
  zones_.look_at(zones_.first_place(*collection.zone));
  collection = {};
  seen_zones_ = 0;
  rounds_.again();
}

}  // namespace tessera
