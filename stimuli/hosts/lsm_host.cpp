// The host with a log-structured merge tree: requests of the application.
#include "stimuli/hosts/lsm_host.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace tessera {

namespace {

constexpr std::uint32_t commands_in_background = 4;
constexpr std::uint64_t deletes_for_a_sector = 128;       // a deletion takes as much of a table as an entry of the index (and its node)
constexpr Picoseconds application_idle{100'000'000'000};  // 100 ms

/// 0.6185^bits: with the best number of hash functions (Bloom 1970).
std::uint64_t wrong_filters(std::uint32_t bits) {
  return static_cast<std::uint64_t>(std::llround(65536 * std::pow(0.6185, static_cast<double>(bits))));
}

}  // namespace

LsmHost::LsmHost(const LsmHostConfig& config, const HostCpuConfig& cpu, const DriveZones& drive, const LsmLayout& layout,
                 Timeline& timeline, HostLink& link)
    : config_(config),
      cpu_cost_(cpu),
      drive_(drive),
      view_(drive),
      layout_(layout),
      timeline_(timeline),
      commands_(timeline, link, drive, commands_in_background),
      application_(
          timeline, cpu.request, application_idle, [this](std::uint32_t tag) { finish(requests_[tag], requests_[tag].status); },
          [this] { proceed(); }),
      tree_(config, layout),
      zones_(layout),
      wrong_per_65536_(wrong_filters(config.filter_bits)),
      requests_(drive.tags) {
  manifests_[0].valid = true;
  commands_.on_refusal([this] { stop_writing(); });
}

/// As use leaves them: the last level holds all keys, each level before it as many as it is to have, evenly among them, up to the first
/// one.
std::uint64_t LsmHost::prefill(std::uint64_t sectors) {
  tree_ = LsmTree(config_, layout_);
  zones_ = LsmZones(layout_);
  manifests_[0] = {.valid = true};
  manifests_[1] = {};
  if (sectors == 0) return 0;
  std::uint32_t zone = 0;
  std::uint64_t distance = 1;
  for (std::uint32_t level = lsm_levels - 1; level > 0; --level, distance *= config_.level_ratio) {
    const std::uint64_t keys = sectors / distance;
    if (level + 1 < lsm_levels && (keys < layout_.base_sectors / config_.level_ratio || keys < layout_.file_sectors)) break;
    const std::uint64_t needed = keys + layout_.index_sectors(keys) + keys / layout_.file_sectors + 1;
    if (level + 1 < lsm_levels && tree_.sectors() + needed + layout_.memtable_sectors > layout_.full_sectors) break;
    std::uint32_t used = 0;  // sectors of the zone
    for (std::uint64_t first = 0; first < keys;) {
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(layout_.file_sectors, keys - first));
      auto file = make_lsm_file();
      file->id = next_file_++;
      file->keys = LsmKeys(first * distance, count, static_cast<std::uint32_t>(distance));
      file->smallest = first * distance;
      file->largest = (first + count - 1) * distance;
      for (std::uint32_t left = count + layout_.index_sectors(count); left != 0;) {
        const std::uint32_t piece = std::min(left, layout_.zone_sectors - used);
        file->extents.push_back({zones_.first_place(zone) + used, piece});
        left -= piece;
        used += piece;
        if (used < layout_.zone_sectors) continue;
        zones_.prefill(zone++, layout_.zone_sectors);
        used = 0;
      }
      static_cast<void>(tree_.apply(
          {.kind = LsmChange::Kind::add, .level = level, .id = file->id, .key = 0, .file = file, .from = {}, .to = {}, .lost = {}}));
      first += count;
    }
    if (used != 0) zones_.prefill(zone++, used);
  }
  manifests_[0] = {true, layout_.zone_sectors, snapshot_sectors(), layout_.zone_sectors - snapshot_sectors()};
  return (std::uint64_t{layout_.first_data_zone} + zone) * layout_.zone_sectors;
}

HostRun LsmHost::blocks_of(LsmExtent extent) const {
  const std::uint64_t first = std::uint64_t{layout_.first_data_zone} * layout_.zone_sectors + extent.place;
  return {HostBlock(first * drive_.sector_blocks), extent.sectors * drive_.sector_blocks};
}

void LsmHost::read_place(LsmExtent extent, CommandPriority priority, DriveCommands::Done done) {
  ++zones_.of(extent.place).reads;
  commands_.read_surely(blocks_of(extent), priority, [this, extent, done = std::move(done)](HostRequest& command) {
    --zones_.of(extent.place).reads;
    zones_.look_at(extent.place);
    done(command);
    proceed();
  });
}

