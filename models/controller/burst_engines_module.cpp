#include "controller/burst_engines_module.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/error.hpp"
#include "bus/address_map.hpp"
#include "controller/memory_initiator_module.hpp"

namespace tessera {

namespace {

constexpr std::uint64_t next_turn = ~std::uint64_t{0};  // in place of an engine's number

void check(const BurstShape& shape, std::size_t dram) {
  constexpr std::uint64_t least = 8, most = 4096;
  const std::uint64_t burst = shape.burst.value();
  if (!std::has_single_bit(burst) || burst < least || burst > most)
    throw InputError("DramPart::bursts.burst is " + std::to_string(burst) + " B; expected a power of two from " + std::to_string(least) +
                     " to " + std::to_string(most) + ", such as 64");
  if (shape.under_way == 0) throw InputError("DramPart::bursts.under_way is 0; expected at least 1");
  if (dram % burst != 0)
    throw InputError("DramPart::bursts.burst is " + std::to_string(burst) + " B; expected one that divides the DRAM's " +
                     std::to_string(dram) + " B");
}

}  // namespace

BurstEnginesModule::BurstEnginesModule(sc_core::sc_module_name name, TimelineModule& drive, const BurstShape& shape,
                                       std::span<std::byte> bytes)
    : sc_core::sc_module(name),
      drive_(drive),
      initiator_("bus", drive, *this),
      bus(initiator_.socket),
      shape_(shape),
      bytes_(bytes),
      scratch_(shape.burst.value()) {
  check(shape, bytes.size());
}

BurstEnginesModule::Engine& BurstEnginesModule::engine_of(BusInitiator which) {
  const auto number = static_cast<std::size_t>(which);
  while (engines_.size() <= number) engines_.emplace_back();
  return engines_[number];
}

std::uint64_t BurstEnginesModule::begin(const DmaExtent& extent) {
  TESSERA_CHECK(extent.bytes > Bytes(0), "an extent of no length");
  Engine& engine = engine_of(extent.engine);
  const std::uint64_t burst = shape_.burst.value();
  const std::uint64_t first = extent.address.value() / burst * burst;
  const std::uint64_t end = extent.address.value() + extent.bytes.value();
  if (engine.extents.empty()) most_at_work_ = std::max(most_at_work_, ++at_work_);
  engine.behind = Bytes(0);
  engine.extents.push_back({.extent = extent, .first = first, .bursts = (end - first + burst - 1) / burst, .number = ++engine.begun});
  pump();
  return engine.begun;
}

/// What the engine may have moved by now, of an extent whose device is still at it.
Bytes BurstEnginesModule::movable(const DmaExtent& extent) const {
  if (extent.passing == Picoseconds(0)) return extent.bytes;
  const Picoseconds now = drive_.timeline().now();
  Bytes bytes = extent.ahead;
  if (now > extent.from)
    bytes += Bytes(scale_rounded(extent.bytes.value(), std::min(now - extent.from, extent.passing).value(), extent.passing.value()));
  return std::min(bytes, extent.bytes + extent.ahead);
}

/// By how much of that it is behind.
void BurstEnginesModule::note_lag(Engine& engine, const Moved& moved) const {
  if (moved.number != engine.begun || moved.extent.passing == Picoseconds(0)) return;
  const Bytes here = movable(moved.extent), done = shape_.burst * moved.answered;
  if (here > done) engine.behind = std::max(engine.behind, here - done);
}

Bytes BurstEnginesModule::passed(BusInitiator which) {
  Engine& engine = engine_of(which);
  if (!engine.extents.empty() && engine.extents.back().number == engine.begun) {
    note_lag(engine, engine.extents.back());
    engine.extents.back().extent.passing = Picoseconds(0);
    pump();
  }
  return engine.behind;
}

void BurstEnginesModule::dropped(BusInitiator which) {
  Engine& engine = engine_of(which);
  if (engine.extents.empty() || engine.extents.back().number != engine.begun) return;
  engine.extents.back().bursts = engine.extents.back().sent;
  settle(engine);
}

bool BurstEnginesModule::done(BusInitiator which, std::uint64_t number, TimelineListener& listener, std::uint64_t argument,
                              Picoseconds earliest) {
  Engine& engine = engine_of(which);
  if (engine.extents.empty() || number < engine.extents.front().number) return true;
  engine.waiters.push_back({number, &listener, argument, earliest});
  return false;
}

void BurstEnginesModule::withdraw(const TimelineListener& listener) {
  for (Engine& engine : engines_) std::erase_if(engine.waiters, [&listener](const Waiter& waiter) { return waiter.listener == &listener; });
}

/// The engines take turns, a burst each. An answer within a call comes here again, and finds the loop at work.
void BurstEnginesModule::pump() {
  if (std::exchange(pumping_, true)) return;
  for (bool sent = true; sent;) {
    sent = false;
    for (std::size_t which = 0; which < engines_.size(); ++which) sent = send_next(which) || sent;
  }
  pumping_ = false;
}

bool BurstEnginesModule::send_next(std::size_t which) {
  Engine& engine = engines_[which];
  if (engine.under_way == shape_.under_way) return false;
  const auto next = std::ranges::find_if(engine.extents, [](const Moved& moved) { return moved.sent < moved.bursts; });
  if (next == engine.extents.end() || waits_for_device(which, *next)) return false;
  send(engine, *next);
  return true;
}

/// Whether it does: then the next turn is when the device has come far enough for some bursts at once, as behind a FIFO's mark.
bool BurstEnginesModule::waits_for_device(std::size_t which, const Moved& moved) {
  constexpr std::uint64_t mark = 256;  // bytes, half of the smallest controller.disk_fifo
  const DmaExtent& extent = moved.extent;
  const Picoseconds now = drive_.timeline().now();
  const std::uint64_t burst = shape_.burst.value();
  const Bytes some(std::max(burst, std::min(burst * shape_.under_way, mark)));
  const Bytes needed = std::min(extent.bytes, shape_.burst * moved.sent + some);
  if (movable(extent) >= needed) return false;
  const Picoseconds due =
      extent.from + Picoseconds(scale_rounded(extent.passing.value(), (needed - extent.ahead).value(), extent.bytes.value()));
  Picoseconds& alarm = engines_[which].alarm;
  const bool set = alarm >= now && alarm <= due && alarm != Picoseconds(0);
  if (set) return true;
  alarm = std::max(due, now + Picoseconds(1));
  drive_.timeline().post(alarm, *this, which);
  return true;
}

void BurstEnginesModule::send(Engine& engine, Moved& moved) {
  auto& payload = payloads_.take();
  const std::uint64_t place = moved.first + shape_.burst.value() * moved.sent++;
  payload.set_command(moved.extent.access == Access::read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  payload.set_address(address_map::dram + place);
  set_data(payload, bytes_.empty() ? scratch_.data() : bytes_.data() + place, shape_.burst.value());
  payload.extension.transfer = {moved.extent.engine, DramAddress(place), shape_.burst, moved.extent.access};
  payload.extension.number = moved.number;
  payload.extension.sent = drive_.timeline().now();
  ++bursts_;
  ++engine.under_way;
  most_under_way_ = std::max(most_under_way_, ++under_way_);
  initiator_.send(payload);  // which may be answered in this call
}

void BurstEnginesModule::answered(tlm::tlm_generic_payload& payload) {
  TESSERA_CHECK(payload.is_response_ok(), "the DRAM answered a burst with an error");
  const auto& burst = static_cast<PayloadPool<BurstExtension>::Payload&>(payload).extension;
  Engine& engine = engine_of(burst.transfer.engine);
  const auto moved = std::ranges::find(engine.extents, burst.number, &Moved::number);
  TESSERA_CHECK(moved != engine.extents.end(), "a burst of an extent that has ended was answered");
  latency_ += drive_.timeline().now() - burst.sent;
  --under_way_;
  --engine.under_way;
  note_lag(engine, *moved);
  ++moved->answered;
  settle(engine);
  if (pumping_ || at_work_ == 0 || std::exchange(turn_posted_, true)) return;
  drive_.timeline().post(drive_.timeline().now(), *this, next_turn);
}

/// Extents end in order, and with each of them who waits for it.
void BurstEnginesModule::settle(Engine& engine) {
  if (engine.extents.empty()) return;
  while (!engine.extents.empty() && engine.extents.front().answered == engine.extents.front().bursts) engine.extents.pop_front();
  if (engine.extents.empty()) --at_work_;
  const std::uint64_t ended = engine.extents.empty() ? engine.begun : engine.extents.front().number - 1;
  std::erase_if(engine.waiters, [&](const Waiter& waiter) {
    if (waiter.number > ended) return false;
    drive_.timeline().post(std::max(drive_.timeline().now(), waiter.earliest), *waiter.listener, waiter.argument);
    return true;
  });
}

void BurstEnginesModule::on_time(std::uint64_t argument) {
  if (argument == next_turn)
    turn_posted_ = false;
  else
    engines_[argument].alarm = Picoseconds(0);
  pump();
}

void BurstEnginesModule::power_off() {
  drive_.timeline().withdraw(*this);
  initiator_.power_off();
  engines_.clear();
  under_way_ = at_work_ = 0;
  turn_posted_ = false;
}

void BurstEnginesModule::report(MetricSet& metrics) const {
  metrics.count("traffic.bursts", static_cast<double>(bursts_), "1", "bursts of DMA engines to the DRAM");
  metrics.add("traffic.under_way.peak", most_under_way_, "1", "most bursts under way at once");
  metrics.add("traffic.engines.peak", most_at_work_, "1", "most DMA engines with an extent on its way to or from the DRAM at once");
  metrics.add("traffic.latency.mean", bursts_ == 0 ? 0 : static_cast<double>(latency_.value()) * 1e-3 / static_cast<double>(bursts_), "ns",
              "mean time from a burst's turn to its answer");
}

}  // namespace tessera
