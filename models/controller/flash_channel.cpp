#include "controller/flash_channel.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

FlashChannel::FlashChannel(Timeline& timeline, Executor& executor, FlashLink& link, DmaPort& dma, const FlashCatalogue& catalogue,
                           const ControllerConfig& config)
    : timeline_(timeline),
      executor_(executor),
      link_(link),
      dma_(dma),
      feeder_(link),
      catalogue_(catalogue),
      bus_latency_(config.bus_latency) {}

void FlashChannel::submit(FlashBatch& batch) {
  TESSERA_CHECK(!batch.commands.empty(), "an empty flash batch was submitted");
  std::uint64_t given = 0;
  std::uint64_t commands = 0;
  std::uint64_t words = 0;
  for (const FlashCommand& command : batch.commands) {
    if (command.led) continue;
    ++given;
    for (const FlashCommand* part = &command; part != nullptr; part = part->next) {  // those that other batches left to this one, too
      ++commands;
      words += record_words(part->oob.size());
    }
  }
  executor_.charge(CpuOperation::flash_command, commands);
  executor_.charge(CpuOperation::record_word, words);
  if (programs(batch.commands.front().op)) keep_order();
  executor_.suspend_for(batch.wait, LifePhase::flash_queue, given,
                        {*this, reinterpret_cast<std::uint64_t>(&batch), bus_latency_, BusInitiator::flash});
}

/// Where two cores run the layer, one may have taken pages before the other and take longer to describe them. A block takes its pages in
/// order only, so firmware holds a lock from there to here, and the other core spins.
void FlashChannel::keep_order() {
  if (executor_.now() < programs_handed_over_) executor_.spend(programs_handed_over_ - executor_.now());
  programs_handed_over_ = executor_.now();
}

void FlashChannel::on_time(std::uint64_t argument) {
  auto& batch = *reinterpret_cast<FlashBatch*>(argument);
  batch.pending = static_cast<std::uint32_t>(std::ranges::count(batch.commands, false, &FlashCommand::led));
  batch.status = Status::ok;
  batch.submitted = batch.wait.root->since;
  batch.landed = timeline_.now();
  batch.behind = work_before(batch);
  active_.push_back(&batch);
  outstanding_ += batch.pending;
  depth_.set(outstanding_, timeline_.now());
  for (FlashCommand& command : batch.commands) {
    if (command.led) continue;
    command.tag = batch.wait.root->tag;
    start(command);
  }
}

/// Of the batches before this one the first that is not for the host. Which die each command waits for is the NAND's.
Cause FlashChannel::work_before(const FlashBatch& batch) const {
  const RequestLife* const life = batch.wait.root->life;
  if (life == nullptr) return Cause::host;
  Cause cause = Cause::host;
  for (const FlashBatch* other : active_) {
    const RootTask& root = *other->wait.root;
    if (root.work.now != Cause::host) return root.work.now;
    if (root.work.serves != life) cause = Cause::flash;
  }
  return cause;
}

void FlashChannel::start(FlashCommand& command) {
  if (!programs(command.op)) return link_.start(command);
  if (guard_ != nullptr && command.op == FlashOp::program) [[unlikely]]
    for (const FlashCommand* part = &command; part != nullptr; part = part->next) guard_->fetched(part->data);
  const FlashLane lane = catalogue_.lane_of(command);
  const Picoseconds end = dma_.flash_moves(command, lane).end;
  const Picoseconds in_step = timeline_.now() + lane.carrying;
  const Picoseconds begin = end <= in_step ? timeline_.now() : timeline_.now() + (end - in_step);
  if (dma_.in_bursts() && !dma_.flash_done(lane, feeder_, reinterpret_cast<std::uint64_t>(&command), begin)) return;
  if (begin == timeline_.now()) return link_.start(command);
  timeline_.post(begin, feeder_, reinterpret_cast<std::uint64_t>(&command));
}

void FlashChannel::command_done(FlashCommand& command, Picoseconds busy) {
  const auto at = std::find_if(active_.begin(), active_.end(), [&command](const FlashBatch* batch) {
    return !std::less<>()(&command, batch->commands.data()) && std::less<>()(&command, batch->commands.data() + batch->commands.size());
  });
  TESSERA_CHECK(at != active_.end(), "the NAND completed a command that nobody asked for");
  FlashBatch& batch = **at;
  ++commands_;
  depth_.set(--outstanding_, timeline_.now());
  if (guard_ != nullptr && command.op == FlashOp::read) [[unlikely]]
    for (const FlashCommand* part = &command; part != nullptr; part = part->next) guard_->stored(part->data);
  switch (command.op) {
    case FlashOp::read: ++served_.flash_reads; break;
    case FlashOp::read_oob: ++served_.flash_oob_reads; break;
    case FlashOp::copyback:
    case FlashOp::program: ++served_.flash_programs; break;
    case FlashOp::erase: ++served_.flash_erases; break;
  }
  for (const FlashCommand* part = &command; ok(batch.status) && part != nullptr; part = part->next) batch.status = part->status;
  const Landing landing{&batch, busy, timeline_.now()};
  if (command.op == FlashOp::read || command.op == FlashOp::read_oob) {
    const FlashLane lane = catalogue_.lane_of(command);
    batch.landed = std::max(batch.landed, dma_.flash_moves(command, lane).end);
    if (dma_.in_bursts()) [[unlikely]] {
      const std::uint64_t number = landings_.put(landing);
      if (!dma_.flash_done(lane, lander_, number, timeline_.now())) return;
      landings_.take(number);
    }
  }
  landed(landing);
}

/// A command of the batch has ended, and what it read is on its way no more.
void FlashChannel::landed(const Landing& landing) {
  FlashBatch& batch = *landing.batch;
  if (--batch.pending > 0) return;
  std::erase(active_, &batch);
  if (quiet_) return quiet_();
  batch.busy = landing.busy;
  const Picoseconds ended = std::max(timeline_.now(), batch.landed);
  if (RequestLife* life = batch.wait.root->life; life != nullptr) {
    // The critical path ends with the last command; before it, the request waited for the batch's other commands.
    const Picoseconds began = landing.ended - landing.busy;
    life->enter(LifePhase::flash, began);
    life->account(LifePhase::flash_queue, began, batch.behind);
    life->account(LifePhase::flash, ended);
  }
  executor_.interrupt(batch.wait, InterruptLine::flash, ended);
}

void FlashChannel::power_off() {
  timeline_.withdraw(*this);
  timeline_.withdraw(feeder_);
  timeline_.withdraw(lander_);
  landings_.clear();
  active_.clear();
  outstanding_ = 0;
  depth_.set(0, timeline_.now());
  quiet_ = nullptr;
}

void FlashChannel::halt(std::function<void()> quiet) {
  timeline_.withdraw(*this);
  quiet_ = std::move(quiet);
}

void FlashChannel::report(MetricSet& metrics) const {
  metrics.count("flash_channel.commands", static_cast<double>(commands_), "1", "flash commands served");
}

}  // namespace tessera
