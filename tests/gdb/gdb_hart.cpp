// A bare machine for test_gdb.py: a hart, 1 MiB of memory and two devices, with a GDB server in front of it where it is asked for.
//   gdb_hart IMAGE [gdb]
// Prints "port N", what the program prints, and in the end how long it took. Its exit status is the program's, or 3 for a fault.
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "base/error.hpp"
#include "platforms/gdb/gdb_server.hpp"
#include "platforms/gdb/hart_debug_target.hpp"
#include "processor/back_trace.hpp"
#include "processor/elf_image.hpp"
#include "processor/hart.hpp"

using namespace tessera;
using namespace tessera::riscv;

namespace {

constexpr ImageSpace memory_space{.dram = {0x8000'0000, 1U << 20U}};
constexpr std::uint64_t exit_register = 0x1000'0000, console_register = 0x1000'0008;
constexpr std::uint64_t slice_cycles = 1000;
constexpr unsigned lifetime_seconds = 120;  // whatever becomes of the test

class Machine : public HartDebugTarget {
 public:
  explicit Machine(const ElfImage& image)
      : HartDebugTarget(image.wide()), image_(image), hart_({.wide = image.wide(), .timing = {}}, memory_) {
    memory_.map(memory_space.dram.base, bytes_);
    image.load(memory_);
    hart_.reset(image.entry());
    show(&hart_, &memory_);
  }

  [[nodiscard]] std::optional<std::string> simulated_time() const override { return std::to_string(hart_.cycles()) + " cycles\n"; }

  int run(GdbServer* debugger) {
    Resume how = debugger != nullptr ? debugger->stopped({DebugStop::Reason::begin, 0, 0, {}}) : Resume::run;
    while (!status_ && how != Resume::end) how = go(how, debugger);
    std::printf("cycles %llu\n", static_cast<unsigned long long>(hart_.cycles()));
    if (debugger != nullptr) debugger->exited(status_.value_or(0));
    return status_.value_or(0);
  }

 private:
  Resume go(Resume how, GdbServer* debugger) {
    const Stop stop = how == Resume::step ? hart_.step() : hart_.run(hart_.cycles() + slice_cycles);
    if (stop == Stop::device) access();
    if (stop == Stop::fault) end_with_fault();
    if (debugger == nullptr || (status_ && stop != Stop::fault)) return Resume::run;
    if (stop == Stop::breakpoint || stop == Stop::watchpoint || stop == Stop::fault || how == Resume::step)
      return debugger->stopped(debug_stop(hart_, stop));
    return debugger->wants_stop() ? debugger->stopped({DebugStop::Reason::interrupt, 0, 0, {}}) : Resume::run;
  }

  void access() {
    const DeviceAccess access = hart_.device();
    if (access.write && access.address == exit_register) {
      status_ = static_cast<int>(access.value & 0xffU);
    } else if (access.write && access.address == console_register) {
      std::putchar(static_cast<int>(access.value & 0xffU));
      std::fflush(stdout);
    } else {
      hart_.fail_device();
      return;
    }
    hart_.finish_device(0);
  }

  void end_with_fault() {
    status_ = 3;
    const StackState state{hart_.fault().pc, hart_.x(1), hart_.x(2), hart_.x(8)};
    std::printf("fault %llu\n%s", static_cast<unsigned long long>(hart_.fault().cause),
                back_trace(image_, memory_, state).text(image_).c_str());
  }

  const ElfImage& image_;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(memory_space.dram.bytes);
  Memory memory_;
  Hart hart_;
  std::optional<int> status_;
};

int run(const char* file, bool debugged) {
  const ElfImage image = ElfImage::read(file, memory_space);
  Machine machine(image);
  if (!debugged) return machine.run(nullptr);
  GdbServer server(0, machine);
  std::printf("port %u\n", static_cast<unsigned>(server.port()));
  std::fflush(stdout);
  return machine.run(&server);
}

}  // namespace

int main(int count, char** words) {
  ::alarm(lifetime_seconds);
  try {
    return run(words[1], count > 2);
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
