#pragma once
// The progress line of a run: simulated time, requests done, speed, time left. On a terminal only, never into a pipe.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/long_time.hpp"

namespace tessera {

/// "12.5 s simulated, 40,000 of 100,000 requests, 412,000 a second, 0:01 left"; the last part where `expected` is known.
[[nodiscard]] std::string progress_line(LongTime simulated, std::uint64_t done, std::optional<std::uint64_t> expected,
                                        double elapsed_seconds);

class Progress {
 public:
  /// Writes to standard error if that is a terminal. `expected`: requests of the run, where known.
  explicit Progress(std::optional<std::uint64_t> expected);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap enough for each completion: looks at the clock once in 1,024 calls and writes ten times a second at most.
  void update(LongTime simulated, std::uint64_t done) {
    if (terminal_ && done % 1024 == 0) show(simulated, done);
  }
  /// Wipes the line, so that what follows stands alone.
  void clear();

 private:
  void show(LongTime simulated, std::uint64_t done);

  std::optional<std::uint64_t> expected_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tessera
