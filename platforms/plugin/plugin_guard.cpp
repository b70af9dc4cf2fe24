#include "platforms/plugin/plugin_guard.hpp"

#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>

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

void end_process() {
  char text[512];
  const int length =
      std::snprintf(text, sizeof text,
                    "tessera-sim: firmware %s: %s() has not come back after %u s of processor time; it looks like an endless "
                    "loop\n",
                    firmware, call, patience);
  if (length > 0) static_cast<void>(!::write(STDERR_FILENO, text, std::min(sizeof text - 1, static_cast<std::size_t>(length))));
  _exit(exit_model_bug);
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
  if (ticks > patience && !interrupts()) end_process();
  arm();
}

/// A copy of the process has no timer of its own.
void disarm_in_child() { armed = 0; }

void install() {
  struct sigaction action {};
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
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
