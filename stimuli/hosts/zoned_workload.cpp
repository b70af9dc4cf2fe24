#include "stimuli/hosts/zoned_workload.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera {

using namespace literals;

namespace {

constexpr std::size_t favourites = 3;
constexpr std::uint32_t most_tries = 8;

}  // namespace

ZonedWorkload::ZonedWorkload(std::uint64_t seed, const Drive& drive)
    : random_(seed, "torture.zoned_workload"), drive_(drive), zones_(drive.blocks / drive.zone_blocks) {
  TESSERA_CHECK(!zones_.empty(), "a zoned workload on a drive without zones");
  for (std::size_t i = 0; i < favourites; ++i) favourites_.push_back(random_.below(zones_.size()));
}

bool ZonedWorkload::next(TraceRecord& record) {
  if (drive_.requests != 0 && made_ == drive_.requests) return false;
  record = {};
  if (made_ > 0 && random_.below(50) == 0) now_ += Picoseconds(random_.below((1_us).value() << random_.below(21)));
  record.arrival = now_;
  Sent sent;
  make(record, sent);
  record.op = sent.op;
  if (sent.op != HostOp::flush) record.offset = Bytes((sent.zone * drive_.zone_blocks + sent.first) * host_block_bytes);
  record.size = Bytes(sent.blocks * host_block_bytes);
  sent_.emplace(made_++, sent);
  return true;
}

/// While it does not know where it is, it reads.
void ZonedWorkload::make(TraceRecord& record, Sent& sent) {
  if (stale_ == 0 && make_report(sent)) return;
  for (std::uint32_t tried = 0; tried < most_tries && stale_ == 0; ++tried) {
    const std::uint64_t kind = random_.below(100);
    sent = {.zone = some_zone()};
    Zone& zone = zones_[sent.zone];
    if (kind < 60) {
      if (!make_write(sent, zone)) continue;
      record.force_unit_access = random_.below(8) == 0;
      return;
    }
    if (kind < 75 && make_management(sent, zone, kind - 60)) return;
    if (kind >= 75 && kind < 81 && make_wrong(sent, zone)) return;
    if (kind >= 81) break;
  }
  sent = {};
  if (random_.below(8) == 0)
    make_flush(sent);
  else
    make_read(sent);
}

void ZonedWorkload::make_flush(Sent& sent) const {
  sent.op = HostOp::flush;
  if (drive_.anywhere) return;
  for (std::uint64_t number = 0; number < zones_.size(); ++number) {
    const Zone& zone = zones_[number];
    if (zone.known && zone.promised > zone.durable) sent.flushed.push_back({number, zone.life, zone.promised});
  }
}

std::uint64_t ZonedWorkload::some_zone() {
  std::uint64_t& favourite = favourites_[random_.below(favourites_.size())];
  if (random_.below(40) == 0) favourite = random_.below(zones_.size());
  return random_.below(10) == 0 ? random_.below(zones_.size()) : favourite;
}

/// Of zones from the first unknown one on.
bool ZonedWorkload::make_report(Sent& sent) {
  const auto unknown = std::ranges::find_if(zones_, [](const Zone& zone) { return !zone.known && !zone.managed && zone.writes == 0; });
  if (unknown == zones_.end()) return false;
  sent.op = HostOp::zone_report;
  sent.zone = static_cast<std::uint64_t>(unknown - zones_.begin());
  sent.blocks = 1 + random_.below(3);
  for (std::uint64_t zone = sent.zone; zone < std::min(zones_.size(), sent.zone + zones_in_report(static_cast<std::uint32_t>(sent.blocks)));
       ++zone)
    zones_[zone].managed = zones_[zone].managed || !zones_[zone].known;
  return true;
}

std::uint64_t ZonedWorkload::whole_sectors(std::uint64_t most) {
  const std::uint64_t sectors = std::max<std::uint64_t>(1, most / drive_.sector_blocks);
  const std::uint64_t bound = random_.below(3) == 0 ? sectors : std::min<std::uint64_t>(sectors, random_.below(2) == 0 ? 4 : 32);
  return (1 + random_.below(bound)) * drive_.sector_blocks;
}