void LsmHost::write_place(LsmExtent extent, CommandPriority priority, std::vector<std::byte> content, std::function<void()> done) {
  ++zones_.of(extent.place).writes;
  commands_.send(
      HostOp::write, blocks_of(extent), priority,
      [this, extent, done = std::move(done)](HostRequest&) {
        --zones_.of(extent.place).writes;
        zones_.look_at(extent.place);
        done();
        proceed();
      },
      std::move(content));
}

void LsmHost::issue(HostRequest& request) {
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
    case HostOp::write:
      counts_.host.accepted += view_.end(request) - view_.first(request);
      entry.next = view_.first(request);
      changes_.push_back(request.tag);
      return proceed();
    case HostOp::trim:
      entry.next = view_.first_whole(request);
      changes_.push_back(request.tag);
      return proceed();
    case HostOp::flush: return flush(entry);
    default: entry.status = Status::unsupported; return application_.answer_later(request.tag);
  }
}

void LsmHost::abort(HostRequest&) { TESSERA_CHECK(false, "a translating host gives up no request"); }

/// From tables where the newest data is there; one command for each run of places, and one for each filter that was wrong.
void LsmHost::read(Request& entry) {
  HostRequest& request = *entry.request;
  const std::size_t kept = kept_per_block(drive_.content);
  std::ranges::fill(request.content, std::byte{0});
  std::vector<Piece> pieces;
  std::vector<std::uint64_t> in_vain;
  for (std::uint64_t sector = view_.first(request); sector < view_.end(request); ++sector) {
    const HostRun blocks = view_.blocks_in(request, sector);
    const auto offset = static_cast<std::uint32_t>(blocks.first - request.blocks.first);
    const std::uint64_t inside = blocks.first.value() % drive_.sector_blocks;
    const Found found = find(sector, &in_vain);
    if (found.lost) entry.status = Status::media_error;
    if (found.value != nullptr) {
      ++counts_.in_memory;
      if (!found.value->content.empty() && !request.content.empty())
        std::memcpy(request.content.data() + offset * kept, found.value->content.data() + inside * kept, blocks.count * kept);
    }
    if (!found.place) continue;
    const HostBlock at = blocks_of({*found.place, 1}).first + inside;
    Piece* const last = pieces.empty() ? nullptr : &pieces.back();
    if (last != nullptr && last->blocks.end() == at && zones_.zone_of(last->place) == zones_.zone_of(*found.place) &&
        last->offset + last->blocks.count == offset)
      last->blocks.count += blocks.count;
    else
      pieces.push_back({{at, blocks.count}, offset, *found.place});
  }
  for (const std::uint64_t place : in_vain) pieces.push_back({blocks_of({place, 1}), 0, place, false});
  counts_.host.reads += 1;
  counts_.host.pieces += pieces.size();
  counts_.in_vain += in_vain.size();
  entry.open = static_cast<std::uint32_t>(pieces.size());
  if (pieces.empty()) return application_.answer_later(request.tag);
  for (const Piece& piece : pieces) read_piece(request.tag, piece);
}

void LsmHost::read_piece(std::uint32_t tag, const Piece& piece) {
  ++zones_.of(piece.place).reads;
  commands_.send(HostOp::read, piece.blocks, CommandPriority::foreground, [this, tag, piece](HostRequest& command) {
    --zones_.of(piece.place).reads;
    zones_.look_at(piece.place);
    Request& entry = requests_[tag];
    if (!ok(command.status) && piece.wanted) entry.status = command.status;
    std::vector<std::byte>& content = entry.request->content;
    if (!content.empty() && piece.wanted)
      std::memcpy(content.data() + piece.offset * kept_per_block(drive_.content), command.content.data(), command.content.size());
    if (--entry.open == 0) finish(entry, entry.status, &command.life);
    proceed();
  });
}

/// Writes and TRIMs one after another: the first that finds no room holds the others up.
void LsmHost::change_in_order() {
  while (!changes_.empty()) {
    Request& entry = requests_[changes_.front()];
    if (commands_.refused()) {
      if (entry.edge_pending) return;
      changes_.pop_front();
      finish(entry, Status::read_only);
      continue;
    }
    const bool room = change(entry);
    stalled_.set(!room && !entry.edge_pending, timeline_.now());
    if (!room) return;
    changes_.pop_front();
    if (entry.request->op == HostOp::write && entry.request->force_unit_access && ok(entry.status)) {
      forced_ = order_;
      syncs_.push_back({entry.request->tag, order_, false});
    } else {
      application_.answer_later(entry.request->tag);
    }
  }
}

