#include "platforms/plugin/plugin_guard.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csetjmp>
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
char words[128];

/// Where a call that loops is left for, and whose code is to be under way then: what a service of the simulator has begun must end.
struct WayOut {
  sigjmp_buf place;
  const void* code;
  pthread_t thread;
};
WayOut* volatile way_out = nullptr;
constexpr unsigned seconds_in_services = 5;  // a loop that is found there each time ends the process

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

const char* loop_of_call() {
  std::snprintf(words, sizeof words, "%s() has not come back after %u s of processor time; it looks like an endless loop", call, patience);
  return words;
}

void end_loop() {
  char text[512];
  const int length = std::snprintf(text, sizeof text, "tessera-sim: firmware %s: %s\n", firmware, loop_of_call());
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

/// Where the library is that has this code; null: in none.
const void* library_of(const void* code) {
  Dl_info place{};
  return dladdr(code, &place) != 0 ? place.dli_fbase : nullptr;
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
  interrupted_call = calls;
  interrupt(loop_of_call());
  return true;
}

/// Leaves the call, where its caller can and the library's own code is under way. Whether that may be so a second later. Not where Python
/// is in the process: its calls hold what is to be released.
bool leaves(const void* context) {
  WayOut* const way = way_out;
  if (way == nullptr || interrupt != nullptr) return false;
  if (pthread_equal(way->thread, pthread_self()) != 0 && library_of(instruction_of(context)) == library_of(way->code))
    siglongjmp(way->place, 1);
  return ticks <= patience + seconds_in_services;
}

void on_tick(int, siginfo_t*, void* context) {
  armed = 0;
  if (firmware == nullptr) return;
  ticks = calls == call_of_last_tick ? ticks + 1 : 1;
  call_of_last_tick = calls;
  if (ticks > patience && !interrupts() && !leaves(context)) end_loop();
  arm();
}

/// A copy of the process has no timer of its own.
void disarm_in_child() { armed = 0; }

void install() {
  struct sigaction action {};
  action.sa_sigaction = on_tick;
  action.sa_flags = SA_RESTART | SA_SIGINFO | SA_NODEFER;  // one that left a call does not return
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

const char* PluginGuard::leave_loop_of(const void* code, void (*work)(void* data), void* data) {
  WayOut way{.place = {}, .code = code, .thread = pthread_self()};
  if (sigsetjmp(way.place, 0) != 0) {
    way_out = nullptr;
    arm();
    return loop_of_call();
  }
  way_out = &way;
  work(data);
  way_out = nullptr;
  return nullptr;
}

}  // namespace tessera
