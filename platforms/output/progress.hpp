#pragma once
// The progress line of a run: simulated time, requests done, speed, time left. On a terminal only, never into a pipe.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/long_time.hpp"

namespace tessera {

/// "12.5 s simulated, 40,000 of 100,000 requests, 412,000 a second, 0:01 left"; the last part where `expected` is known.
[[nodiscard]] std::string progress_line(LongTime simulated, std::uint64_t done, std::optional<std::uint64_t> expected,
                                        double elapsed_seconds);

/// "12.5 s simulated, 100,000 requests served; a rebuild goes on": nobody knows how much is left of what comes after the requests.
[[nodiscard]] std::string waiting_line(LongTime simulated, std::uint64_t done, std::string_view what);

class Progress {
 public:
  /// Writes to standard error if that is a terminal. `expected`: requests of the run, where known.
  explicit Progress(std::optional<std::uint64_t> expected);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap enough for each completion: looks at the clock once in 1,024 calls and writes ten times a second at most, and at the last
  /// request.
  void update(LongTime simulated, std::uint64_t done) {
    const bool last = done == expected_;
    if (terminal_ && (done % 1024 == 0 || last)) show(simulated, done, last);
  }
  /// After the requests, as often as anybody looks: what goes on.
  void wait(LongTime simulated, std::uint64_t done, std::string_view what);
  /// Wipes the line, so that what follows stands alone.
  void clear();

 private:
  void show(LongTime simulated, std::uint64_t done, bool last);
  void write(const std::string& line, std::chrono::steady_clock::time_point now);

  std::optional<std::uint64_t> expected_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tessera
