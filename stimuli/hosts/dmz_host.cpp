// The dm-zoned-like host: requests of the application.
#include "stimuli/hosts/dmz_host.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace tessera {

DmzHost::DmzHost(const DmzHostConfig& config, const HostCpuConfig& cpu, const DriveZones& drive, const DmzLayout& layout,
                 Timeline& timeline, HostLink& link)
    : config_(config),
      cpu_cost_(cpu),
      drive_(drive),
      view_(drive),
      layout_(layout),
      timeline_(timeline),
      commands_(timeline, link, drive, dmz_copies),
      application_(
          timeline, cpu.request, config.idle_after, [this](std::uint32_t tag) { finish(requests_[tag], requests_[tag].status); },
          [this] { proceed(); }),
      tables_(layout),
      requests_(drive.tags),
      writes_(layout.chunks),
      least_free_(layout.random_zones()) {
  commands_.on_refusal([this] { stop_writing(); });
}

/// As many random zones hold chunks as reclaim leaves in use, where there are so many chunks.
std::uint64_t DmzHost::prefill(std::uint64_t sectors) {
  const auto chunks = static_cast<std::uint32_t>((sectors + layout_.zone_sectors - 1) / layout_.zone_sectors);
  if (chunks == 0) return 0;
  const std::uint32_t sequential = layout_.zones - layout_.conventional;
  const auto free = static_cast<std::uint32_t>(config_.reclaim_until * layout_.random_zones());
  const std::uint32_t used = layout_.random_zones() - std::max(free, 1U);
  const auto share = static_cast<std::uint32_t>(std::uint64_t{used} * chunks / layout_.chunks);
  const std::uint32_t in_random = std::max(share, chunks - std::min(chunks, sequential));
  tables_ = DmzTables(layout_);  // formatted again where the power failed meanwhile
  tables_.prefill(sectors, in_random);
  least_free_ = tables_.free_random();
  return (std::uint64_t{layout_.conventional} + chunks - in_random) * layout_.zone_sectors;
}

HostRun DmzHost::zone_blocks(std::uint32_t zone, DmzRun run) const {
  return {HostBlock((std::uint64_t{zone} * layout_.zone_sectors + run.first) * drive_.sector_blocks), run.count * drive_.sector_blocks};
}

void DmzHost::issue(HostRequest& request) {
  TESSERA_CHECK(request.tag < requests_.size() && requests_[request.tag].request == nullptr, "a tag of the application is in use");
  Request& entry = requests_[request.tag];
  entry = {};
  entry.request = &request;
  application_.request_began();
  ++cpu_.requests;
  request.status = Status::ok;
  if (commands_.refused() && request.op != HostOp::read) {
    entry.status = Status::read_only;
    return application_.answer_later(request.tag);
  }
  switch (request.op) {
    case HostOp::read: return read(entry);
    case HostOp::write: counts_.host.accepted += view_.end(request) - view_.first(request); return change(entry);
    case HostOp::trim: return change(entry);
    case HostOp::flush: wait_for_flush_.push_back(request.tag); return proceed();
    default: entry.status = Status::unsupported; return application_.answer_later(request.tag);
  }
}

void DmzHost::abort(HostRequest&) { TESSERA_CHECK(false, "a translating host gives up no request"); }

