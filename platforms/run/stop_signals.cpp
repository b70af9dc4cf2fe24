#include "platforms/run/stop_signals.hpp"

#include <unistd.h>

#include <algorithm>
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

// What a signal handler may read without asking anybody.
std::array<char, 255> last_words;
std::size_t last_words_length = 0;

void handle_stop_signals(void (*handler)(int), unsigned flags) {
  for (const int signal : stop_signals) {
    if (ignored_from_outside(signal)) continue;
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(flags);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void end_at_stop_signals(std::string_view words) {
  last_words_length = std::min(words.size(), last_words.size());
  std::copy_n(words.begin(), last_words_length, last_words.begin());
  const auto end = [](int received) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, last_words.data(), last_words_length);
    ::_exit(exit_stopped_by(received));
  };
  handle_stop_signals(end, 0);
}

void watch_stop_signals() {
  const auto note = [](int received) { noted = received; };
  handle_stop_signals(note, SA_RESTART | SA_RESETHAND);
}

int stop_signal() { return noted; }

void stop_in_order() { noted = SIGTERM; }

sigset_t stop_signal_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : stop_signals)
    if (!ignored_from_outside(signal)) sigaddset(&set, signal);
  return set;
}

}  // namespace tessera
