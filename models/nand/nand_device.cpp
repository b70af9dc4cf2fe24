#include "nand/nand_device.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"

namespace tessera {

NandPlace place_of(NandBlock block, const NandConfig& config) {
  const auto unit = static_cast<std::uint32_t>(block.value() % config.total_planes());
  const std::uint32_t die = unit % config.total_dies();
  return {.channel = die % config.channels, .die = die, .plane = unit / config.total_dies()};
}

NandDevice::NandDevice(const NandConfig& config, std::uint32_t kept, std::uint64_t seed, Timeline& timeline, NandClient& client)
    : config_(config),
      array_(config, kept, seed),
      timeline_(timeline),
      client_(client),
      planes_(config.total_planes()),
      dies_(config.total_dies()),
      channels_(config.channels) {
  TESSERA_CHECK(config.planes <= max_planes, "a die has too many planes");
  for (std::uint32_t die = 0; die < dies_.size(); ++die) die_signals_.emplace_back(signals_.part("die_" + std::to_string(die)));
  for (std::uint32_t channel = 0; channel < channels_.size(); ++channel)
    channel_busy_.push_back(signals_.bit("channel_" + std::to_string(channel) + "_busy"));
}

void NandDevice::show(const Operation& operation) const {
  const DieSignals& die = die_signals_[operation.place.die];
  const bool erases = operation.kind == Kind::erase;
  const NandBlock block = erases ? NandBlock(operation.address) : array_.block_of(NandPage(operation.address));
  die.block.set(block.value(), timeline_.now());
  if (!erases) die.page.set(operation.address, timeline_.now());
  die.tag.set(operation.command->tag, timeline_.now());
}

FlashShape NandDevice::shape() const {
  return {.blocks = config_.blocks,
          .pages_per_block = config_.pages_per_block,
          .oob_bytes = static_cast<std::uint32_t>(config_.oob_size.value()),
          .page_bytes = static_cast<std::uint32_t>(config_.page_size.value()),
          .read_retries = config_.read_retries,
          .paired_pages = config_.paired_page,
          .subpages = config_.subpages};
}

void NandDevice::submit(FlashCommand& command, Picoseconds now, void* context) {
  TESSERA_CHECK(now >= timeline_.now(), "a flash command was submitted in the past");
  const bool erases = command.op == FlashOp::erase;
  const NandBlock block = erases ? command.block : array_.block_of(command.page);
  TESSERA_CHECK(block.value() < array_.blocks(), "a flash address lies outside the array");
  const std::uint32_t slot = take_slot();
  Operation& operation = slots_[slot];
  operation.command = &command;
  operation.context = context;
  operation.kind = erases ? Kind::erase : command.op == FlashOp::program ? Kind::program : Kind::read;
  operation.place = place_of(block, config_);
  operation.address = erases ? command.block.value() : command.page.value();
  operation.retry = operation.kind == Kind::read ? command.retry : std::uint8_t{0};
  operation.busy = array_time(operation.kind, operation.retry) + bus_time(command);
  operation.next = none;
  depth_.set(++outstanding_, now);
  if (now > timeline_.now())
    post(now, Action::arrive, slot);
  else
    enqueue(slot);
}

void NandDevice::on_time(std::uint64_t argument) {
  const auto index = static_cast<std::uint32_t>(argument >> 2);
  switch (static_cast<Action>(argument & 3)) {
    case Action::arrive: return enqueue(index);
    case Action::transferred: return transferred(index);
    case Action::array_ended: return array_ended(index);
  }
}

void NandDevice::post(Picoseconds when, Action action, std::uint32_t index) {
  timeline_.post(when, *this, std::uint64_t{index} << 2 | static_cast<std::uint64_t>(action));
}

std::uint32_t NandDevice::take_slot() {
  if (free_slot_ == none) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  return std::exchange(free_slot_, slots_[free_slot_].next);
}

void NandDevice::enqueue(std::uint32_t slot) {
  Operation& operation = slots_[slot];
  operation.order = accepted_++;
  Plane& queue = plane(operation.place.die, operation.place.plane);
  if (queue.head != none) {
    slots_[queue.tail].next = slot;
    queue.tail = slot;
    return;
  }
  queue.head = queue.tail = slot;
  const Die& die = dies_[operation.place.die];
  if (die.running == 0 || may_join(die, operation.kind, operation.retry)) start(slot);
}

bool NandDevice::may_join(const Die& die, Kind kind, std::uint8_t retry) const {
  if (kind != die.kind || retry != die.retry || die.state == DieState::unloading) return false;
  if (die.state == DieState::loading) return true;
  const bool needs_loading = kind == Kind::program && config_.bus_rate != BytesPerSecond(0);
  return die.array_begin == timeline_.now() && !needs_loading;
}

void NandDevice::start_group(std::uint32_t index) {
  for (Die& die = dies_[index];;) {
    std::uint32_t oldest = none;
    for (std::uint32_t p = 0; p < config_.planes; ++p) {
      const Plane& candidate = plane(index, p);
      if (candidate.head == none || candidate.running) continue;
      const Operation& head = slots_[candidate.head];
      if (die.running > 0 && (head.kind != die.kind || head.retry != die.retry)) continue;
      if (oldest == none || slots_[candidate.head].order < slots_[oldest].order) oldest = candidate.head;
    }
    if (oldest == none) return;
    start(oldest);
  }
}

void NandDevice::start(std::uint32_t slot) {
  const Operation& operation = slots_[slot];
  Die& die = dies_[operation.place.die];
  plane(operation.place.die, operation.place.plane).running = true;
  if (die_signals_[operation.place.die].state.watched()) [[unlikely]]
    show(operation);
  if (die.running++ == 0) {
    die.kind = operation.kind;
    die.retry = operation.retry;
    die.busy_since = timeline_.now();
  }
  if (operation.kind == Kind::program && config_.bus_rate != BytesPerSecond(0)) {
    ++die.loading;
    set_state(operation.place.die, DieState::loading);
    transfer(slot);
  } else if (die.running == 1) {
    begin_array(operation.place.die);
  }
}

void NandDevice::begin_array(std::uint32_t index) {
  Die& die = dies_[index];
  die.array_begin = timeline_.now();
  set_state(index, die.kind == Kind::read ? DieState::reading : die.kind == Kind::program ? DieState::programming : DieState::erasing);
  post(timeline_.now() + array_time(die.kind, die.retry), Action::array_ended, index);
}

void NandDevice::array_ended(std::uint32_t index) {
  std::array<Completion, max_planes> completions;
  std::size_t completed = 0;
  for (std::uint32_t p = 0; p < config_.planes; ++p) {
    if (!plane(index, p).running) continue;
    const std::uint32_t slot = plane(index, p).head;
    if (slots_[slot].kind == Kind::read && bus_time(*slots_[slot].command) > Picoseconds(0)) {
      set_state(index, DieState::unloading);
      transfer(slot);
    } else {
      completions[completed++] = finish(slot);
    }
  }
  end_group(index);
  for (const Completion& completion : std::span(completions).first(completed))
    client_.done(*completion.command, completion.context, completion.busy, timeline_.now());
}

void NandDevice::transferred(std::uint32_t slot) {
  const NandPlace place = slots_[slot].place;
  if (--channels_[place.channel].transfers == 0) set_busy(place.channel, false);
  if (slots_[slot].kind == Kind::program) {
    if (--dies_[place.die].loading == 0) begin_array(place.die);
    return;
  }
  const Completion completion = finish(slot);
  end_group(place.die);
  client_.done(*completion.command, completion.context, completion.busy, timeline_.now());
}

void NandDevice::transfer(std::uint32_t slot) {
  // Requests come in order of time, so granting each the first free time is first-come arbitration.
  const Operation& operation = slots_[slot];
  Channel& channel = channels_[operation.place.channel];
  const Picoseconds length = bus_time(*operation.command);
  channel.free = std::max(channel.free, timeline_.now()) + length;
  channel.busy += length;
  counters_.transferred += transfer_size(*operation.command);
  if (channel.transfers++ == 0) set_busy(operation.place.channel, true);
  post(channel.free, Action::transferred, slot);
}

/// A page is programmed whole, with what fills it up; of a page that is read only the subpages cross that were asked for.
Bytes NandDevice::transfer_size(const FlashCommand& command) const {
  std::uint64_t subpages = 0;
  for (const FlashCommand* part = &command; part != nullptr; part = part->next) ++subpages;
  switch (command.op) {
    case FlashOp::read: return (config_.subpage_size() + config_.subpage_oob()) * subpages;
    case FlashOp::program: return config_.page_size + config_.oob_size;
    case FlashOp::read_oob: return config_.subpage_oob() * subpages;
    case FlashOp::erase: break;
  }
  return Bytes(0);
}

Picoseconds NandDevice::bus_time(const FlashCommand& command) const {
  return config_.bus_rate == BytesPerSecond(0) ? Picoseconds(0) : transfer_time(transfer_size(command), config_.bus_rate);
}

Picoseconds NandDevice::array_time(Kind kind, std::uint8_t retry) const {
  return kind == Kind::read      ? config_.read_time + config_.read_retry_time * retry
         : kind == Kind::program ? config_.program_time
                                 : config_.erase_time;
}

void NandDevice::perform(FlashCommand& command) {
  switch (command.op) {
    case FlashOp::read:
    case FlashOp::read_oob: read(command); break;
    case FlashOp::program: program(command); break;
    case FlashOp::erase:
      command.status = array_.erase(command.block);
      ++counters_.erases;
      break;
  }
  for (const FlashCommand* part = &command; part != nullptr; part = part->next) {
    counters_.read_failures += part->status == Status::media_error;
    counters_.program_failures += part->status == Status::program_failed;
    counters_.erase_failures += part->status == Status::erase_failed;
    counters_.rule_violations += part->status == Status::rule_violation;
  }
}

void NandDevice::read(FlashCommand& command) {
  const bool with_data = command.op == FlashOp::read;
  for (FlashCommand* part = &command; part != nullptr; part = part->next) {
    const Subpage subpage(part->page, part->subpage);
    const ContentSpan content = with_data ? content_of(part->data) : ContentSpan();
    part->status = part == &command ? array_.read(subpage, content, part->oob, command.retry, timeline_.now())
                                    : array_.read_along(subpage, content, part->oob, command.retry, timeline_.now());
    if (!with_data) continue;
    clear_lost(part->data);
    if (part->data.buffer != nullptr && (part->status == Status::media_error || part->status == Status::lost))
      part->data.buffer->mark_lost(part->data.first);
  }
  ++(with_data ? counters_.reads : counters_.oob_reads);
  counters_.retries += command.retry != 0;
}

void NandDevice::program(FlashCommand& command) {
  const Subpage first(command.page, command.subpage);
  command.status = array_.program(first, content_of(command.data), command.oob, any_lost(command.data), timeline_.now());
  std::uint64_t padding = config_.subpages - 1;
  for (FlashCommand* part = command.next; part != nullptr; part = part->next) {
    part->status = command.status;
    --padding;
    if (ok(command.status)) array_.program_along({part->page, part->subpage}, content_of(part->data), part->oob, any_lost(part->data));
  }
  ++counters_.programs;
  counters_.padding += padding;
}

NandDevice::Completion NandDevice::finish(std::uint32_t slot) {
  Operation& operation = slots_[slot];
  Plane& queue = plane(operation.place.die, operation.place.plane);
  queue.head = operation.next;
  queue.running = false;
  --dies_[operation.place.die].running;
  depth_.set(--outstanding_, timeline_.now());
  operation.next = std::exchange(free_slot_, slot);
  perform(*operation.command);
  return {operation.command, operation.context, operation.busy};
}

void NandDevice::end_group(std::uint32_t index) {
  Die& die = dies_[index];
  if (die.running > 0) return;
  die.busy += timeline_.now() - die.busy_since;
  start_group(index);
  if (die.running == 0) set_state(index, DieState::idle);
}

void NandDevice::set_state(std::uint32_t index, DieState state) {
  if (dies_[index].state == state) return;
  dies_[index].state = state;
  die_signals_[index].state.set(static_cast<std::uint64_t>(state), timeline_.now());
  if (observer_ != nullptr) observer_->die_changed(index, state, timeline_.now());
}

void NandDevice::set_busy(std::uint32_t channel, bool busy) {
  channel_busy_[channel].set(busy, timeline_.now());
  if (observer_ != nullptr) observer_->channel_changed(channel, busy, timeline_.now());
}

Picoseconds NandDevice::busy_until(const Die& die, Picoseconds now) {
  return die.running > 0 ? die.busy + (now - die.busy_since) : die.busy;
}

Picoseconds NandDevice::busy_until(const Channel& channel, Picoseconds now) {
  return channel.free > now ? channel.busy - (channel.free - now) : channel.busy;  // transfers follow each other without a gap
}

void NandDevice::cut(Picoseconds now) {
  timeline_.withdraw(*this);
  for (std::uint32_t d = 0; d < dies_.size(); ++d) {
    Die& die = dies_[d];
    for (std::uint32_t p = 0; p < config_.planes; ++p) {
      Plane& queue = plane(d, p);
      if (queue.running && (die.state == DieState::programming || die.state == DieState::erasing)) {
        const std::uint64_t address = slots_[queue.head].address;
        if (die.state == DieState::programming)
          array_.tear_program(NandPage(address));
        else
          array_.tear_erase(NandBlock(address));
        ++counters_.torn;
      }
      queue = Plane();
    }
    die.busy = busy_until(die, now);
    die.running = die.loading = 0;
    set_state(d, DieState::idle);
  }
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    Channel& channel = channels_[c];
    channel.busy = busy_until(channel, now);
    channel.free = now;
    if (std::exchange(channel.transfers, 0) > 0) set_busy(c, false);
  }
  slots_.clear();
  free_slot_ = none;
  outstanding_ = 0;
  depth_.replace(0, now);
}

}  // namespace tessera
