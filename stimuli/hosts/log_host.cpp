// The log-structured host: requests of the application.
#include "stimuli/hosts/log_host.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/command_life.hpp"

namespace tessera {

namespace {

/// Commands of the cleaner and of checkpoints at the drive at once.
constexpr std::uint32_t background_commands = 4;

std::uint64_t buffer_sectors(const LogHostConfig& config, const DriveZones& drive) {
  return std::max<std::uint64_t>(2, config.write_buffer.value() / (drive.sector_blocks * host_block_bytes));
}

}  // namespace

LogHost::LogHost(const LogHostConfig& config, const HostCpuConfig& cpu, const DriveZones& drive, const LogLayout& layout,
                 Timeline& timeline, HostLink& link)
    : config_(config),
      cpu_cost_(cpu),
      drive_(drive),
      view_(drive),
      layout_(layout),
      timeline_(timeline),
      commands_(timeline, link, drive, background_commands),
      application_(
          timeline, cpu.request, config.idle_after, [this](std::uint32_t tag) { finish(requests_[tag], requests_[tag].status); },
          [this] { proceed(); }),
      zones_(layout),
      buffer_(buffer_sectors(config, drive)),
      dirty_limit_(static_cast<std::uint64_t>(config.dirty_limit * static_cast<double>(buffer_sectors(config, drive)))),
      requests_(drive.tags),
      least_free_(layout.data_zones) {
  images_[0] = {.valid = true, .map = zones_.map()};
  commands_.on_refusal([this] { stop_writing(); });
}

/// With the zone that the application opens first, those stay free below which cleaning begins: a drive in use has no more.
std::uint64_t LogHost::prefill(std::uint64_t sectors) {
  if (sectors == 0) return 0;
  const std::uint32_t most = layout_.data_zones - std::min(config_.clean_below + 1, layout_.data_zones - 1);
  const std::uint64_t share = (sectors * layout_.data_zones + layout_.user_sectors - 1) / layout_.user_sectors;
  const std::uint64_t needed = (sectors + layout_.zone_sectors - 1) / layout_.zone_sectors + 1;
  const auto zones = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      layout_.data_zones - log_reserved_zones, std::max<std::uint64_t>(needed, std::min<std::uint64_t>(most, share))));
  zones_.prefill(sectors, zones);
  images_[0] = {.valid = true, .map = zones_.map()};
  least_free_ = zones_.free_zones();
  return (std::uint64_t{layout_.first_data_zone} + zones) * layout_.zone_sectors;
}

HostRun LogHost::drive_blocks(std::uint64_t place, std::uint32_t sectors) const {
  const std::uint64_t first = std::uint64_t{layout_.first_data_zone} * layout_.zone_sectors + place;
  return {HostBlock(first * drive_.sector_blocks), sectors * drive_.sector_blocks};
}

void LogHost::issue(HostRequest& request) {
  TESSERA_CHECK(request.tag < requests_.size() && requests_[request.tag].request == nullptr, "a tag of the application is in use");
  Request& entry = requests_[request.tag];
  entry = {};
  entry.request = &request;
  entry.stalled = stalled_time();
  application_.request_began();
  ++cpu_.requests;
  request.status = Status::ok;
  if (commands_.refused() && request.op != HostOp::read) {
    entry.status = Status::read_only;
    return application_.answer_later(request.tag);
  }
  switch (request.op) {
    case HostOp::read: return read(entry);
    case HostOp::write: return write(entry);
    case HostOp::flush: return flush(entry);
    case HostOp::trim: return trim(entry);
    default: entry.status = Status::unsupported; return application_.answer_later(request.tag);
  }
}

void LogHost::abort(HostRequest&) { TESSERA_CHECK(false, "a translating host gives up no request"); }