bool ZonedWorkload::make_write(Sent& sent, Zone& zone) {
  if (!zone.known || !zone.usable || zone.managed) return false;
  sent.op = HostOp::write;
  if (zone.conventional) {
    sent.blocks = 1 + random_.below(std::min<std::uint64_t>(drive_.largest, drive_.zone_blocks));
    sent.first = random_.below(drive_.zone_blocks - sent.blocks + 1);
    return true;
  }
  if (drive_.anywhere) return make_write_anywhere(sent, zone);
  if (zone.full || (drive_.one_at_a_time && zone.writes != 0)) return false;
  sent.first = zone.pointer;
  sent.blocks = whole_sectors(std::min<std::uint64_t>(drive_.largest, drive_.zone_blocks - zone.pointer));
  zone.pointer += sent.blocks;
  zone.sent = zone.pointer;
  zone.full = zone.pointer == drive_.zone_blocks;
  ++zone.writes;
  return true;
}

/// Every second at the pointer: where the drive says it is, which counts whole sectors.
bool ZonedWorkload::make_write_anywhere(Sent& sent, Zone& zone) {
  if (drive_.one_at_a_time && zone.writes != 0) return false;
  const bool in_order = !zone.full && random_.below(2) == 0;
  sent.first = in_order ? zone.pointer : random_.below(drive_.zone_blocks);
  const std::uint64_t most = std::min<std::uint64_t>(drive_.largest, drive_.zone_blocks - sent.first);
  sent.blocks = in_order ? whole_sectors(most) : 1 + random_.below(most);
  const std::uint64_t end = sectors_up(sent.first + sent.blocks);
  if (!zone.full) zone.pointer = std::max(zone.pointer, end);
  zone.sent = std::max(zone.sent, end);
  zone.full = zone.full || zone.pointer == drive_.zone_blocks;
  ++zone.writes;
  return true;
}

std::uint64_t ZonedWorkload::sectors_up(std::uint64_t block) const {
  return (block + drive_.sector_blocks - 1) / drive_.sector_blocks * drive_.sector_blocks;
}

/// One zone or, rarely, a reset of all.
bool ZonedWorkload::make_management(Sent& sent, Zone& zone, std::uint64_t kind) {
  if (!zone.known || !zone.usable || zone.conventional || zone.managed || zone.writes != 0) return false;
  sent.op = kind < 7 ? HostOp::zone_reset : kind < 9 ? HostOp::zone_finish : kind < 12 ? HostOp::zone_open : HostOp::zone_close;
  zone.managed = true;
  return true;
}

bool ZonedWorkload::make_wrong(Sent& sent, Zone& zone) {
  if (!zone.known || !zone.usable || zone.managed || zone.writes != 0) return false;
  const std::uint64_t room = drive_.zone_blocks - zone.pointer;
  const std::uint32_t sector = drive_.sector_blocks;
  sent.op = HostOp::write;
  sent.blocks = sector;
  sent.first = zone.pointer;
  const std::uint64_t kind = random_.below(5);
  if (zone.conventional || kind == 0) {
    sent.op = HostOp::zone_reset;
    sent.blocks = 0;
    sent.first = zone.conventional ? 0 : sector;
    sent.expected = Status::invalid_field;
    zone.managed = true;
    return true;
  }
  if (drive_.anywhere) return false;
  if (zone.full) {
    sent.first = 0;
    sent.expected = Status::invalid_field;
  } else if (kind == 1 && room > sector) {
    sent.first += sector;
    sent.expected = Status::unaligned_write;
  } else if (kind == 2 && zone.pointer > 0) {
    sent.first -= sector;
    sent.expected = Status::unaligned_write;
  } else if (kind == 3 && sector > 1) {
    sent.blocks = 1 + random_.below(sector - 1);
    sent.expected = Status::unaligned_write;
  } else if (kind == 4 && room < drive_.largest && sent.zone + 1 < zones_.size()) {
    sent.blocks = room + sector;
    if (sent.blocks > drive_.largest) return false;
    sent.expected = Status::write_boundary;
  } else {
    return false;
  }
  zone.managed = true;
  return true;
}

