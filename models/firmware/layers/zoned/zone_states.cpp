#include "firmware/layers/zoned/zone_states.hpp"

#include <algorithm>

namespace tessera::zoned {

ZoneStates::ZoneStates(MemoryPort& memory, CpuPort& cpu, std::uint32_t zones, std::uint32_t zone_sectors, ZoneLimits limits)
    : zone_sectors_(zone_sectors),
      limits_(limits),
      cpu_(cpu),
      states_(memory, MemoryCategory::metadata, zones, "states of the zones"),
      open_gauge_(cpu, {"zones.open", "1", "sequential zones that are open"}, 0),
      active_gauge_(cpu, {"zones.active", "1", "sequential zones that are open or closed"}, 0) {}

void ZoneStates::enter(std::uint32_t zone, Condition to) {
  ZoneState& state = states_.write(zone);
  const auto from = static_cast<Condition>(state.condition);
  state.condition = static_cast<std::uint32_t>(to);
  if (from == Condition::implicitly_open && to != from) std::erase(implicitly_open_, zone);
  if (to == Condition::implicitly_open && to != from) implicitly_open_.push_back(zone);
  open_ += (open(to) ? 1 : 0) - (open(from) ? 1 : 0);
  active_ += (active(to) ? 1 : 0) - (active(from) ? 1 : 0);
  open_gauge_.set(open_);
  active_gauge_.set(active_);
}

void ZoneStates::close(std::uint32_t zone) { enter(zone, states_.read(zone).accepted == 0 ? Condition::empty : Condition::closed); }

/// The one that was written to the longest time ago; the standard leaves the choice to the drive.
std::optional<std::uint32_t> ZoneStates::oldest_implicitly_open() const {
  cpu_.scan(implicitly_open_.size());
  const auto oldest = std::ranges::min_element(implicitly_open_, {}, [this](std::uint32_t zone) { return states_.peek(zone).last_write; });
  if (oldest == implicitly_open_.end()) return std::nullopt;
  return *oldest;
}

/// For one more open zone, which is empty or closed now.
Status ZoneStates::make_room(std::uint32_t zone) {
  const Condition condition = static_cast<Condition>(states_.read(zone).condition);
  if (condition == Condition::empty && active_ >= limits_.active) return Status::no_zone_resources;
  if (open_ < limits_.open) return Status::ok;
  const std::optional<std::uint32_t> oldest = oldest_implicitly_open();
  if (!oldest) return Status::no_zone_resources;
  close(*oldest);
  ++closed_for_others_;
  return Status::ok;
}

Status ZoneStates::admit_write(std::uint32_t zone, std::uint32_t first, std::uint32_t count, bool whole) {
  const ZoneState state = states_.read(zone);
  const auto condition = static_cast<Condition>(state.condition);
  if (condition == Condition::offline) return Status::zone_offline;
  if (condition == Condition::read_only) return Status::zone_read_only;
  if (count > zone_sectors_ - first) return Status::write_boundary;
  if (condition == Condition::full) return Status::invalid_field;
  if (!whole || first != state.accepted) return Status::unaligned_write;
  if (!open(condition)) {
    const Status room = make_room(zone);
    if (!ok(room)) return room;
    enter(zone, Condition::implicitly_open);
  }
  ZoneState& written = states_.write(zone);
  written.accepted += count;
  written.last_write = ++writes_;
  if (written.accepted == zone_sectors_) enter(zone, Condition::full);
  return Status::ok;
}

/// A full zone is open again, whatever the limits: the host has its place in it already.
void ZoneStates::withdraw(std::uint32_t zone, std::uint32_t first) {
  ZoneState& state = states_.write(zone);
  const std::uint32_t back = std::max(state.written, first);
  if (back >= state.accepted) return;
  state.accepted = back;
  if (static_cast<Condition>(state.condition) == Condition::full) enter(zone, Condition::implicitly_open);
}

void ZoneStates::fail(std::uint32_t zone) {
  ZoneState& state = states_.write(zone);
  state.accepted = state.written;
  enter(zone, Condition::read_only);
}

Status ZoneStates::admit(HostOp op, std::uint32_t zone) {
  const auto condition = static_cast<Condition>(states_.read(zone).condition);
  if (condition == Condition::offline) return Status::zone_offline;
  if (condition == Condition::read_only) return Status::zone_read_only;
  const bool opens = op == HostOp::zone_open || op == HostOp::zone_finish;
  if (!opens || (condition != Condition::empty && condition != Condition::closed)) return Status::ok;
  return make_room(zone);
}

void ZoneStates::apply(HostOp op, std::uint32_t zone) {
  const auto condition = static_cast<Condition>(states_.read(zone).condition);
  switch (op) {
    case HostOp::zone_open:
      if (condition != Condition::full) enter(zone, Condition::explicitly_open);
      return;
    case HostOp::zone_close:
      if (open(condition)) close(zone);
      return;
    case HostOp::zone_finish:
      enter(zone, Condition::full);
      states_.write(zone).accepted = zone_sectors_;
      return;
    default: {
      enter(zone, Condition::empty);
      ZoneState& state = states_.write(zone);
      state = {.resets = state.resets + 1};
    }
  }
}

/// As with the ALL bit: OPEN opens what is closed, CLOSE closes what is open, FINISH fills what is open or closed.
bool ZoneStates::concerns(HostOp op, std::uint32_t zone) const {
  const Condition now = condition(zone);
  switch (op) {
    case HostOp::zone_open: return now == Condition::closed;
    case HostOp::zone_close: return open(now);
    case HostOp::zone_finish: return active(now);
    default: return active(now) || now == Condition::full;
  }
}

void ZoneStates::restore(std::uint32_t zone, const ZoneState& state) {
  enter(zone, Condition::empty);
  ZoneState& kept = states_.peek(zone);
  kept = state;
  kept.condition = 0;
  auto condition = static_cast<Condition>(state.condition);
  if (active(condition)) condition = state.accepted == 0 ? Condition::empty : Condition::closed;
  enter(zone, condition);
}

}  // namespace tessera::zoned
