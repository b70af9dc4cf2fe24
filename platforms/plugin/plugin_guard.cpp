#include "platforms/plugin/plugin_guard.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace tessera {

namespace {

constexpr int exit_model_bug = 3;

// Shared with a signal handler of the same thread: plain words, written before and after a call.
volatile unsigned patience = 10;
const char* volatile firmware = nullptr;  // null: no call is under way
const char* volatile call = nullptr;
volatile std::uint64_t calls = 0;
std::uint64_t call_of_last_tick = 0;
unsigned ticks = 0;
volatile sig_atomic_t armed = 0;
void (*volatile interrupt)(const char*) = nullptr;
std::uint64_t interrupted_call = 0;

/// One second of processor time; once, so that a process that calls no firmware any more is left alone.
void arm() {
  armed = 1;
  itimerval second{};
  second.it_value.tv_sec = 1;
  setitimer(ITIMER_PROF, &second, nullptr);
}

[[noreturn]] void end_process(const char* text, int length, std::size_t room) {
  if (length > 0) static_cast<void>(!::write(STDERR_FILENO, text, std::min(room - 1, static_cast<std::size_t>(length))));
  _exit(exit_model_bug);
}

void end_loop() {
  char text[512];
  const int length =
      std::snprintf(text, sizeof text,
                    "tessera-sim: firmware %s: %s() has not come back after %u s of processor time; it looks like an endless "
                    "loop\n",
                    firmware, call, patience);
  end_process(text, length, sizeof text);
}

/// The instruction that a signal came from; null where the machine is another one.
void* instruction_of(const void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  return static_cast<void>(context), nullptr;
#endif
}

/// A call that crashed is a fault of the firmware: its name and place are told. Outside of a call the process ends as by any such signal.
void on_crash(int number, siginfo_t*, void* context) {
  if (firmware == nullptr) {
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  char text[1024];
  Dl_info place{};
  int length = std::snprintf(text, sizeof text, "tessera-sim: firmware %s: %s() crashed: %s", firmware, call, strsignal(number));
  if (number != SIGABRT && dladdr(instruction_of(context), &place) != 0 && place.dli_fname != nullptr) {
    const auto offset = static_cast<const char*>(instruction_of(context)) - static_cast<const char*>(place.dli_fbase);
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), "; line of the source: addr2line -e %s 0x%tx",
                            place.dli_fname, offset);
  }
  if (static_cast<std::size_t>(length) < sizeof text - 1) text[length++] = '\n';
  end_process(text, length, sizeof text);
}

/// Asks the call to end at its place; once.
bool interrupts() {
  if (interrupt == nullptr || interrupted_call == calls) return false;
  static char sentence[128];
  interrupted_call = calls;
  std::snprintf(sentence, sizeof sentence, "%s() has not come back after %u s of processor time; it looks like an endless loop", call,
                patience);
  interrupt(sentence);
  return true;
}

void on_tick(int) {
  armed = 0;
  if (firmware == nullptr) return;
  ticks = calls == call_of_last_tick ? ticks + 1 : 1;
  call_of_last_tick = calls;
  if (ticks > patience && !interrupts()) end_loop();
  arm();
}

/// A copy of the process has no timer of its own.
void disarm_in_child() { armed = 0; }

void install() {
  struct sigaction action {};
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  static std::array<char, 65536> stack;  // a call that recurses without end has used up its own
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction crash {
    }, old{};
    sigaction(number, nullptr, &old);
    if ((old.sa_flags & SA_SIGINFO) != 0 || old.sa_handler != SIG_DFL) continue;  // a sanitizer, or Python, looks after it
    crash.sa_sigaction = on_crash;
    crash.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(number, &crash, nullptr);
  }
  pthread_atfork(nullptr, nullptr, disarm_in_child);
}

}  // namespace

void PluginGuard::set_patience(unsigned seconds) { patience = seconds; }

void PluginGuard::set_interrupt(void (*by)(const char* sentence)) { interrupt = by; }

PluginGuard::PluginGuard(const std::string& of, const char* what) : outer_firmware_(firmware), outer_call_(call) {
  static const bool installed = (install(), true);
  static_cast<void>(installed);
  call = what;
  firmware = of.c_str();
  calls = calls + 1;
  if (armed == 0) arm();
}

PluginGuard::~PluginGuard() {
  call = outer_call_;
  firmware = outer_firmware_;
}

}  // namespace tessera