/// From memory where the newest data is there, or nothing was ever written; one command for each run of places in one zone.
void LogHost::read(Request& entry) {
  HostRequest& request = *entry.request;
  const std::size_t kept = kept_per_block(drive_.content);
  std::ranges::fill(request.content, std::byte{0});
  std::vector<Piece> pieces;
  for (LogSector sector = view_.first(request); sector < view_.end(request); ++sector) {
    ++cpu_.sectors;
    const HostRun blocks = view_.blocks_in(request, sector);
    const auto offset = static_cast<std::uint32_t>(blocks.first - request.blocks.first);
    const std::uint64_t inside = blocks.first.value() % drive_.sector_blocks;
    if (const SectorBuffer::Entry* held = buffer_.find(sector)) {
      ++counts_.in_memory;
      if (!held->content.empty() && !request.content.empty())
        std::memcpy(request.content.data() + offset * kept, held->content.data() + inside * kept, blocks.count * kept);
      continue;
    }
    const LogPlace place = zones_.place(sector);
    if (place == nowhere) continue;
    if (place == lost_place) {
      entry.status = Status::media_error;
      continue;
    }
    const HostBlock at = drive_blocks(place, 1).first + inside;
    const std::uint32_t zone = zones_.zone_of(place);
    if (!pieces.empty() && pieces.back().blocks.end() == at && pieces.back().zone == zone &&
        pieces.back().offset + pieces.back().blocks.count == offset)
      pieces.back().blocks.count += blocks.count;
    else
      pieces.push_back({{at, blocks.count}, offset, zone});
  }
  counts_.host.reads += 1;
  counts_.host.pieces += pieces.size();
  entry.open = static_cast<std::uint32_t>(pieces.size());
  if (pieces.empty()) return application_.answer_later(request.tag);
  for (const Piece& piece : pieces) read_piece(request.tag, piece);
}

void LogHost::read_piece(std::uint32_t tag, const Piece& piece) {
  ++zones_.zone(piece.zone).reads;
  commands_.send(HostOp::read, piece.blocks, CommandPriority::foreground, [this, tag, piece](HostRequest& command) {
    --zones_.zone(piece.zone).reads;
    Request& entry = requests_[tag];
    if (!ok(command.status)) entry.status = command.status;
    std::vector<std::byte>& content = entry.request->content;
    if (!content.empty())
      std::memcpy(content.data() + piece.offset * kept_per_block(drive_.content), command.content.data(), command.content.size());
    if (--entry.open == 0) finish(entry, entry.status, &command.life);
    proceed();
  });
}

void LogHost::write(Request& entry) {
  counts_.host.accepted += view_.end(*entry.request) - view_.first(*entry.request);
  entry.next = view_.first(*entry.request);
  writes_.push_back(entry.request->tag);
  proceed();
}

/// In order of arrival: the first that finds no room holds the others up.
void LogHost::admit_writes() {
  while (!writes_.empty()) {
    Request& entry = requests_[writes_.front()];
    if (commands_.refused()) {
      if (entry.edge_pending) return;
      writes_.pop_front();
      finish(entry, Status::read_only);
      continue;
    }
    if (!admit(entry)) return;
    writes_.pop_front();
    entry.all_in = true;
    const bool waits = !config_.write_back || entry.request->force_unit_access;
    if (waits) {
      forced_ = std::max(forced_, buffer_.order());
      if (entry.open == 0) end_write(entry);
    } else {
      application_.answer_later(entry.request->tag);
    }
  }
}

/// Takes the sectors of a write into the buffer as far as they go; true: all of them. Data that is to be on the drive before somebody hears
/// of it is not overwritten on its way there, as a drive keeps writes of one place apart.
bool LogHost::admit(Request& entry) {
  const HostRequest& request = *entry.request;
  const bool waits = !config_.write_back || request.force_unit_access;
  for (; entry.next < view_.end(request) && ok(entry.status); ++entry.next) {
    const LogSector sector = entry.next;
    const SectorBuffer::Entry* held = buffer_.find(sector);
    if ((held == nullptr || !held->counts) && !buffer_.has_room()) {
      if (waits) forced_ = std::max(forced_, buffer_.order());
      return false;
    }
    if (held != nullptr && held->awaited) return false;
    if (!edge_known(entry, sector)) return false;
    if (!ok(entry.status)) break;
    ++cpu_.sectors;
    held = buffer_.find(sector);
    counts_.absorbed += held != nullptr && held->order != 0 ? 1 : 0;
    const bool from_drive = held == nullptr && zones_.place(sector) < lost_place;
    SectorBuffer::Entry& dirty = buffer_.dirty(sector, timeline_.now());
    if (from_drive && !view_.whole(request, sector)) dirty.content = entry.edge_content;
    dirty.content.resize(view_.bytes(), std::byte{0});
    view_.overwrite(dirty.content, request, sector);
    if (!waits) continue;
    dirty.awaited = true;
    dirty.waiters.push_back(request.tag);
    ++entry.open;
  }
  return true;
}