/// One command for each run of sectors in one zone; what is not valid reads as nothing.
void DmzHost::read(Request& entry) {
  HostRequest& request = *entry.request;
  std::ranges::fill(request.content, std::byte{0});
  std::vector<Piece> pieces;
  for (std::uint64_t sector = view_.first(request); sector < view_.end(request); ++sector) {
    ++cpu_.sectors;
    const auto in_chunk = static_cast<std::uint32_t>(sector % layout_.zone_sectors);
    const auto chunk = static_cast<std::uint32_t>(sector / layout_.zone_sectors);
    if (tables_.lost(sector)) entry.status = Status::media_error;
    const std::uint32_t zone = tables_.place(chunk, in_chunk);
    if (zone == no_zone) continue;
    const HostRun blocks = view_.blocks_in(request, sector);
    const auto offset = static_cast<std::uint32_t>(blocks.first - request.blocks.first);
    const HostBlock at = zone_blocks(zone, {in_chunk, 1}).first + blocks.first.value() % drive_.sector_blocks;
    if (!pieces.empty() && pieces.back().zone == zone && pieces.back().blocks.end() == at &&
        pieces.back().offset + pieces.back().blocks.count == offset) {
      pieces.back().blocks.count += blocks.count;
      continue;
    }
    pieces.push_back({{at, blocks.count}, offset, zone});
    touch(chunk);
  }
  ++counts_.host.reads;
  counts_.host.pieces += pieces.size();
  entry.open = static_cast<std::uint32_t>(pieces.size());
  if (pieces.empty()) return application_.answer_later(request.tag);
  for (const Piece& piece : pieces) {
    ++tables_.zone(piece.zone).reads;
    commands_.send(HostOp::read, piece.blocks, CommandPriority::foreground, [this, tag = request.tag, piece](HostRequest& command) {
      --tables_.zone(piece.zone).reads;
      Request& waiting = requests_[tag];
      if (!ok(command.status)) waiting.status = command.status;
      std::vector<std::byte>& content = waiting.request->content;
      if (!content.empty())
        std::memcpy(content.data() + piece.offset * kept_per_block(drive_.content), command.content.data(), command.content.size());
      if (--waiting.open == 0) finish(waiting, waiting.status, &command.life);
      proceed();
    });
  }
}

void DmzHost::change(Request& entry) {
  waiting_.push_back(entry.request->tag);
  proceed();
}

bool DmzHost::overlaps(std::uint32_t tag, std::uint32_t other) const {
  const HostRequest& a = *requests_[tag].request;
  const HostRequest& b = *requests_[other].request;
  return view_.first(a) < view_.end(b) && view_.first(b) < view_.end(a);
}

/// Writes and TRIMs of one sector follow each other: parts of a sector are read and written back, and a write may move to another zone.
void DmzHost::begin_changes() {
  for (std::size_t i = 0; i < waiting_.size();) {
    const std::uint32_t tag = waiting_[i];
    const auto meets = [this, tag](std::uint32_t other) { return overlaps(tag, other); };
    if (std::ranges::any_of(changing_, meets) || std::any_of(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(i), meets)) {
      ++i;
      continue;
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    changing_.push_back(tag);
    begin_change(requests_[tag]);
  }
}

void DmzHost::begin_change(Request& entry) {
  const HostRequest& request = *entry.request;
  if (request.op == HostOp::write) {
    const std::uint64_t first = view_.first(request);
    const std::uint64_t last = view_.end(request) - 1;
    if (!view_.whole(request, first)) read_edge(entry, first, 0);
    if (last != first && !view_.whole(request, last)) read_edge(entry, last, 1);
  }
  if (entry.open == 0) divide(entry);
}

/// Of a sector that the request writes in part; nothing is read where nothing is valid.
void DmzHost::read_edge(Request& entry, std::uint64_t sector, std::size_t side) {
  const auto in_chunk = static_cast<std::uint32_t>(sector % layout_.zone_sectors);
  if (tables_.lost(sector)) entry.status = Status::media_error;
  const std::uint32_t zone = tables_.place(static_cast<std::uint32_t>(sector / layout_.zone_sectors), in_chunk);
  if (zone == no_zone) return;
  ++counts_.host.edges;
  ++entry.open;
  ++tables_.zone(zone).reads;
  commands_.read_surely(zone_blocks(zone, {in_chunk, 1}), CommandPriority::foreground,
                        [this, tag = entry.request->tag, zone, side](HostRequest& command) {
                          --tables_.zone(zone).reads;
                          Request& waiting = requests_[tag];
                          if (!ok(command.status)) waiting.status = command.status;
                          waiting.edges[side] = command.content;
                          if (--waiting.open == 0) divide(waiting);
                          proceed();
                        });
}

/// Whole sectors alone are trimmed; what lies at the ends stays.
void DmzHost::divide(Request& entry) {
  const HostRequest& request = *entry.request;
  const bool trims = request.op == HostOp::trim;
  if (commands_.refused()) entry.status = Status::read_only;
  const std::uint64_t end = trims ? view_.end_whole(request) : view_.end(request);
  std::uint64_t first = trims ? view_.first_whole(request) : view_.first(request);
  if (!ok(entry.status) || first >= end) return changed(entry, nullptr);
  entry.divided = true;
  while (first < end) {
    const auto in_chunk = static_cast<std::uint32_t>(first % layout_.zone_sectors);
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(layout_.zone_sectors - in_chunk, end - first));
    parts_.push_back({request.tag, static_cast<std::uint32_t>(first / layout_.zone_sectors), {in_chunk, count}, std::nullopt});
    ++entry.open;
    cpu_.sectors += count;
    first += count;
  }
  rounds_.again();
}

