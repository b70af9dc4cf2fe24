#include "machine/hart_driver.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/check.hpp"
#include "base/firmware_fault.hpp"
#include "firmware/hal/register_map.hpp"
#include "machine/machine.hpp"
#include "processor/hart_profile.hpp"

namespace tessera {

namespace {

/// An image that has not come to rest by then never will.
constexpr std::uint64_t most_untimed_cycles = 10'000'000'000;

/// Between two looks at where the hart is: a function shorter than that may be missed.
constexpr std::uint64_t cycles_between_looks = 4;

const char* trap_name(std::uint64_t cause) {
  switch (cause) {
    case 0: return "a jump to a misaligned address";
    case 1: return "an instruction fetched where no memory is";
    case 2: return "an illegal instruction";
    case 3: return "a breakpoint instruction";
    case 4: return "a misaligned load";
    case 5: return "a load where nothing is";
    case 6: return "a misaligned store";
    case 7: return "a store where nothing is";
    case 11: return "an environment call";
    default: return "a trap";
  }
}

}  // namespace

std::string trap_sentence(const riscv::Hart::Fault& trap) {
  char text[96];
  std::snprintf(text, sizeof text, " (cause %llu, value 0x%llx), and no handler for it", static_cast<unsigned long long>(trap.cause),
                static_cast<unsigned long long>(trap.value));
  return trap_name(trap.cause) + std::string(text);
}

HartDriver::HartDriver(Timeline& timeline, riscv::Hart& hart, RegisterFile& registers, Hertz clock, Observer observer)
    : timeline_(timeline), hart_(hart), registers_(registers), cycle_(period(clock)), observer_(std::move(observer)) {
  hart_.set_lines(this);
  if (observer_.tcm_access) hart_.set_tight_accesses(this);
}

HartDriver::~HartDriver() {
  timeline_.withdraw(*this);
  if (debugger_ != nullptr) debugger_->ends();
}

void HartDriver::attach(HartDebugger* debugger, const riscv::Memory& memory) {
  debugger_ = debugger;
  if (debugger_ != nullptr) stepping_ = debugger_->begins(hart_, memory, registers_);
}

void HartDriver::count(riscv::HartProfile* profile, const riscv::Memory& memory) {
  profile_ = profile;
  memory_ = &memory;
}

void HartDriver::halt(riscv::Stop reason) {
  TESSERA_CHECK(debugger_ != nullptr, "the hart stopped for a debugger, and there is none");
  stepping_ = debugger_->stopped(reason);
}

void HartDriver::halt_behind_step() {
  if (stepping_) halt(riscv::Stop::limit);
}

/// Where it is cut into steps changes nothing of what it does, nor when.
riscv::Stop HartDriver::advance(std::uint64_t limit) {
  if (stepping_) return hart_.step();
  if (looked_at_) limit = std::min(limit, hart_.cycles() + cycles_between_looks);
  return profile_ != nullptr && timed_ ? profile_->advance(hart_, limit) : hart_.run(limit);
}

void HartDriver::look() const {
  if (looked_at_) observer_.look(time_of(hart_.cycles()));
}

void HartDriver::fault(const std::string& sentence) const {
  const std::string headline = "at " + in_milliseconds(timeline_.now()) + ", " + observer_.place() + ": " + sentence;
  if (debugger_ != nullptr) debugger_->failed(headline);
  throw FirmwareFault(headline + "\n" + observer_.account());
}

void HartDriver::report_trap() const { fault(trap_sentence(hart_.fault())); }

void HartDriver::run_untimed(const std::function<void()>& ask, const std::function<bool()>& done) {
  timed_ = looked_at_ = false;
  ask();
  const Picoseconds began = std::max(time_of(hart_.cycles()), timeline_.now());
  const auto end = [&] {
    timed_ = true;
    slice_time_ = began;
    slice_cycle_ = hart_.cycles();
    if (profile_ != nullptr) profile_->begins(hart_, *memory_);
  };
  const std::uint64_t limit = hart_.cycles() + most_untimed_cycles;
  while (!done()) {
    switch (const riscv::Stop stop = advance(limit)) {
      case riscv::Stop::limit:
        if (stepping_) {
          halt(stop);
          break;
        }
        fault("the image did not come to rest within " + std::to_string(most_untimed_cycles) + " cycles of its start");
      case riscv::Stop::wait: return end();
      case riscv::Stop::device:
        access_device();
        end_access();
        halt_behind_step();
        break;
      case riscv::Stop::fault: report_trap();
      default: halt(stop);
    }
  }
  end();
}

void HartDriver::start() {
  state_ = State::ready;
  post(timeline_.now());
}

void HartDriver::stop() {
  timeline_.withdraw(*this);
  state_ = State::stopped;
  observer_.works.set(0, timeline_.now());
}

void HartDriver::post(Picoseconds at) {
  TESSERA_CHECK(!posted_, "the hart is to run at two instants");
  posted_ = true;
  timeline_.post(std::max(at, timeline_.now()), *this);
}

void HartDriver::set_interrupt(bool pending) {
  hart_.set_external_interrupt(pending);
  if (!pending || state_ != State::waiting || posted_ || !timed_) return;
  state_ = State::ready;
  post(std::max(timeline_.now(), time_of(hart_.cycles())));
}

void HartDriver::release(Picoseconds at) {
  held_ = false;
  if (state_ == State::holding) post(at);
}

void HartDriver::begin_slice() {
  // Of a cycle that is under way: the hart goes on with the one that ends behind it.
  const Picoseconds reached = time_of(hart_.cycles());
  if (reached < timeline_.now()) {
    hart_.skip_to(hart_.cycles() + cycles_in(timeline_.now() - reached));
  }
  slice_time_ = std::max(timeline_.now(), time_of(hart_.cycles()));
  slice_cycle_ = hart_.cycles();
}

void HartDriver::on_time(std::uint64_t) {
  posted_ = false;
  if (debugger_ != nullptr && debugger_->wants_stop()) halt(riscv::Stop::limit);
  if (state_ == State::holding) {
    end_access();
    state_ = State::ready;
    halt_behind_step();
  }
  begin_slice();
  if (state_ == State::device) {
    const bool ended = access_device();
    if (state_ == State::stopped) return;  // by what the access has done
    if (!ended) {
      state_ = State::holding;
      return;
    }
    end_access();
    state_ = State::ready;
    halt_behind_step();
  }
  run();
}

/// Gives whether it has ended.
bool HartDriver::access_device() {
  const riscv::DeviceAccess& access = hart_.device();
  try {
    if (access.write)
      registers_.write(access.address, access.bytes, access.value);
    else
      loaded_ = registers_.read(access.address, access.bytes);
    if (timed_ && !access.write) {
      const Picoseconds here = time_of(hart_.cycles());
      const Picoseconds waited = observer_.register_read(access.bytes, here) - here;
      hart_.skip_to(hart_.cycles() + cycles_in(waited));
      observer_.worked(waited);
    }
  } catch (const FirmwareFault& broken) {
    fault(broken.what());
  }
  return !held_;
}

/// Before it runs in time, a line is there at once.
std::uint64_t HartDriver::miss(std::uint64_t address, std::uint64_t bytes, bool write, std::uint64_t cycle) {
  if (!timed_) return 0;
  const Picoseconds at = time_of(cycle);
  const auto line = static_cast<std::uint32_t>(bytes);
  return cycles_in(observer_.move_line(Machine::place_of(address), line, write ? Access::write : Access::read, at) - at);
}

void HartDriver::tight_access(std::uint64_t address, std::uint64_t bytes) {
  if (timed_) observer_.tcm_access(Machine::place_of(address), static_cast<std::uint32_t>(bytes));
}

void HartDriver::end_access() { hart_.finish_device(loaded_); }

void HartDriver::run() {
  observer_.works.set(1, slice_time_);
  looked_at_ = Signal::anyone_watches() && observer_.looked_at && observer_.looked_at();
  look();
  for (;;) {
    const Picoseconds now = timeline_.now();
    const Picoseconds limit = timeline_.empty() ? now + quantum : std::min(now + quantum, std::max(timeline_.next(), now));
    const std::uint64_t began = hart_.cycles();
    const std::uint64_t cycles = limit > slice_time_ ? cycles_in(limit - slice_time_) : 0;
    const std::uint64_t end = slice_cycle_ + std::max<std::uint64_t>(cycles, 1);
    const riscv::Stop stop = advance(end);
    observer_.worked(cycle_ * (hart_.cycles() - began));
    const Picoseconds reached = time_of(hart_.cycles());
    look();
    switch (stop) {
      case riscv::Stop::limit:
        halt_behind_step();
        if (hart_.cycles() < end) break;  // a step within the slice
        return post(reached);
      case riscv::Stop::wait:
        observer_.works.set(0, reached);
        if (looked_at_) observer_.rest(reached);
        state_ = State::waiting;
        return;
      case riscv::Stop::device: state_ = State::device; return post(reached);
      case riscv::Stop::fault: report_trap();
      default: halt(stop);
    }
  }
}

}  // namespace tessera