/// Of a sector that the request writes in part, the rest is in the buffer, was never written, or was read from where it still is. If none
/// of these, it is read first; the request fails where it cannot be read. It does not end before that read, whatever brings the sector
/// meanwhile: the answer goes by the request's tag.
bool LogHost::edge_known(Request& entry, LogSector sector) {
  if (entry.edge_pending) return false;
  if (view_.whole(*entry.request, sector) || buffer_.find(sector) != nullptr) return true;
  const LogPlace place = zones_.place(sector);
  if (place == lost_place) entry.status = Status::media_error;
  if (place >= lost_place) return true;
  if (entry.edge == place) return true;
  ++counts_.host.edges;
  entry.edge_pending = true;
  const std::uint32_t zone = zones_.zone_of(place);
  ++zones_.zone(zone).reads;
  commands_.read_surely(drive_blocks(place, 1), CommandPriority::foreground,
                        [this, tag = entry.request->tag, place, zone](HostRequest& command) {
                          --zones_.zone(zone).reads;
                          Request& waiting = requests_[tag];
                          waiting.edge_pending = false;
                          waiting.edge = place;
                          waiting.edge_content = command.content;
                          waiting.status = command.status;
                          proceed();
                        });
  return false;
}

/// Whole sectors alone; what lies at the ends stays. Who waits for data that it takes from the buffer waits for its record instead: older
/// data of the sector may be on the drive.
void LogHost::trim(Request& entry) {
  const HostRequest& request = *entry.request;
  const LogSector first = view_.first_whole(request);
  const LogSector end = view_.end_whole(request);
  std::vector<std::uint32_t> waiters;
  for (LogSector sector = first; sector < end; ++sector) {
    ++cpu_.sectors;
    if (const SectorBuffer::Entry* held = buffer_.find(sector)) {
      waiters.insert(waiters.end(), held->waiters.begin(), held->waiters.end());
      buffer_.drop(sector);
    }
    if (zones_.place(sector) != nowhere) zones_.move(sector, nowhere);
  }
  if (first < end) {
    trims_forced_ = trims_forced_ || !waiters.empty();
    trims_.push_back({{first, end - first}, std::move(waiters)});
    ++all_trims_;
  }
  application_.answer_later(request.tag);
  proceed();
}

void LogHost::flush(Request& entry) {
  forced_ = buffer_.order();
  trims_forced_ = true;
  flushes_.push_back({entry.request->tag, buffer_.order(), std::nullopt});
  proceed();
}

void LogHost::finish(Request& entry, Status status, const RequestLife* life) {
  HostRequest& request = *entry.request;
  const Picoseconds held_up = request.op == HostOp::write ? stalled_time() - entry.stalled : Picoseconds(0);
  entry = {};
  application_.end(request, status, held_up, life);
}

void LogHost::on_time(std::uint64_t) {
  dirty_alarm_ = false;
  proceed();
}

/// Everything that can go on does.
void LogHost::proceed() {
  if (recovery_ != nullptr) return;
  rounds_.run([this] {
    admit_writes();
    if (commands_.refused()) return;
    write_records();
    check_flushes();
    clean();
    checkpoint_if_due();
  });
}

/// What waits for the drive fails: it may be there or not. Memory goes on to say what was written last.
void LogHost::stop_writing() {
  if (recovery_ != nullptr) return end_recovery();
  flushes_.clear();
  std::vector<Request*> failed;  // the application's next requests take their places
  for (Request& entry : requests_)
    if (entry.request != nullptr &&
        (entry.request->op == HostOp::flush || (entry.request->op == HostOp::write && entry.all_in && entry.open != 0)))
      failed.push_back(&entry);
  for (Request* const entry : failed) finish(*entry, Status::read_only);
  proceed();
}

bool LogHost::idle() const {
  if (commands_.refused()) return application_.outstanding() == 0 && commands_.idle() && recovery_ == nullptr;
  return application_.outstanding() == 0 && commands_.idle() && buffer_.empty() && !cleaning_.zone && !checkpoint_.running &&
         recovery_ == nullptr;
}

}  // namespace tessera
