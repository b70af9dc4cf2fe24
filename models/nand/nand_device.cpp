#include "nand/nand_device.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace tessera {

NandPlace place_of(NandBlock block, const NandConfig& config) {
  const auto unit = static_cast<std::uint32_t>(block.value() % config.total_planes());
  const std::uint32_t die = unit % config.total_dies();
  return {.channel = die % config.channels, .die = die, .plane = unit / config.total_dies()};
}

bool same_plane(NandPage from, NandPage to, const NandConfig& config) {
  const auto block_of = [&config](NandPage page) { return NandBlock(page.value() / config.pages_per_block); };
  return block_of(from).value() < config.total_blocks() && place_of(block_of(from), config) == place_of(block_of(to), config);
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

NandDevice::Kind NandDevice::kind_of(FlashOp op) {
  switch (op) {
    case FlashOp::program: return Kind::program;
    case FlashOp::erase: return Kind::erase;
    case FlashOp::copyback: return Kind::copyback;
    case FlashOp::read:
    case FlashOp::read_oob: break;
  }
  return Kind::read;
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
  operation.kind = kind_of(command.op);
  operation.place = place_of(block, config_);
  operation.address = erases ? command.block.value() : command.page.value();
  operation.from = command.from.value();
  if (operation.kind == Kind::copyback) {
    TESSERA_CHECK(config_.copyback, "the flash does not know copybacks");
    TESSERA_CHECK(same_plane(command.from, command.page, config_), "a copyback would leave its plane");
  }
  operation.retry = operation.kind == Kind::read ? command.retry : std::uint8_t{0};
  operation.phase = Phase::waiting;
  operation.moves = transfer_size(command);
  operation.loading = load_time(command.op, operation.moves);
  operation.array = reading_time(operation) + changing_time(operation);
  operation.unloading = unload_time(command.op, operation.moves);
  operation.busy = operation.loading + operation.array + operation.unloading;
  operation.next = none;
  depth_.set(++outstanding_, now);
  if (now > timeline_.now())
    post(now, Action::arrive, slot);
  else
    enqueue(slot);
}

void NandDevice::on_time(std::uint64_t argument) {
  const auto index = static_cast<std::uint32_t>(argument >> 3);
  switch (static_cast<Action>(argument & 7)) {
    case Action::arrive: return enqueue(index);
    case Action::transferred: return transferred(index);
    case Action::array_ended:
      if (dies_[index].in_array && dies_[index].array_end == timeline_.now()) array_ended(index);  // else it was suspended meanwhile
      return;
    case Action::plane_ended: return plane_ended(index);
    case Action::suspended: return suspended(index);
    case Action::resumed: return resumed(index);
    case Action::decoded: return decoded(index);
  }
}

void NandDevice::post(Picoseconds when, Action action, std::uint32_t index) {
  timeline_.post(when, *this, std::uint64_t{index} << 3 | static_cast<std::uint64_t>(action));
}

std::uint32_t NandDevice::take_slot() {
  if (free_slot_ == none) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  return std::exchange(free_slot_, slots_[free_slot_].next);
}

void NandDevice::free_slot(std::uint32_t slot) { slots_[slot].next = std::exchange(free_slot_, slot); }

/// What crossed the channel is at the die, or the die's data at the controller.
void NandDevice::crossed(std::uint32_t slot) {
  const NandPlace place = slots_[slot].place;
  if (slots_[slot].phase == Phase::loading) return loaded(slot);
  Die& die = dies_[place.die];
  const bool from_cache_register = plane(place).current != slot;
  if (from_cache_register)
    --die.unloading;
  else
    --die.running;
  const Completion completion = finish(slot);
  if (from_cache_register && die.unloading == 0 && std::exchange(die.held_back, false))
    array_ended(place.die);
  else
    next(place.die);
  tell(completion);
}

NandDevice::Completion NandDevice::finish(std::uint32_t slot) {
  Operation& operation = slots_[slot];
  Plane& of = plane(operation.place);
  if (of.current == slot) of.current = none;
  perform(*operation.command);
  counters_.reading += reading_time(operation);
  (operation.kind == Kind::erase ? counters_.erasing : counters_.programming) += changing_time(operation);
  const Picoseconds decoding = operation.kind == Kind::read ? decoding_time(*operation.command) : Picoseconds(0);
  const Completion completion{operation.command, operation.context, operation.busy + decoding, decoding, slot};
  if (decoding == Picoseconds(0)) {
    depth_.set(--outstanding_, timeline_.now());
    free_slot(slot);
  }
  return completion;
}

void NandDevice::tell(const Completion& completion) {
  if (completion.decoding > Picoseconds(0)) {
    slots_[completion.slot].phase = Phase::decoding;
    slots_[completion.slot].busy = completion.busy;
    return post(timeline_.now() + completion.decoding, Action::decoded, completion.slot);
  }
  client_.done(*completion.command, completion.context, completion.busy, timeline_.now());
}

void NandDevice::decoded(std::uint32_t slot) {
  const Operation operation = slots_[slot];
  depth_.set(--outstanding_, timeline_.now());
  free_slot(slot);
  client_.done(*operation.command, operation.context, operation.busy, timeline_.now());
}

void NandDevice::perform(FlashCommand& command) {
  switch (command.op) {
    case FlashOp::read:
    case FlashOp::read_oob: read(command); break;
    case FlashOp::program: program(command); break;
    case FlashOp::copyback: copyback(command); break;
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

void NandDevice::copyback(FlashCommand& command) {
  command.status = array_.copyback(command.from, command.page, timeline_.now());
  for (FlashCommand* part = &command; part != nullptr; part = part->next) {
    part->status = command.status;
    if (ok(command.status)) array_.replace_oob({part->page, part->subpage}, part->oob);
  }
  ++counters_.programs;
  ++counters_.copybacks;
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

Picoseconds NandDevice::busy_until(const Die& die, Picoseconds now) { return die.active ? die.busy + (now - die.busy_since) : die.busy; }

Picoseconds NandDevice::busy_until(const Channel& channel, Picoseconds now) {
  return channel.free > now ? channel.busy - (channel.free - now) : channel.busy;
}

/// What the array was doing to a page or block when the power failed, `array_left` before its end. A copyback whose page was still being
/// read leaves no trace.
void NandDevice::tear(std::uint32_t slot, Picoseconds array_left) {
  const Operation& operation = slots_[slot];
  if (operation.kind == Kind::read) return;
  if (operation.kind == Kind::copyback && array_left > changing_time(operation)) return;
  if (programs(operation.kind))
    array_.tear_program(NandPage(operation.address));
  else
    array_.tear_erase(NandBlock(operation.address));
  ++counters_.torn;
}

void NandDevice::cut(Picoseconds now) {
  timeline_.withdraw(*this);
  for (std::uint32_t d = 0; d < dies_.size(); ++d) {
    const Die& die = dies_[d];
    for (std::uint32_t p = 0; p < config_.planes; ++p) {
      Plane& of = plane(d, p);
      if (of.current != none && die.loading == 0) tear(of.current, die.in_array ? die.array_end - now : die.remaining);
      if (of.held != none) tear(of.held, die.remaining);
      of = Plane();
    }
    const Picoseconds busy = busy_until(die, now);
    set_state(d, DieState::idle);
    dies_[d] = Die();
    dies_[d].busy = busy;
  }
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    const Picoseconds busy = busy_until(channels_[c], now);
    if (channels_[c].taken) set_busy(c, false);
    channels_[c] = Channel();
    channels_[c].busy = busy;
  }
  slots_.clear();
  free_slot_ = none;
  outstanding_ = 0;
  depth_.replace(0, now);
}

// --- Figures ---

namespace {

double millijoules(Picojoules energy) { return static_cast<double>(energy.value()) * 1e-9; }

}  // namespace

Picojoules NandDevice::energy_of(FlashOp op) const {
  switch (op) {
    case FlashOp::read:
    case FlashOp::read_oob: return tessera::energy(config_.read_power, counters_.reading);
    case FlashOp::copyback:
    case FlashOp::program: return tessera::energy(config_.program_power, counters_.programming);
    case FlashOp::erase: break;
  }
  return tessera::energy(config_.erase_power, counters_.erasing);
}

double NandDevice::energy(Picoseconds now) const {
  const LongTime whole = rested_ + now;
  const LongTime::Rep standby = long_energy(config_.standby_power, whole) * config_.total_dies();
  const Picojoules work = energy_of(FlashOp::read) + energy_of(FlashOp::program) + energy_of(FlashOp::erase);
  return static_cast<double>(work.value() + wide_product(config_.bus_energy_per_byte.value(), counters_.transferred.value()) + standby);
}

void NandDevice::report(MetricSet& metrics, Picoseconds now) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* description) {
    metrics.count(name, static_cast<double>(value), "1", description);
  };
  count("nand.reads", counters_.reads, "pages read");
  count("nand.oob_reads", counters_.oob_reads, "out-of-band areas read alone");
  count("nand.programs", counters_.programs, "pages programmed, failed ones included");
  if (config_.copyback) count("nand.copybacks", counters_.copybacks, "of these, pages that were moved inside their plane");
  count("nand.padding", counters_.padding, "sectors for which a programmed page had room and got none");
  count("nand.erases", counters_.erases, "blocks erased, failed ones included");
  count("nand.read_failures", counters_.read_failures, "reads of unreadable pages");
  count("nand.program_failures", counters_.program_failures, "programs that failed or met a bad block");
  count("nand.erase_failures", counters_.erase_failures, "erases that failed or met a bad block");
  count("nand.rule_violations", counters_.rule_violations, "programs refused: not the next page of an erased block");
  count("nand.torn", counters_.torn, "programs and erases that a power cut ended");
  count("nand.read_retries", counters_.retries, "reads at a level of read retry");
  if (config_.suspend) count("nand.suspends", counters_.suspends, "programs and erases that a read suspended");
  if (config_.cache_program) count("nand.loaded_ahead", counters_.ahead, "programs whose data was loaded while the die programmed");
  count("nand.uncorrectable", array_.uncorrectable(), "pages that error correction could not save at any level");
  count("nand.grown_bad", array_.grown_bad(), "blocks that went bad in use");

  const NandWear wear = array_.wear(NandBlock(array_.blocks()));
  const NandWear layer = array_.wear(NandBlock(config_.blocks));
  const auto blocks = static_cast<double>(wear.blocks);
  const auto endurance = static_cast<double>(config_.endurance);
  std::optional<double> used, repeats_worst, repeats_levelled;
  if (wear.blocks > 0) used = wear.max / endurance;
  if (wear.total > 0) {
    repeats_worst = endurance / wear.max;
    repeats_levelled = endurance * blocks / static_cast<double>(wear.total);
  }
  metrics.add("nand.wear.min", wear.min, "1", "erases of the least erased block");
  metrics.add("nand.wear.mean", wear.mean(), "1", "erases of a block, mean");
  metrics.add("nand.wear.max", wear.max, "1", "erases of the most erased block");
  metrics.add("nand.wear.layer.min", layer.min, "1",
              "erases of the least erased block that the layer may use: blocks for logs and dumps left out");
  metrics.add("nand.wear.layer.mean", layer.mean(), "1", "erases of a block that the layer may use, mean");
  metrics.add("nand.wear.layer.max", layer.max, "1", "erases of the most erased block that the layer may use");
  metrics.add("nand.wear.used", used, "1", "share of its endurance that the most erased block has used");
  metrics.add("nand.lifetime.worst_block", repeats_worst, "1", "times this run could take place until the most erased block is worn out");
  metrics.add("nand.lifetime.levelled", repeats_levelled, "1", "the same if all blocks wore alike");

  for (std::size_t d = 0; d < dies_.size(); ++d)
    metrics.add("nand.die." + std::to_string(d) + ".utilisation", share_of(busy_until(dies_[d], now), rested_ + now), "1",
                "share of time in which the die was busy");
  for (std::size_t c = 0; c < channels_.size(); ++c)
    metrics.add("nand.channel." + std::to_string(c) + ".utilisation", share_of(busy_until(channels_[c], now), rested_ + now), "1",
                "share of time in which the channel moved data");
  metrics.count("nand.transferred", static_cast<double>(counters_.transferred.value()), "B", "bytes over all channels");

  metrics.count("nand.energy.read", millijoules(energy_of(FlashOp::read)), "mJ", "energy of page and out-of-band reads");
  metrics.count("nand.energy.program", millijoules(energy_of(FlashOp::program)), "mJ", "energy of page programs");
  metrics.count("nand.energy.erase", millijoules(energy_of(FlashOp::erase)), "mJ", "energy of block erases");
  metrics.count("nand.energy.total", energy(now) * 1e-9, "mJ", "energy of the flash: operations, bus and standby");
}

}  // namespace tessera
