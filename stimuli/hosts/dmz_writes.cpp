// The dm-zoned-like host: where what the application writes and trims goes, and which zones that makes free.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/dmz_host.hpp"

namespace tessera {

/// In order within a chunk, so that writes in sequence stay in sequence; one chunk's wait holds no other up.
void DmzHost::run_parts() {
  std::vector<std::uint32_t> held;
  for (std::size_t i = 0; i < parts_.size();) {
    Part& part = parts_[i];
    const bool behind = std::ranges::count(held, part.chunk) != 0;
    if (!behind && run(part)) {
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    if (!behind) held.push_back(part.chunk);
    if (!part.waiting_since) part.waiting_since = timeline_.now();
    ++i;
  }
  stalled_.set(!parts_.empty(), timeline_.now());
}

/// False where it has to wait: its chunk is being reclaimed, or there is no free zone for it.
bool DmzHost::run(Part& part) {
  if (reclaim_.active && !reclaim_.flushing && reclaim_.chunk == part.chunk) return false;
  Request& entry = requests_[part.tag];
  const bool trims = entry.request->op == HostOp::trim;
  std::optional<std::uint32_t> zone;
  if (!trims && !(zone = target_of(part))) return false;
  if (part.waiting_since) entry.held_up += timeline_.now() - *part.waiting_since;
  if (trims) {
    trim(part);
    return true;
  }
  if (!tables_.random(*zone)) tables_.zone(*zone).pointer += part.run.count;
  (tables_.chunk(part.chunk).data == *zone ? counts_.direct : counts_.buffered) += part.run.count;
  touch(part.chunk);
  ++writes_[part.chunk];
  commands_.send(
      HostOp::write, zone_blocks(*zone, part.run), CommandPriority::foreground,
      [this, part, zone = *zone](HostRequest& command) { written(part, zone, command); }, content_of(part));
  return true;
}

/// The data zone, where it is a random one or the write is at its write pointer; else the buffer. Either is taken when first needed.
std::optional<std::uint32_t> DmzHost::target_of(const Part& part) {
  DmzChunk zones = tables_.chunk(part.chunk);
  if (zones.data != no_zone && (tables_.random(zones.data) || tables_.zone(zones.data).pointer == part.run.first)) return zones.data;
  std::uint32_t& wanted = zones.data == no_zone ? zones.data : zones.buffer;
  if (wanted != no_zone) return wanted;
  const std::optional<std::uint32_t> taken = tables_.take(true);
  if (!taken) return std::nullopt;
  least_free_ = std::min(least_free_, tables_.free_random());
  wanted = *taken;
  tables_.map(part.chunk, zones);
  return taken;
}

void DmzHost::trim(const Part& part) {
  const DmzChunk zones = tables_.chunk(part.chunk);
  for (const std::uint32_t zone : {zones.data, zones.buffer})
    if (zone != no_zone) tables_.set_invalid(zone, part.run);
  tables_.find(std::uint64_t{part.chunk} * layout_.zone_sectors + part.run.first, part.run.count);
  tidy(part.chunk);
  Request& entry = requests_[part.tag];
  if (--entry.open == 0) changed(entry, nullptr);
}

/// What the request brings, between what was read of its first and last sectors.
std::vector<std::byte> DmzHost::content_of(const Part& part) const {
  const Request& entry = requests_[part.tag];
  const std::size_t bytes = view_.bytes();
  std::vector<std::byte> content(part.run.count * bytes);
  if (content.empty()) return content;
  const std::uint64_t first = std::uint64_t{part.chunk} * layout_.zone_sectors + part.run.first;
  for (std::uint32_t i = 0; i < part.run.count; ++i) {
    const std::span<std::byte> sector = std::span(content).subspan(i * bytes, bytes);
    const std::uint64_t number = first + i;
    const std::vector<std::byte>& edge = entry.edges[number == view_.first(*entry.request) ? 0 : 1];
    if (!view_.whole(*entry.request, number) && !edge.empty()) std::ranges::copy(edge, sector.begin());
    view_.overwrite(sector, *entry.request, number);
  }
  return content;
}

/// Only now do the tables say so: metadata never names what is not on the drive.
void DmzHost::written(const Part& part, std::uint32_t zone, const HostRequest& command) {
  const DmzChunk zones = tables_.chunk(part.chunk);
  for (const std::uint32_t other : {zones.data, zones.buffer})
    if (other != no_zone && other != zone) tables_.set_invalid(other, part.run);
  tables_.set_valid(zone, part.run);
  tables_.find(std::uint64_t{part.chunk} * layout_.zone_sectors + part.run.first, part.run.count);
  --writes_[part.chunk];
  tidy(part.chunk);
  Request& entry = requests_[part.tag];
  if (--entry.open == 0) changed(entry, &command.life);
  proceed();
}

/// A chunk without writes under way keeps no zone in which nothing is valid; a buffer takes the place of such a data zone.
void DmzHost::tidy(std::uint32_t number) {
  if (writes_[number] != 0 || (reclaim_.active && reclaim_.begun && !reclaim_.flushing && reclaim_.chunk == number)) return;
  const DmzChunk zones = tables_.chunk(number);
  DmzChunk kept = zones;
  if (kept.buffer != no_zone && tables_.zone(kept.buffer).valid == 0) kept.buffer = no_zone;
  if (kept.data != no_zone && tables_.zone(kept.data).valid == 0) kept.data = std::exchange(kept.buffer, no_zone);
  if (kept.data == zones.data && kept.buffer == zones.buffer) return;
  tables_.map(number, kept);
  for (const std::uint32_t zone : {zones.data, zones.buffer})
    if (zone != no_zone && zone != kept.data && zone != kept.buffer) set_freed(zone);
}

void DmzHost::touch(std::uint32_t chunk) {
  const DmzChunk& zones = tables_.chunk(chunk);
  for (const std::uint32_t zone : {zones.data, zones.buffer})
    if (zone != no_zone) tables_.touch(zone);
}

void DmzHost::set_freed(std::uint32_t zone) {
  tables_.set_freed(zone);
  freed_.push_back(zone);
  rounds_.again();
}

/// The drive's metadata names them no more. A zone that is still being read waits; a sequential one is reset first.
void DmzHost::release_zones() {
  std::erase_if(released_, [this](std::uint32_t zone) {
    if (tables_.zone(zone).reads != 0) return false;
    rounds_.again();
    if (tables_.random(zone) || tables_.zone(zone).pointer == 0) {
      tables_.release(zone);
      return true;
    }
    commands_.send(HostOp::zone_reset, zone_blocks(zone, {}), CommandPriority::background, [this, zone](HostRequest&) {
      ++counts_.host.resets;
      tables_.release(zone);
      proceed();
    });
    return true;
  });
}

}  // namespace tessera
