#include "processor/hart_profile.hpp"

#include <cstring>

#include "processor/decode.hpp"

namespace tessera::riscv {

namespace {

constexpr std::size_t deepest = 4096;  // frames: whoever calls deeper has lost its way

bool keeps_link(const Instruction& jump) { return jump.rd == 1 || jump.rd == 5; }
bool takes_link(const Instruction& jump) { return jump.rd == nowhere && (jump.rs1 == 1 || jump.rs1 == 5); }

bool is_load(const Instruction& instruction) {
  const Kind kind = kind_of(instruction.op);
  return kind == Kind::load || kind == Kind::narrow_load;
}

bool touches_memory(const Instruction& instruction) {
  return is_load(instruction) || kind_of(instruction.op) == Kind::store || kind_of(instruction.op) == Kind::atomic;
}

std::uint64_t bytes_of(Op op) {
  switch (op) {
    case Op::lb:
    case Op::lbu:
    case Op::sb: return 1;
    case Op::lh:
    case Op::lhu:
    case Op::sh: return 2;
    case Op::ld:
    case Op::sd:
    case Op::lr_d:
    case Op::sc_d:
    case Op::amoswap_d:
    case Op::amoadd_d:
    case Op::amoxor_d:
    case Op::amoand_d:
    case Op::amoor_d:
    case Op::amomin_d:
    case Op::amomax_d:
    case Op::amominu_d:
    case Op::amomaxu_d: return 8;
    default: return 4;
  }
}

void add(HartProfile::Count& to, const HartProfile::Count& now, const HartProfile::Count& before) {
  to.executed += now.executed - before.executed;
  for (std::size_t cause = 0; cause < HartProfile::causes; ++cause) to.cycles[cause] += now.cycles[cause] - before.cycles[cause];
}

}  // namespace

void HartProfile::begins(const Hart& hart, const Memory& memory) {
  memory_ = &memory;
  wide_ = hart.wide();
  while (!frames_.empty()) pop();
  context_ = 0;
  cycles_ = hart.cycles();
  instructions_ = hart.instructions();
  pending_ = Pending::nothing;
}

HartProfile::Place& HartProfile::place(std::uint64_t pc) {
  const std::uint64_t page = pc >> page_bits;
  if (page != recent_) {
    std::unique_ptr<Page>& held = pages_[page];
    if (held == nullptr) held = std::make_unique<Page>();
    recent_ = page;
    recent_page_ = held.get();
  }
  Place& found = (*recent_page_)[pc % page_bytes / 2];
  if (found.bytes == 0) look(found, pc);
  return found;
}

/// An instruction that cannot be fetched counts as an illegal one.
void HartProfile::look(Place& place, std::uint64_t pc) const {
  place.bytes = 2;
  place.function = function_at_(pc);
  std::uint32_t bits = 0;
  for (unsigned half = 0; half < place.bytes; half += 2) {
    std::uint16_t item = 0;
    const std::byte* const at = memory_->find(pc + half, sizeof item);
    if (at == nullptr) return;
    std::memcpy(&item, at, sizeof item);
    bits |= static_cast<std::uint32_t>(item) << 8 * half;
    if (half == 0) place.bytes = static_cast<std::uint8_t>(instruction_bytes(item));
  }
  place.instruction = decode(bits, wide_);
}

void HartProfile::charge(Place& here, Cause cause, std::int64_t cycles) {
  const auto more = static_cast<std::uint64_t>(cycles);
  const auto which = static_cast<std::size_t>(cause);
  here.count.cycles[which] += more;
  all_.cycles[which] += more;
  if (cause != Cause::asleep) contexts_[context_].cycles += more;
}

void HartProfile::count(Place& here) {
  ++here.count.executed;
  ++all_.executed;
}

/// What has passed since the hart was last here: the access that it waited for, or the interrupt.
void HartProfile::settle(const Hart& hart) {
  const auto passed = static_cast<std::int64_t>(hart.cycles() - cycles_);
  if (pending_ == Pending::device) {
    Place& there = place(at_);
    std::int64_t of_class = 0;
    if (hart.instructions() != instructions_) {
      count(there);
      of_class = hart.timing().cycles(there.instruction);
    }
    charge(there, Cause::execute, of_class);
    charge(there, Cause::device, passed - of_class);
  } else if (passed != 0) {
    charge(place(pending_ == Pending::sleep ? at_ : hart.pc()), Cause::asleep, passed);
  }
  pending_ = Pending::nothing;
  cycles_ = hart.cycles();
  instructions_ = hart.instructions();
}

Stop HartProfile::advance(Hart& hart, std::uint64_t cycle_limit) {
  if (contexts_.empty()) contexts_.push_back({0, hart.pc(), 0});
  settle(hart);
  while (hart.cycles() < cycle_limit)
    if (const Stop stop = step(hart, cycle_limit); stop != Stop::limit) return stop;
  return Stop::limit;
}

Stop HartProfile::step(Hart& hart, std::uint64_t limit) {
  const std::uint64_t pc = hart.pc();
  Place& here = place(pc);
  const Instruction loading = hart.loading();
  const HartTiming& timing = hart.timing();
  const std::uint64_t code = hart.caches().code().waited;
  std::int64_t data = -static_cast<std::int64_t>(hart.caches().data().waited);
  if (timing.tcm.bytes != 0 && touches_memory(here.instruction)) {
    const std::uint64_t offset = kind_of(here.instruction.op) == Kind::atomic ? 0 : static_cast<std::uint64_t>(here.instruction.imm);
    const std::uint64_t address = hart.x(here.instruction.rs1) + offset;
    if (timing.tcm.holds(address))
      data += static_cast<std::int64_t>(timing.tcm.access(address, bytes_of(here.instruction.op))) - timing.data_look_up();
  }

  const Stop stop = hart.run_one(limit);

  data += static_cast<std::int64_t>(hart.caches().data().waited);
  auto rest = static_cast<std::int64_t>(hart.cycles() - cycles_);
  const auto take = [&](Cause cause, std::int64_t cycles) {
    charge(here, cause, cycles);
    rest -= cycles;
  };
  if (loading.op != Op::illegal && hart.loading().op != loading.op)
    take(Cause::load_use, std::min<std::int64_t>(rest, timing.stall(loading, here.instruction)));
  take(Cause::code, static_cast<std::int64_t>(hart.caches().code().waited - code));
  if (hart.instructions() != instructions_) {
    retired(hart, here, pc, rest, data);
  } else if (stop == Stop::device) {
    take(Cause::code, rest);
    pending_ = Pending::device;
    at_ = pc;
  } else if (hart.pc() != pc) {
    take(Cause::trap, rest);
    enter({.site = pc, .back = pc, .callee = hart.pc(), .before = {}, .context = 0, .tail = false, .trap = true});
  } else {
    take(Cause::code, rest);  // its time is over while it waits for its first instruction
  }
  if (stop == Stop::wait) {
    pending_ = Pending::sleep;
    at_ = pc;
  }
  cycles_ = hart.cycles();
  instructions_ = hart.instructions();
  return stop;
}

/// `rest`: its cycles but for what it waited before it began; `data`: of them, for memory that it touches.
void HartProfile::retired(const Hart& hart, Place& here, std::uint64_t pc, std::int64_t rest, std::int64_t data) {
  const HartTiming& timing = hart.timing();
  const Instruction& i = here.instruction;
  const Kind kind = kind_of(i.op);
  const std::uint64_t next = hart.pc();
  const auto take = [&](Cause cause, std::int64_t cycles) {
    charge(here, cause, cycles);
    rest -= cycles;
  };
  count(here);
  // A load that is followed within its block pays what the next instruction waits.
  if (is_load(i) && hart.loading().op == Op::illegal) take(Cause::load_use, timing.stall(i, place(next).instruction));
  std::int64_t of_class = timing.cycles(i);
  if (touches_memory(i)) {
    if (data < 0) of_class += data;  // past the cache
    take(Cause::data, std::max<std::int64_t>(data, 0));
  }
  if (kind == Kind::jump_register) {
    of_class = timing.jump;
    take(Cause::branch, timing.cycles(i) - timing.jump);
  } else if (kind == Kind::branch) {
    take(Cause::branch, timing.branch_cycles(i.imm < 0, next != pc + here.bytes) - timing.branch);
  }
  take(i.op == Op::mret ? Cause::trap : Cause::execute, of_class);
  take(Cause::code, rest);
  note_stack(hart);
  if (kind == Kind::jump || kind == Kind::jump_register || kind == Kind::branch || i.op == Op::mret) follow(hart, here, pc);
}

void HartProfile::follow(const Hart& hart, const Place& here, std::uint64_t pc) {
  const std::uint64_t next = hart.pc();
  const Instruction& i = here.instruction;
  const bool jumps = kind_of(i.op) != Kind::branch && i.op != Op::mret;
  if (i.op == Op::mret || (jumps && takes_link(i))) return leave_to(next);
  const bool calls = jumps && keeps_link(i);
  if (!calls && place(next).function == here.function) return;
  std::uint64_t back = pc + here.bytes;
  if (!calls) {
    if (!frames_.empty()) back = frames_.back().back;
    if (!frames_.empty() && frames_.back().tail) pop();
  }
  enter({.site = pc, .back = back, .callee = next, .before = {}, .context = 0, .tail = !calls, .trap = false});
}

void HartProfile::enter(const Frame& frame) {
  if (frames_.size() == deepest) {
    while (!frames_.empty()) pop();
    context_ = 0;
  }
  Frame& made = frames_.emplace_back(frame);
  made.before = all_;
  made.context = context_;
  ++calls_[{frame.site, frame.callee}].calls;
  const auto [known, fresh] = context_of_.try_emplace({context_, frame.callee}, static_cast<std::uint32_t>(contexts_.size()));
  if (fresh) contexts_.push_back({context_, frame.callee, 0});
  context_ = known->second;
}

void HartProfile::pop() {
  const Frame& frame = frames_.back();
  add(calls_[{frame.site, frame.callee}].inside, all_, frame.before);
  context_ = frame.context;
  frames_.pop_back();
}

/// To the nearest call that is to return there, and to those that took its place; without one, to where it is.
void HartProfile::leave_to(std::uint64_t address) {
  std::size_t depth = frames_.size();
  while (depth != 0 && frames_[depth - 1].back != address) --depth;
  if (depth == 0) return;
  while (frames_[depth - 1].tail && depth > 1) --depth;
  while (frames_.size() >= depth) pop();
}

void HartProfile::note_stack(const Hart& hart) {
  constexpr unsigned stack_pointer = 2;
  const std::uint64_t stack = hart.x(stack_pointer);
  if (stack >= lowest_stack_) return;
  lowest_stack_ = stack;
  lowest_context_ = context_;
}

std::map<std::uint64_t, HartProfile::Count> HartProfile::instructions() const {
  std::map<std::uint64_t, Count> all;
  for (const auto& [page, places] : pages_)
    for (std::size_t index = 0; index < places->size(); ++index)
      if (const Place& one = (*places)[index]; one.bytes != 0) all.emplace((page << page_bits) + 2 * index, one.count);
  return all;
}

std::map<std::pair<std::uint64_t, std::uint64_t>, HartProfile::Calls> HartProfile::calls() const {
  auto all = calls_;
  for (const Frame& frame : frames_) add(all[{frame.site, frame.callee}].inside, all_, frame.before);
  return all;
}

}  // namespace tessera::riscv
