#pragma once
// SIGINT, SIGTERM and SIGHUP ask a run to end in order: with its results, marked as partial. A second one of the same kind ends the process
// at once, as ever. While there is nothing to put into results yet, the first one does, with words.
#include <csignal>
#include <string_view>

namespace tessera {

/// From here on, until watch_stop_signals(), they end the process with exit_stopped_by() once it has written `words`, at most 255 bytes, to
/// its standard error.
void end_at_stop_signals(std::string_view words);

/// From here on the signals are noted. One that is ignored from outside, as SIGHUP under nohup, stays ignored.
void watch_stop_signals();

/// The latest signal that asked the program to stop; 0 where none has.
[[nodiscard]] int stop_signal();

/// As if one had come: for what ends a run in order and is no signal.
void stop_in_order();

/// The exit status of a program that `signal` ended, as shells say it: 130, 143 or 129.
[[nodiscard]] constexpr int exit_stopped_by(int signal) { return 128 + signal; }

/// All of them that are not ignored from outside.
[[nodiscard]] sigset_t stop_signal_set();

}  // namespace tessera
