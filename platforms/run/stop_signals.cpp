#include "platforms/run/stop_signals.hpp"

#include <array>

namespace tessera {

namespace {

constexpr std::array<int, 3> stop_signals{SIGINT, SIGTERM, SIGHUP};

/// SIGHUP under nohup.
bool ignored_from_outside(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  return signal == SIGHUP && now.sa_handler == SIG_IGN;
}

volatile std::sig_atomic_t noted = 0;

}  // namespace

void watch_stop_signals() {
  for (const int signal : stop_signals) {
    if (ignored_from_outside(signal)) continue;
    struct sigaction action {};
    action.sa_handler = [](int received) { noted = received; };
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

int stop_signal() { return noted; }

sigset_t stop_signal_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : stop_signals)
    if (!ignored_from_outside(signal)) sigaddset(&set, signal);
  return set;
}

}  // namespace tessera
