// The log-structured host: records on their way to the drive.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/log_host.hpp"

namespace tessera {

namespace {

/// Trimmed runs that a header names: 8 B each, next to 4 B for each data sector.
constexpr std::size_t most_trims = 256;

}  // namespace

void LogHost::write_records() {
  while (in_flight_[application] < config_.writes_in_flight && wants_to_write()) {
    const bool written = write_record();
    stalled_.set(!written, timeline_.now());
    if (!written) break;
  }
  const auto oldest = buffer_.oldest();
  if (!oldest || dirty_alarm_ || oldest->since + config_.write_delay <= timeline_.now()) return;  // overdue: the next answer lets it go
  dirty_alarm_ = true;
  timeline_.post(oldest->since + config_.write_delay, *this, 0);
}

bool LogHost::wants_to_write() {
  if (trims_.size() >= most_trims || (trims_forced_ && !trims_.empty())) return true;
  const auto oldest = buffer_.oldest();
  if (!oldest) return false;
  return oldest->order <= forced_ || timeline_.now() >= oldest->since + config_.write_delay || buffer_.dirty_sectors() > dirty_limit_;
}

/// A record of the application: what was trimmed until now, and after all of that the oldest dirty data. False where no zone has room.
bool LogHost::write_record() {
  if (!room_in(application)) return false;
  std::vector<TrimmedRun> trims;
  std::vector<std::uint32_t> waiters;
  for (; !trims_.empty() && trims.size() < most_trims; trims_.pop_front()) {
    trims.push_back(trims_.front().run);
    waiters.insert(waiters.end(), trims_.front().waiters.begin(), trims_.front().waiters.end());
  }
  trims_forced_ = trims_forced_ && !trims_.empty();
  const std::uint32_t room = layout_.zone_sectors - zones_.zone(*open_[application]).pointer;
  const std::uint32_t most = trims_.empty() ? std::min(room, layout_.record_sectors) - 1 : 0;
  const std::vector<LogSector> sectors = buffer_.take(most, sequence_ + 1);
  std::vector<std::byte> content((1 + sectors.size()) * view_.bytes());
  for (std::size_t i = 0; i < sectors.size(); ++i) {
    SectorBuffer::Entry& entry = *buffer_.find(sectors[i]);
    waiters.insert(waiters.end(), entry.waiters.begin(), entry.waiters.end());
    entry.waiters.clear();
    std::ranges::copy(entry.content, content.begin() + static_cast<std::ptrdiff_t>((1 + i) * view_.bytes()));
  }
  counts_.data += sectors.size();
  send_record(application, sectors, std::move(content), {std::move(trims), {}}, std::move(waiters), timeline_.now());
  return true;
}

/// A zone with room for a header and a sector is open for the stream; the last free ones are the cleaner's.
bool LogHost::room_in(Stream stream) {
  std::optional<std::uint32_t>& open = open_[stream];
  if (open && layout_.zone_sectors - zones_.zone(*open).pointer >= 2) return true;
  if (zones_.free_zones() <= (stream == application ? log_reserved_zones : 0)) return false;
  if (open) zones_.zone(*open).use = LogZoneUse::filled;
  open = zones_.open_first_free();
  least_free_ = std::min(least_free_, zones_.free_zones());
  return true;
}

/// What would be left of the zone and has no room for another record goes with this one.
void LogHost::send_record(Stream stream, std::span<const LogSector> sectors, std::vector<std::byte> content, Gone gone,
                          std::vector<std::uint32_t> waiters, Picoseconds youngest) {
  const std::uint32_t number = *open_[stream];
  LogZone& zone = zones_.zone(number);
  const auto length = static_cast<std::uint32_t>(1 + sectors.size());
  const std::uint32_t fill = layout_.zone_sectors - zone.pointer - length == 1 ? 1 : 0;
  LogRecord& record = zones_.append(number, ++sequence_, sectors, fill);
  for (const LogSector sector : gone.lost) zones_.move(sector, lost_place);
  record.trims = std::move(gone.trims);
  record.lost = std::move(gone.lost);
  record.youngest = youngest;
  zone.youngest = std::max(zone.youngest, youngest);
  if (zone.pointer == layout_.zone_sectors) {
    zone.use = LogZoneUse::filled;
    open_[stream].reset();
  }
  const LogPlace first = zones_.first_place(number) + record.first;
  for (std::uint32_t i = 0; i < sectors.size(); ++i) zones_.move(sectors[i], first + 1 + i);
  cpu_.sectors += sectors.size();
  counts_.headers += 1 + fill;
  since_checkpoint_ += record.sectors;
  if (!content.empty()) {
    const std::uint64_t tag = header_tag(record.sequence);
    std::memcpy(content.data(), &tag, sizeof tag);
  }
  ++in_flight_[stream];
  ++zone.writes;
  under_way_.insert(record.sequence);
  const auto priority = stream == application ? CommandPriority::foreground : CommandPriority::background;
  commands_.send(
      HostOp::write, drive_blocks(first, record.sectors), priority,
      [this, number, sequence = record.sequence, stream, held = std::vector<LogSector>(sectors.begin(), sectors.end()),
       waiters = std::move(waiters)](HostRequest& command) {
        --zones_.zone(number).writes;
        zones_.set_done(number, sequence);
        record_written(sequence, stream, held, waiters, command);
      },
      std::move(content));
}

void LogHost::record_written(std::uint64_t sequence, Stream stream, std::span<const LogSector> sectors,
                             std::span<const std::uint32_t> waiters, const HostRequest& command) {
  --in_flight_[stream];
  under_way_.erase(sequence);
  for (const LogSector sector : sectors) buffer_.settle(sector, sequence);
  for (const std::uint32_t tag : waiters) {
    Request& entry = requests_[tag];
    if (--entry.open == 0 && entry.all_in) end_write(entry, &command.life);
  }
  proceed();
}

/// All of the write is in records on the drive. FUA asks for more where the drive has a volatile cache.
void LogHost::end_write(Request& entry, const RequestLife* life) {
  if (!entry.request->force_unit_access || !drive_.volatile_cache) return finish(entry, entry.status, life);
  ++entry.open;
  flushes_.push_back({entry.request->tag, buffer_.order(), sequence_});
}

/// A FLUSH ends when all that was dirty at its arrival is in records, these are on the drive, and the drive has flushed what it may hold.
void LogHost::check_flushes() {
  const auto oldest = buffer_.oldest();
  for (Flush& flush : flushes_)
    if (!flush.sequence && (!oldest || oldest->order > flush.order) && trims_.empty()) flush.sequence = sequence_;
  while (!flushes_.empty() && flushes_.front().sequence && on_drive(*flushes_.front().sequence)) {
    const std::uint32_t tag = flushes_.front().tag;
    flushes_.pop_front();
    const std::uint64_t whole = under_way_.empty() ? sequence_ : *under_way_.begin() - 1;
    commands_.send(HostOp::flush, {}, CommandPriority::foreground, [this, tag, whole](HostRequest& command) {
      durable_record_ = std::max(durable_record_, whole);
      finish(requests_[tag], requests_[tag].status, &command.life);
      proceed();
    });
  }
}

}  // namespace tessera
