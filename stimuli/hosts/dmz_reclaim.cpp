// The dm-zoned-like host: reclaim. One chunk at a time: its writes end, what is to be moved is copied, the tables say so, and a flush of
// the metadata releases the zone that was left.
#include <algorithm>
#include <utility>

#include "stimuli/hosts/dmz_host.hpp"

namespace tessera {

void DmzHost::reclaim() {
  if (!reclaim_.active) {
    const bool must = must_reclaim();
    if (!must && (ended_ || !application_.idle())) return;
    cpu_.sectors += layout_.random_zones();
    const std::optional<std::uint32_t> chunk = choose_chunk();
    if (!chunk) return;
    reclaim_ = {};
    reclaim_.active = true;
    reclaim_.chunk = *chunk;
    reclaim_.in_idle_time = !must;
    reclaim_.begin = timeline_.now();
  }
  if (reclaim_.flushing || (!reclaim_.begun && !begin_reclaim())) return;
  copy_reads();
  copy_writes();
  if (reclaim_.copies.empty() && reclaim_.writes == 0) end_copies();
}

/// From the lower share of free random zones on, up to the higher one. Freed ones count as free: a flush releases them.
bool DmzHost::must_reclaim() {
  std::ptrdiff_t free = tables_.free_random();
  for (const auto* const freed : {&freed_, &flush_.freed, &released_})
    free += std::ranges::count_if(*freed, [this](std::uint32_t zone) { return tables_.random(zone); });
  const double share = static_cast<double>(free) / layout_.random_zones();
  reclaiming_low_ = (reclaiming_low_ && share < config_.reclaim_until) || share <= config_.reclaim_below;
  return reclaiming_low_ && (!ended_ || !parts_.empty());
}

/// The chunk of the random zone that was not used for longest. Without a free sequential zone none can be moved there: then that of the
/// sequential zone with a buffer, so that one becomes free.
std::optional<std::uint32_t> DmzHost::choose_chunk() const {
  std::optional<std::uint32_t> best;
  std::uint64_t oldest = ~std::uint64_t{0};
  const bool room = tables_.free_sequential() != 0;
  for (std::uint32_t zone = layout_.first_random(); zone < layout_.conventional; ++zone) {
    if (tables_.zone(zone).use != DmzUse::taken) continue;
    const std::uint32_t chunk = tables_.zone(zone).chunk;
    const bool moves = tables_.chunk(chunk).data == zone;
    if (moves && !room) continue;
    const std::uint64_t touched = tables_.zone(moves || room ? zone : tables_.chunk(chunk).data).touched;
    if (touched >= oldest) continue;
    oldest = touched;
    best = chunk;
  }
  return best;
}

/// False: writes of the chunk are still under way, or nothing is left to do.
bool DmzHost::begin_reclaim() {
  if (writes_[reclaim_.chunk] != 0) return false;
  tidy(reclaim_.chunk);
  const DmzChunk zones = tables_.chunk(reclaim_.chunk);
  std::optional<std::uint32_t> taken;
  if (zones.buffer != no_zone) {
    const bool beyond = tables_.next_valid(zones.buffer, 0, 1).first >= tables_.zone(zones.data).pointer;
    reclaim_.kind = beyond ? Reclaiming::append : Reclaiming::merge;
    reclaim_.source = beyond ? zones.buffer : zones.data;
    reclaim_.target = beyond ? zones.data : zones.buffer;
  } else if (zones.data != no_zone && tables_.random(zones.data) && (taken = tables_.take(false))) {
    reclaim_.kind = Reclaiming::move;
    reclaim_.source = zones.data;
    reclaim_.target = *taken;
  } else {
    reclaim_ = {};
    flush_wanted_ = true;  // its zones were freed
    return false;
  }
  reclaim_.begun = true;
  return true;
}

/// Valid sectors alone: others may not be readable.
void DmzHost::copy_reads() {
  while (reclaim_.copies.size() + reclaim_.writes < dmz_copies) {
    const DmzRun run = tables_.next_valid(reclaim_.source, reclaim_.next, layout_.copy_sectors);
    if (run.count == 0) return;
    reclaim_.next = run.first + run.count;
    cpu_.sectors += run.count;
    send_copy_read(reclaim_.copies.insert(reclaim_.copies.end(), Copy{run, false, false, {}}));
  }
}

/// A run that cannot be read is read by its sectors; one of these that cannot, however often, is lost, and stays so until it is written.
void DmzHost::send_copy_read(std::list<Copy>::iterator copy) {
  const HostRun blocks = zone_blocks(reclaim_.source, copy->run);
  const auto done = [this, copy](HostRequest& command) {
    if (!ok(command.status) && copy->run.count > 1) {
      for (std::uint32_t i = 0; i < copy->run.count; ++i)
        send_copy_read(reclaim_.copies.insert(copy, Copy{{copy->run.first + i, 1}, false, false, {}}));
      reclaim_.copies.erase(copy);
    } else {
      copy->read = true;
      copy->lost = !ok(command.status);
      copy->content = command.content;
    }
    proceed();
  };
  if (copy->run.count > 1) return commands_.send(HostOp::read, blocks, CommandPriority::background, done);
  commands_.read_surely(blocks, CommandPriority::background, done);
}

/// In order. Before a sector that a sequential zone does not take yet, zeros fill the gap.
void DmzHost::copy_writes() {
  while (!reclaim_.copies.empty() && reclaim_.copies.front().read) {
    Copy copy = std::move(reclaim_.copies.front());
    reclaim_.copies.pop_front();
    if (copy.lost) {
      reclaim_.lost.push_back(copy.run.first);
      continue;
    }
    DmzZone& target = tables_.zone(reclaim_.target);
    while (!tables_.random(reclaim_.target) && target.pointer < copy.run.first) {
      const std::uint32_t gap = std::min(layout_.copy_sectors, copy.run.first - target.pointer);
      counts_.gaps += gap;
      send_copy({target.pointer, gap}, {});
    }
    counts_.moved += copy.run.count;
    send_copy(copy.run, std::move(copy.content));
  }
}

void DmzHost::send_copy(DmzRun run, std::vector<std::byte> content) {
  ++reclaim_.writes;
  if (!tables_.random(reclaim_.target)) tables_.zone(reclaim_.target).pointer += run.count;
  commands_.send(
      HostOp::write, zone_blocks(reclaim_.target, run), CommandPriority::background,
      [this](HostRequest&) {
        --reclaim_.writes;
        proceed();
      },
      std::move(content));
}

void DmzHost::end_copies() {
  const std::uint64_t chunk = reclaim_.chunk;
  for (const std::uint32_t sector : reclaim_.lost) {
    tables_.lose(chunk * layout_.zone_sectors + sector);
    tables_.set_invalid(reclaim_.source, {sector, 1});
    ++counts_.lost;
  }
  for (DmzRun run; (run = tables_.next_valid(reclaim_.source, 0, layout_.zone_sectors)).count != 0;) {
    tables_.set_valid(reclaim_.target, run);
    tables_.set_invalid(reclaim_.source, run);
  }
  tables_.map(reclaim_.chunk, {reclaim_.target, no_zone});
  set_freed(reclaim_.source);
  ++counts_.reclaims[static_cast<std::size_t>(reclaim_.kind)];
  reclaim_.flushing = true;
  flush_wanted_ = true;
  tidy(reclaim_.chunk);
}

}  // namespace tessera
