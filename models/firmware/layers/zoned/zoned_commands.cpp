// zoned: what the host asks of its zones.
#include <algorithm>

#include "firmware/layers/zoned/zoned_layer.hpp"

namespace tessera::zoned {

namespace {

ZoneCondition shown(Condition condition) {
  switch (condition) {
    case Condition::empty: return ZoneCondition::empty;
    case Condition::implicitly_open: return ZoneCondition::implicitly_open;
    case Condition::explicitly_open: return ZoneCondition::explicitly_open;
    case Condition::closed: return ZoneCondition::closed;
    case Condition::full: return ZoneCondition::full;
    case Condition::read_only: return ZoneCondition::read_only;
    case Condition::offline: break;
  }
  return ZoneCondition::offline;
}

}  // namespace

ZoneDescriptor Zoned::describe(std::uint32_t zone) const {
  ZoneDescriptor descriptor;
  descriptor.start = HostBlock(zone * zone_blocks());
  descriptor.blocks = zone_blocks();
  if (zone < conventional_) return descriptor;
  const ZoneState& state = states_.state(zone - conventional_);
  descriptor.type = ZoneType::sequential_write_required;
  descriptor.condition = shown(static_cast<Condition>(state.condition));
  descriptor.pointer = descriptor.start + std::uint64_t{state.accepted} * per_sector_;
  return descriptor;
}

std::vector<ReadDoubt> Zoned::in_doubt() const {
  std::vector<ReadDoubt> doubts;
  for (std::uint32_t zone = 0; zone < states_.zones(); ++zone) {
    const KeptZone& kept = ledger_.peek(zone);
    if (kept.doubt_count == 0) continue;
    const HostBlock first((conventional_ + zone) * zone_blocks() + std::uint64_t{kept.doubt_first} * per_sector_);
    ReadDoubt& doubt = doubts.emplace_back(ReadDoubt{{first, kept.doubt_count * per_sector_}, {}});
    for (std::uint32_t done = 0; done < kept.doubt_count; done += doubt.places.back().count)
      doubt.places.push_back(layout_.locate(zone, kept.doubt_first + done, kept.doubt_count - done));
  }
  return doubts;
}

/// Below the pointer, and inside one zone, where reads are restricted. A full zone has no pointer: what finishing it left out is zeros.
Status Zoned::admit_read(HostRun blocks) {
  const std::uint64_t sequential = conventional_ * zone_blocks();
  if (config_.unrestricted_reads || blocks.end().value() <= sequential) return Status::ok;
  Status status = Status::ok;
  if (blocks.first.value() < sequential || blocks.first.value() / zone_blocks() != (blocks.end().value() - 1) / zone_blocks()) {
    status = Status::read_boundary;
  } else {
    const auto zone = static_cast<std::uint32_t>(blocks.first.value() / zone_blocks());
    const ZoneDescriptor descriptor = describe(zone);
    if (descriptor.condition == ZoneCondition::offline)
      status = Status::zone_offline;
    else if (descriptor.condition != ZoneCondition::full && blocks.end() > descriptor.pointer)
      status = Status::invalid_read;
  }
  count(status);
  return status;
}

Status Zoned::admit_write(HostRun blocks) {
  const std::uint64_t sequential = conventional_ * zone_blocks();
  Status status = Status::ok;
  if (blocks.first.value() < sequential) {
    if (blocks.end().value() > sequential) status = Status::write_boundary;
  } else {
    const std::uint64_t at = blocks.first.value() - sequential;
    const std::uint64_t first = at % zone_blocks();
    const bool whole = first % per_sector_ == 0 && blocks.count % per_sector_ == 0;
    const std::uint64_t sectors = (first % per_sector_ + blocks.count + per_sector_ - 1) / per_sector_;
    status = states_.admit_write(static_cast<std::uint32_t>(at / zone_blocks()), static_cast<std::uint32_t>(first / per_sector_),
                                 static_cast<std::uint32_t>(sectors), whole);
  }
  count(status);
  return status;
}

void Zoned::withdraw(HostRun blocks) {
  const std::uint64_t sequential = conventional_ * zone_blocks();
  if (blocks.first.value() < sequential) return;
  const std::uint64_t at = blocks.first.value() - sequential;
  const auto zone = static_cast<std::uint32_t>(at / zone_blocks());
  const auto first = static_cast<std::uint32_t>(at % zone_blocks() / per_sector_);
  states_.withdraw(zone, cache_ == nullptr ? first : std::max(first, cache_->entered(zone)));
  if (cache_ == nullptr)
    writer_.drop(zone, states_.state(zone).accepted);
  else
    cache_->drop(zone, states_.state(zone).accepted);
}

bool Zoned::concerns(HostOp op, std::uint32_t zone) const { return zone >= conventional_ && states_.concerns(op, zone - conventional_); }

/// What the cache has of a zone is written before the zone is full, and dropped once it is reset for good.
Task<Status> Zoned::manage(HostOp op, std::uint32_t number) {
  if (cache_ == nullptr || number < conventional_) co_return co_await change(op, number);
  const std::uint32_t zone = number - conventional_;
  if (op == HostOp::zone_close) cache_->urge(zone);
  if (op == HostOp::zone_finish) co_await cache_->settle(zone);
  if (op == HostOp::zone_reset) co_await cache_->hold(zone);
  const Status status = co_await change(op, number);
  if (op == HostOp::zone_reset) cache_->release(zone);
  co_return status;
}

/// What must outlive a power cut is in the log before it is so: a reset, and a zone that is full although it is not all written.
Task<Status> Zoned::change(HostOp op, std::uint32_t number) {
  Status status = Status::invalid_field;
  if (number >= conventional_) status = states_.admit(op, number - conventional_);
  count(status);
  if (!ok(status)) co_return status;
  const std::uint32_t zone = number - conventional_;
  const ZoneState state = states_.state(zone);
  const auto condition = static_cast<Condition>(state.condition);
  const bool resets = op == HostOp::zone_reset && condition != Condition::empty;
  const bool fills = op == HostOp::zone_finish && condition != Condition::full;
  if (resets || fills) {
    KeptZone kept{.as = static_cast<std::uint32_t>(KeptAs::empty), .resets = state.resets + 1};
    if (fills) kept = {static_cast<std::uint32_t>(KeptAs::full), state.resets, state.written, state.doubt_first, state.doubt_count};
    ports_.cpu.event({resets ? "reset" : "finish", FirmwareEvent::Edge::begin, number, state.written});
    status = co_await ledger_.append(zone, kept);
    ports_.cpu.event({resets ? "reset" : "finish", FirmwareEvent::Edge::end, number, state.written});
    if (!ok(status)) co_return status;
    ++(resets ? resets_ : finishes_);
  }
  if (resets && cache_ != nullptr) cache_->forget(zone);
  if (op != HostOp::zone_reset || resets) states_.apply(op, zone);
  co_return Status::ok;
}

}  // namespace tessera::zoned