/// Takes the sectors of a write or TRIM into tables as far as they go; true: all of them. Of a TRIM whole sectors alone, and of these those
/// that some table or file has.
bool LsmHost::change(Request& entry) {
  const HostRequest& request = *entry.request;
  const bool trims = request.op == HostOp::trim;
  const std::uint64_t end = trims ? view_.end_whole(request) : view_.end(request);
  for (; entry.next < end && ok(entry.status); ++entry.next) {
    if (trims && !find(entry.next, nullptr).known) continue;
    if (!table_has_room()) return false;
    if (trims) {
      put(entry.next, true, {});
      continue;
    }
    if (!edge_known(entry, entry.next)) return false;
    if (!ok(entry.status)) break;
    std::vector<std::byte> content;
    if (!view_.whole(request, entry.next)) {
      if (const Found found = find(entry.next, nullptr); found.value != nullptr)
        content = found.value->content;
      else if (found.place)
        content = entry.edge_content;
    }
    content.resize(view_.bytes(), std::byte{0});
    view_.overwrite(content, request, entry.next);
    put(entry.next, false, std::move(content));
  }
  return true;
}

/// Makes the full table one to be flushed, where there may be one more.
bool LsmHost::table_has_room() {
  if (active_.filled + active_.deletes / deletes_for_a_sector < layout_.memtable_sectors) return true;
  if (immutable_.size() + 1 >= config_.memtables || tree_.level(0).size() >= config_.level0_stop) return false;
  const std::uint64_t generation = active_.generation;
  immutable_.push_back(std::exchange(active_, {}));
  active_.generation = generation + 1;
  rounds_.again();
  return true;
}

/// Of a sector that the request writes in part, the rest is in a table, was never written, or is read first. The request fails where it
/// cannot be read.
bool LsmHost::edge_known(Request& entry, std::uint64_t sector) {
  if (view_.whole(*entry.request, sector) || entry.edge == sector) return true;
  if (entry.edge_pending) return false;
  const Found found = find(sector, nullptr);
  if (found.lost) entry.status = Status::media_error;
  if (!found.place) return true;
  ++counts_.host.edges;
  entry.edge_pending = true;
  read_place({*found.place, 1}, CommandPriority::foreground, [this, tag = entry.request->tag, sector](HostRequest& command) {
    Request& waiting = requests_[tag];
    waiting.edge_pending = false;
    waiting.edge = sector;
    waiting.edge_content = command.content;
    waiting.status = command.status;
  });
  return false;
}

void LsmHost::put(std::uint64_t key, bool deleted, std::vector<std::byte> content) {
  ++cpu_.sectors;
  ++(deleted ? active_.deletes : active_.filled);
  pending_.push_back({key, deleted, active_.generation, ++order_, timeline_.now(), content});
  active_.values[key] = {deleted, false, std::move(content)};
}

void LsmHost::flush(Request& entry) {
  forced_ = order_;
  syncs_.push_back({entry.request->tag, order_, true});
  proceed();
}

void LsmHost::finish(Request& entry, Status status, const RequestLife* life) {
  HostRequest& request = *entry.request;
  const Picoseconds held_up = request.op == HostOp::write ? stalled_time() - entry.stalled : Picoseconds(0);
  entry = {};
  application_.end(request, status, held_up, life);
}

void LsmHost::on_time(std::uint64_t) {
  log_alarm_ = false;
  proceed();
}

/// Everything that can go on does.
void LsmHost::proceed() {
  if (recovery_ != nullptr) return;
  rounds_.run([this] {
    change_in_order();
    if (commands_.refused()) return;
    write_log();
    check_syncs();
    begin_flush();
    advance(flush_job_);
    begin_compaction();
    advance(compaction_);
    collect();
    reset_dead_zones();
    write_manifest();
  });
}

/// What waits for the drive fails: it may be there or not. Memory goes on to say what was written last.
void LsmHost::stop_writing() {
  if (recovery_ != nullptr) return end_recovery();
  std::vector<Request*> failed;  // the application's next requests take their places
  for (const Sync& sync : std::exchange(syncs_, {}))
    if (!sync.flushes) failed.push_back(&requests_[sync.tag]);
  for (Request& entry : requests_)
    if (entry.request != nullptr && (entry.request->op == HostOp::flush || entry.flushing)) failed.push_back(&entry);
  for (Request* const entry : failed) finish(*entry, Status::read_only);
  proceed();
}

bool LsmHost::idle() const {
  if (commands_.refused()) return application_.outstanding() == 0 && commands_.idle() && recovery_ == nullptr;
  return application_.outstanding() == 0 && commands_.idle() && pending_.empty() && !flush_job_.active && !compaction_.active &&
         !collection_.zone && edits_.empty() && recovery_ == nullptr;
}

}  // namespace tessera