/// Mostly of what is written. A read across the end of a zone is none of a rule's business where reads are unrestricted.
void ZonedWorkload::make_read(Sent& sent) {
  sent.op = HostOp::read;
  sent.zone = some_zone();
  const Zone& zone = zones_[sent.zone];
  const std::uint64_t reach =
      !zone.known || zone.conventional || zone.pointer == 0 || random_.below(8) == 0 ? drive_.zone_blocks : zone.pointer;
  sent.blocks = 1 + random_.below(std::min<std::uint64_t>(drive_.largest, reach));
  sent.first = random_.below(reach - sent.blocks + 1);
}

void ZonedWorkload::power_lost() {
  for (auto& [number, sent] : sent_) {
    if (!sent.stale) ++stale_;
    sent.stale = true;
    if (sent.op == HostOp::flush || sent.expected != Status::ok) continue;
    Zone& zone = zones_[sent.zone];
    zone.may_be_reset = zone.may_be_reset || sent.op == HostOp::zone_reset;
    zone.may_be_full = zone.may_be_full || sent.op == HostOp::zone_finish;
  }
  for (Zone& zone : zones_) {
    zone.known = zone.managed = false;
    zone.writes = 0;
    zone.cut = true;
  }
}

/// After a write that failed: those after it fail, too.
void ZonedWorkload::forget(Zone& zone, std::uint64_t number) {
  zone.known = false;
  for (auto& [other, sent] : sent_) {
    if (sent.zone != number || sent.op != HostOp::write || sent.stale || sent.expected != Status::ok) continue;
    sent.stale = true;
    ++stale_;
  }
  zone.writes = 0;
}

ZonedWorkload::Verdict ZonedWorkload::completed(const HostRequest& request) {
  const auto found = sent_.find(request.number);
  TESSERA_CHECK(found != sent_.end(), "a request was completed that the zoned workload has not made");
  const Sent sent = found->second;
  sent_.erase(found);
  if (sent.stale) {
    --stale_;
    if (sent.op == HostOp::write && !refused(request.status)) zones_[sent.zone].cut = false;  // it may have moved the pointer since boot
    return {ok(request.status) || refused(request.status), ""};
  }
  return ended(sent, request);
}

ZonedWorkload::Verdict ZonedWorkload::ended(const Sent& sent, const HostRequest& request) {
  Zone& zone = zones_[sent.zone];
  const bool good = ok(request.status);
  if (sent.op == HostOp::zone_report) return {good, learn(sent, request)};
  for (const Flushed& flushed : sent.flushed)
    if (good && zones_[flushed.zone].life == flushed.life)
      zones_[flushed.zone].durable = std::max(zones_[flushed.zone].durable, flushed.end);
  if (sent.op == HostOp::read && request.status == Status::zone_offline && (zone.offline || !zone.seen)) {
    zone.offline = true;  // the next report has to say so
    return {true, ""};
  }
  if (sent.op == HostOp::flush || sent.op == HostOp::read) return {good, ""};
  if (sent.expected != Status::ok) {
    zone.managed = false;
    if (request.status == sent.expected) return {true, ""};
    if (drive_.faults && request.status == Status::zone_read_only) {  // by a write of before, which a cache had acknowledged
      forget(zone, sent.zone);
      return {true, ""};
    }
    if (!ok(request.status) && !refused(request.status)) return {false, ""};  // no rule's business: given up, or no spares left
    return {false, "zone " + std::to_string(sent.zone) + ": expected " + to_string(sent.expected) + ", the drive said " +
                       to_string(request.status)};
  }
  if (sent.op == HostOp::write && zone.conventional) return {good, ""};
  const bool no_room = request.status == Status::no_zone_resources;
  if (sent.op == HostOp::write && drive_.anywhere) {
    --zone.writes;
    if (good) zone.promised = std::max(zone.promised, sectors_up(sent.first + sent.blocks));
    return {good, ""};
  }
  if (sent.op == HostOp::write) {
    if (!good) {
      forget(zone, sent.zone);
      const bool sent_again = request.attempts != 0 && refused(request.status);  // it may have been carried out before it was given up
      return {no_room || sent_again || (drive_.faults && request.status == Status::zone_read_only), ""};
    }
    --zone.writes;
    zone.promised = std::max(zone.promised, sent.first + sent.blocks);
    if (request.force_unit_access) zone.durable = std::max(zone.durable, sent.first + sent.blocks);
    return {};
  }
  zone.managed = false;
  if (!good) {  // given up, say: it may have been carried out
    zone.known = false;
    zone.may_be_reset = zone.may_be_reset || sent.op == HostOp::zone_reset;
    zone.may_be_full = zone.may_be_full || sent.op == HostOp::zone_finish;
    return {no_room || (drive_.faults && request.status == Status::zone_read_only), ""};
  }
  if (sent.op == HostOp::zone_reset) zone = {.known = true, .seen = true, .life = zone.life + 1};
  if (sent.op == HostOp::zone_finish) zone.full = true;
  return {};
}

