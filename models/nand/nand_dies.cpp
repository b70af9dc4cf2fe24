// What a die does next.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "nand/nand_device.hpp"

namespace tessera {

void NandDevice::enqueue(std::uint32_t slot) {
  Operation& operation = slots_[slot];
  operation.order = accepted_++;
  const std::uint32_t index = operation.place.die;
  insert(plane(operation.place), slot);
  if (plane(operation.place).head != slot) return;
  const Die& die = dies_[index];
  if (may_start(die, operation)) return start(slot);
  if (operation.kind == Kind::read) suspend(index);
  if (operation.kind == Kind::program) load_ahead(index);
}

/// Behind all others; with read priority a read goes in front of programs and erases, but not of those of its own block.
void NandDevice::insert(Plane& queue, std::uint32_t slot) {
  std::uint32_t before = queue.tail;
  if (config_.read_priority && slots_[slot].kind == Kind::read) {
    const auto block_of = [this](const Operation& operation) {
      return operation.kind == Kind::erase ? NandBlock(operation.address) : array_.block_of(NandPage(operation.address));
    };
    before = none;
    for (std::uint32_t at = queue.head; at != none; at = slots_[at].next)
      if (slots_[at].kind == Kind::read || block_of(slots_[at]) == block_of(slots_[slot])) before = at;
  }
  std::uint32_t& link = before == none ? queue.head : slots_[before].next;
  slots_[slot].next = std::exchange(link, slot);
  if (before == queue.tail) queue.tail = slot;
}

/// Whether the head of a plane's queue may start now.
bool NandDevice::may_start(const Die& die, const Operation& operation) const {
  if (plane(operation.place.die, operation.place.plane).current != none) return false;
  if (die.suspension == Suspension::stopping || die.suspension == Suspension::resuming) return false;
  if (operation.kind != Kind::read && (die.suspension == Suspension::stopped || die.unloading > 0)) return false;
  if (die.unloading > 0 && !config_.read_priority && older_of_another_kind(operation.place.die, operation)) return false;
  return die.running == 0 ? die.ahead == 0 || die.suspension == Suspension::stopped : may_join(die, operation);
}

bool NandDevice::may_join(const Die& die, const Operation& operation) const {
  if (operation.kind != die.kind) return false;
  if (alone(operation.kind)) return config_.read_priority || !older_of_another_kind(operation.place.die, operation);
  if (operation.retry != die.retry) return false;
  return die.loading > 0 || (die.in_array && die.array_begin == timeline_.now() && !needs_loading(operation.kind));
}

/// What keeps reads, or programs that are loaded ahead, from holding a die for ever.
bool NandDevice::older_of_another_kind(std::uint32_t die, const Operation& operation) const {
  for (std::uint32_t p = 0; p < config_.planes; ++p) {
    const std::uint32_t head = plane(die, p).head;
    if (head != none && slots_[head].kind != operation.kind && slots_[head].order < operation.order) return true;
  }
  return false;
}

/// Of the heads that may start the oldest one; with read priority the oldest read.
std::uint32_t NandDevice::next_to_start(std::uint32_t index) const {
  std::uint32_t best = none;
  const auto goes_first = [this](const Operation& a, const Operation& b) {
    const bool first = config_.read_priority && a.kind == Kind::read;
    const bool second = config_.read_priority && b.kind == Kind::read;
    return first != second ? first : a.order < b.order;
  };
  for (std::uint32_t p = 0; p < config_.planes; ++p) {
    const std::uint32_t head = plane(index, p).head;
    if (head == none || !may_start(dies_[index], slots_[head])) continue;
    if (best == none || goes_first(slots_[head], slots_[best])) best = head;
  }
  return best;
}

void NandDevice::start_waiting(std::uint32_t index) {
  for (std::uint32_t slot = next_to_start(index); slot != none; slot = next_to_start(index)) start(slot);
}

void NandDevice::take_from_queue(std::uint32_t slot) {
  Plane& queue = plane(slots_[slot].place);
  queue.head = slots_[slot].next;
  if (queue.head == none) queue.tail = none;
}

void NandDevice::start(std::uint32_t slot) {
  Operation& operation = slots_[slot];
  const std::uint32_t index = operation.place.die;
  Die& die = dies_[index];
  take_from_queue(slot);
  plane(operation.place).current = slot;
  if (die_signals_[index].state.watched()) [[unlikely]]
    show(operation);
  if (die.running++ == 0) {
    die.kind = operation.kind;
    die.retry = operation.retry;
  }
  if (!std::exchange(die.active, true)) die.busy_since = timeline_.now();
  if (needs_loading(operation.kind)) {
    ++die.loading;
    if (!die.in_array) set_state(index, DieState::loading);
    transfer(slot, Phase::loading);
  } else if (alone(operation.kind)) {
    begin_plane(slot);
  } else if (die.running == 1) {
    begin_array(index);
  } else {
    join_array(slot);
  }
}

/// A command, and the data of a program, have reached the die.
void NandDevice::loaded(std::uint32_t slot) {
  const Operation& operation = slots_[slot];
  const std::uint32_t index = operation.place.die;
  Die& die = dies_[index];
  if (plane(operation.place).ahead == slot) {
    --die.ahead_loading;
    return;
  }
  --die.loading;
  if (alone(operation.kind)) return begin_plane(slot);
  if (die.loading == 0) begin_array(index);
}

/// A copyback shows as the program that it ends with.
DieState NandDevice::state_of(Kind kind) {
  return kind == Kind::read ? DieState::reading : kind == Kind::erase ? DieState::erasing : DieState::programming;
}

/// The planes of the group begin together, and end with the slowest.
void NandDevice::begin_array(std::uint32_t index) {
  Die& die = dies_[index];
  Picoseconds length;
  for (std::uint32_t p = 0; p < config_.planes; ++p) {
    const std::uint32_t slot = plane(index, p).current;
    if (slot == none) continue;
    slots_[slot].phase = Phase::array;
    length = std::max(length, slots_[slot].array);
  }
  die.array_begin = timeline_.now();
  die.array_end = die.array_begin + length;
  die.in_array = true;
  if (die.suspension == Suspension::none) die.suspends = 0;
  set_state(index, state_of(die.kind));
  post(die.array_end, Action::array_ended, index);
  load_ahead(index);
}

/// A command that needs no loading joins at the instant at which the array begins.
void NandDevice::join_array(std::uint32_t slot) {
  Operation& operation = slots_[slot];
  Die& die = dies_[operation.place.die];
  operation.phase = Phase::array;
  const Picoseconds end = die.array_begin + operation.array;
  if (end <= die.array_end) return;
  die.array_end = end;
  post(end, Action::array_ended, operation.place.die);
}

void NandDevice::begin_plane(std::uint32_t slot) {
  slots_[slot].phase = Phase::array;
  set_state(slots_[slot].place.die, DieState::reading);
  post(timeline_.now() + slots_[slot].array, Action::plane_ended, slot);
}

/// Cache program: while the array works, the data of the next group goes to the cache registers. Commands of another kind that are older
/// keep their turn.
void NandDevice::load_ahead(std::uint32_t index) {
  Die& die = dies_[index];
  if (!config_.cache_program || !needs_loading(Kind::program) || !die.in_array || die.kind != Kind::program) return;
  if (die.suspension != Suspension::none) return;
  for (std::uint32_t p = 0; p < config_.planes; ++p) {
    Plane& of = plane(index, p);
    const std::uint32_t slot = of.head;
    if (slot == none || of.ahead != none || slots_[slot].kind != Kind::program || older_of_another_kind(index, slots_[slot])) continue;
    take_from_queue(slot);
    of.ahead = slot;
    ++die.ahead;
    ++die.ahead_loading;
    ++counters_.ahead;
    transfer(slot, Phase::loading);
  }
}

/// The group that was loaded ahead is the die's group.
void NandDevice::promote(std::uint32_t index) {
  Die& die = dies_[index];
  for (std::uint32_t p = 0; p < config_.planes; ++p) plane(index, p).current = std::exchange(plane(index, p).ahead, none);
  die.kind = Kind::program;
  die.running = std::exchange(die.ahead, 0);
  die.loading = std::exchange(die.ahead_loading, 0);
  if (die.loading == 0)
    begin_array(index);
  else
    set_state(index, DieState::loading);
}

void NandDevice::array_ended(std::uint32_t index) {
  Die& die = dies_[index];
  die.in_array = false;
  const bool cached = die.kind == Kind::read && config_.cache_read && config_.bus_rate != BytesPerSecond(0);
  if (cached && die.unloading > 0) {
    die.held_back = true;
    return;
  }
  std::array<Completion, max_planes> completions;
  std::size_t completed = 0;
  for (std::uint32_t p = 0; p < config_.planes; ++p) {
    const std::uint32_t slot = plane(index, p).current;
    if (slot == none) continue;
    if (slots_[slot].kind == Kind::read && slots_[slot].unloading > Picoseconds(0)) {
      set_state(index, DieState::unloading);
      if (cached) {
        plane(index, p).current = none;
        --die.running;
        ++die.unloading;
      }
      transfer(slot, Phase::unloading);
    } else {
      --die.running;
      completions[completed++] = finish(slot);
    }
  }
  next(index);
  for (const Completion& completion : std::span(completions).first(completed)) tell(completion);
}

void NandDevice::plane_ended(std::uint32_t slot) {
  const std::uint32_t index = slots_[slot].place.die;
  if (slots_[slot].unloading > Picoseconds(0)) return transfer(slot, Phase::unloading);
  --dies_[index].running;
  const Completion completion = finish(slot);
  next(index);
  tell(completion);
}

/// The die, or a plane of it, has ended something.
void NandDevice::next(std::uint32_t index) {
  Die& die = dies_[index];
  if (die.running > 0) {
    if (alone(die.kind)) start_waiting(index);
    return;
  }
  if (die.suspension == Suspension::none && die.ahead > 0) return promote(index);
  start_waiting(index);
  if (die.running > 0 || die.unloading > 0) return;
  if (die.suspension == Suspension::none) return settle(index);
  if (die.suspension == Suspension::stopped) {
    die.suspension = Suspension::resuming;
    post(timeline_.now() + config_.resume_time, Action::resumed, index);
  }
}

void NandDevice::settle(std::uint32_t index) {
  Die& die = dies_[index];
  if (!std::exchange(die.active, false)) return;
  die.busy += timeline_.now() - die.busy_since;
  set_state(index, DieState::idle);
}

/// A read came: a program or erase is stopped for it, unless it is nearly done or was stopped too often.
void NandDevice::suspend(std::uint32_t index) {
  Die& die = dies_[index];
  if (!config_.suspend || !die.in_array || die.kind == Kind::read || die.suspension != Suspension::none) return;
  const Picoseconds stopping = programs(die.kind) ? config_.program_suspend_time : config_.erase_suspend_time;
  if (die.suspends == config_.most_suspends || die.array_end - timeline_.now() <= stopping) return;
  die.suspension = Suspension::stopping;
  die.remaining = die.array_end - timeline_.now();
  die.in_array = false;
  ++die.suspends;
  ++counters_.suspends;
  post(timeline_.now() + stopping, Action::suspended, index);
}

void NandDevice::suspended(std::uint32_t index) {
  Die& die = dies_[index];
  for (std::uint32_t p = 0; p < config_.planes; ++p) plane(index, p).held = std::exchange(plane(index, p).current, none);
  die.suspended = std::exchange(die.running, 0);
  die.suspended_kind = die.kind;
  die.suspension = Suspension::stopped;
  set_state(index, DieState::suspended);
  next(index);
}

/// The group goes on where it was; a read that came meanwhile may stop it again.
void NandDevice::resumed(std::uint32_t index) {
  Die& die = dies_[index];
  for (std::uint32_t p = 0; p < config_.planes; ++p) plane(index, p).current = std::exchange(plane(index, p).held, none);
  die.running = std::exchange(die.suspended, 0);
  die.kind = die.suspended_kind;
  die.suspension = Suspension::none;
  die.in_array = true;
  die.array_end = timeline_.now() + die.remaining;
  set_state(index, state_of(die.kind));
  post(die.array_end, Action::array_ended, index);
  for (std::uint32_t p = 0; p < config_.planes; ++p)
    if (const std::uint32_t head = plane(index, p).head; head != none && slots_[head].kind == Kind::read) suspend(index);
  load_ahead(index);
}

}  // namespace tessera