/// All of the write or TRIM is done; FUA asks for the metadata, too.
void DmzHost::changed(Request& entry, const RequestLife* life) {
  const HostRequest& request = *entry.request;
  std::erase(changing_, request.tag);
  rounds_.again();
  if (!ok(entry.status)) return life == nullptr ? application_.answer_later(request.tag) : finish(entry, entry.status, life);
  if (request.op == HostOp::trim) return application_.answer_later(request.tag);
  if (request.force_unit_access) return wait_for_flush_.push_back(request.tag);
  finish(entry, Status::ok, life);
}

void DmzHost::finish(Request& entry, Status status, const RequestLife* life) {
  HostRequest& request = *entry.request;
  const Picoseconds held_up = entry.held_up;
  entry = {};
  application_.end(request, status, held_up, life);
}

void DmzHost::on_time(std::uint64_t) {
  flush_alarm_ = false;
  flush_wanted_ = flush_wanted_ || tables_.changed();
  proceed();
}

/// Everything that can go on does.
void DmzHost::proceed() {
  if (recovery_ != nullptr || commands_.refused()) return;
  rounds_.run([this] {
    begin_changes();
    run_parts();
    reclaim();
    flush_if_asked();
    release_zones();
  });
  if (tables_.changed() && !flush_alarm_ && !ended_) {
    flush_alarm_ = true;
    timeline_.post(timeline_.now() + config_.flush_every, *this, 0);
  }
}

/// What waits for the drive fails: it may be there or not. A change whose sectors are still being read fails when they are.
void DmzHost::stop_writing() {
  if (recovery_ != nullptr) return end_recovery();
  std::vector<std::uint32_t> failed(waiting_.begin(), waiting_.end());
  waiting_.clear();
  parts_.clear();
  std::ranges::copy_if(changing_, std::back_inserter(failed), [this](std::uint32_t tag) { return requests_[tag].divided; });
  std::erase_if(changing_, [this](std::uint32_t tag) { return requests_[tag].divided; });
  for (std::vector<std::uint32_t>* const tags : {&wait_for_flush_, &flush_.tags}) {
    failed.insert(failed.end(), tags->begin(), tags->end());
    tags->clear();
  }
  stalled_.set(false, timeline_.now());
  for (const std::uint32_t tag : failed) finish(requests_[tag], Status::read_only);
}

bool DmzHost::idle() const {
  if (commands_.refused()) return application_.outstanding() == 0 && commands_.idle() && recovery_ == nullptr;
  return application_.outstanding() == 0 && commands_.idle() && !tables_.changed() && !reclaim_.active && !flush_.running &&
         released_.empty() && recovery_ == nullptr;
}

}  // namespace tessera