std::string ZonedWorkload::learn(const Sent& sent, const HostRequest& request) {
  std::string complaint;
  std::uint64_t number = sent.zone;
  for (const ZoneDescriptor& told : request.zones) {
    Zone& zone = zones_[number];
    if (!zone.known && zone.managed) {
      if (complaint.empty()) complaint = pointer_complaint(number, told, zone);
      const Zone had = zone;
      zone = {.conventional = told.type == ZoneType::conventional, .known = true, .seen = true, .life = had.life + 1};
      zone.offline = told.condition == ZoneCondition::offline;
      if (had.offline && !zone.offline && complaint.empty()) complaint = "zone " + std::to_string(number) + ": was offline, and is not";
      zone.usable = told.condition != ZoneCondition::read_only && told.condition != ZoneCondition::offline;
      zone.full = told.condition == ZoneCondition::full;
      zone.pointer = zone.full || zone.conventional ? 0 : told.pointer - told.start;
      zone.promised = zone.sent = zone.full ? drive_.zone_blocks : zone.pointer;
      zone.durable = had.cut ? zone.promised : std::min(had.durable, zone.promised);
    }
    ++number;
  }
  if (number == sent.zone) {
    for (Zone& zone : zones_) zone.managed = zone.managed && zone.known;
    if (!ok(request.status)) return "";
    complaint = "a report of zones without any";
  }
  return complaint;
}

/// Whether the pointer lies where it may.
std::string ZonedWorkload::pointer_complaint(std::uint64_t number, const ZoneDescriptor& zone, const Zone& had) const {
  if (zone.start.value() != number * drive_.zone_blocks || zone.blocks != drive_.zone_blocks)
    return "zone " + std::to_string(number) + ": reported at block " + std::to_string(zone.start.value());
  if (zone.type == ZoneType::conventional || drive_.faults || !had.seen) return "";
  const bool full = zone.condition == ZoneCondition::full;
  const std::uint64_t pointer = full ? drive_.zone_blocks : zone.pointer - zone.start;
  const std::uint64_t promised = drive_.may_forget ? had.durable : had.promised;
  const std::uint64_t least = drive_.anywhere && (drive_.may_forget || had.may_be_reset) ? 0 : promised;
  if ((had.may_be_reset && pointer == 0) || (had.may_be_full && full)) return "";
  if (pointer >= least && pointer <= std::max(had.sent, had.promised)) return "";
  if (had.full && full) return "";
  return "zone " + std::to_string(number) + ": the write pointer is at block " + std::to_string(pointer) + "; " +
         std::to_string(had.durable) + " blocks were flushed, " + std::to_string(had.promised) + " acknowledged and " +
         std::to_string(had.sent) + " sent";
}

}  // namespace tessera
