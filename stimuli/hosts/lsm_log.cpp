// The host with a log-structured merge tree: the write-ahead log. Records of the log share the zones of their lifetime, and are dead when
// the table that they fill is a file.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/lsm_host.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t log_writes_at_once = 2;

}  // namespace

bool LsmHost::wants_to_log() {
  if (pending_.empty()) return false;
  const Logged& oldest = pending_.front();
  return oldest.order <= forced_ || oldest.generation != active_.generation || pending_.size() >= layout_.record_sectors ||
         timeline_.now() >= oldest.since + config_.write_delay;
}

void LsmHost::write_log() {
  while (records_in_flight_ < log_writes_at_once && wants_to_log())
    if (!write_record()) return;
  if (pending_.empty() || log_alarm_) return;
  const Picoseconds due = pending_.front().since + config_.write_delay;
  if (due <= timeline_.now()) return;  // the next answer lets it go
  log_alarm_ = true;
  timeline_.post(due, *this, 0);
}

/// Of one table's writes, as many as fit with the header and its copy. False where no zone has room.
bool LsmHost::write_record() {
  const std::uint32_t room = std::min(zones_.room(LsmLife::brief), layout_.record_sectors);
  if (room == 0) return false;
  Record record;
  record.generation = pending_.front().generation;
  record.order = pending_.front().order - 1;
  std::uint32_t data = 0;
  const auto headers = [&](std::size_t keys) {  // an entry's room for what the record is
    return static_cast<std::uint32_t>(((keys + 1) * lsm_entry_bytes + layout_.sector_bytes - 1) / layout_.sector_bytes);
  };
  std::vector<std::byte> content;
  while (!pending_.empty() && pending_.front().generation == record.generation) {
    Logged& next = pending_.front();
    if (lsm_copies * headers(record.keys.size() + 1) + data + (next.deleted ? 0 : 1) > room) break;
    data += next.deleted ? 0 : 1;
    record.keys.emplace_back(next.key, next.deleted);
    record.order = next.order;
    if (!next.deleted) content.insert(content.end(), next.content.begin(), next.content.end());
    pending_.pop_front();
  }
  record.header = headers(record.keys.size());
  const std::uint32_t header = record.copied() ? lsm_copies * record.header : 1;
  record.at = zones_.allocate(LsmLife::brief, header + data);
  counts_.log += data;
  counts_.log_headers += header;
  content.insert(content.begin(), record.header * view_.bytes(), std::byte{0});
  if (record.copied()) content.insert(content.end(), record.header * view_.bytes(), std::byte{0});
  send_record(std::move(record), std::move(content));
  return true;
}

void LsmHost::send_record(Record record, std::vector<std::byte> content) {
  record.sequence = ++sequence_;
  const std::uint64_t tag = header_tag(record.sequence);
  if (!content.empty()) std::memcpy(content.data(), &tag, sizeof tag);
  if (!content.empty() && record.copied()) std::memcpy(content.data() + content.size() - record.header * view_.bytes(), &tag, sizeof tag);
  ++records_in_flight_;
  const LsmExtent at = record.at;
  log_.push_back(std::move(record));
  write_place(at, CommandPriority::foreground, std::move(content), [this, sequence = sequence_] {
    --records_in_flight_;
    const auto found = std::ranges::find(log_, sequence, &Record::sequence);
    if (found != log_.end()) found->done = true;
  });
}

/// A request that asks for it ends when all that came before it is on the drive; a FLUSH when the drive has flushed what it may hold, and
/// FUA, too, where it holds any.
void LsmHost::check_syncs() {
  std::uint64_t synced = pending_.empty() ? order_ : pending_.front().order - 1;
  std::uint64_t whole = sequence_;  // records up to this are on the drive
  for (const Record& record : log_)
    if (!record.done) {
      synced = record.order - record.keys.size();
      whole = record.sequence - 1;
      break;
    }
  const auto ready = std::stable_partition(syncs_.begin(), syncs_.end(), [&](const Sync& sync) { return sync.order > synced; });
  const std::vector<Sync> ended(ready, syncs_.end());
  syncs_.erase(ready, syncs_.end());
  for (const Sync& sync : ended) {
    if (!sync.flushes && !drive_.volatile_cache) {
      finish(requests_[sync.tag], Status::ok);
      continue;
    }
    requests_[sync.tag].flushing = true;
    commands_.send(HostOp::flush, {}, CommandPriority::foreground, [this, whole, tag = sync.tag](HostRequest& command) {
      durable_record_ = std::max(durable_record_, whole);
      finish(requests_[tag], command.status, &command.life);
      proceed();
    });
  }
}

/// What fills tables up to this generation is in files.
void LsmHost::forget_log(std::uint64_t generation) {
  flushed_ = std::max(flushed_, generation);
  while (!log_.empty() && log_.front().generation <= generation) {
    zones_.settle(log_.front().at);
    zones_.release(log_.front().at);
    log_.pop_front();
  }
}

}  // namespace tessera
