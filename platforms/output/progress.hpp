#pragma once
// How far a run is: simulated time, requests done, speed, time left. Where standard error is a terminal one line that is written again and
// again. Where TESSERA_PROGRESS names a descriptor (`tessera` does, so that messages and progress do not mix), there a line after two
// seconds and then ever more rarely, once a minute in the end.
//
// The time left is that of whatever takes longest: of the requests by their rate so far, of work besides them (a rebuild, caches that fill)
// by the share that was done since it was first seen. Where one of the two is not known, no time is given.
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/long_time.hpp"

namespace tessera {

/// What goes on besides the requests, and the share of it that is done.
struct WorkBesides {
  std::string_view what;
  double done = 0;
};

/// The same as a line of progress shows it.
struct Aside {
  WorkBesides work;
  std::optional<double> seconds_left;
};

/// "12.5 s simulated, 40,000 of 100,000 requests, 412,000 a second, a rebuild goes on: 12 %, 0:35 left".
[[nodiscard]] std::string progress_line(LongTime simulated, std::uint64_t done, std::optional<std::uint64_t> expected,
                                        double elapsed_seconds, const std::optional<Aside>& aside = {});

/// "12.5 s simulated, 100,000 requests served; a rebuild goes on: 12 %, 0:35 left": of what comes after the requests.
[[nodiscard]] std::string waiting_line(LongTime simulated, std::uint64_t done, std::string_view what,
                                       const std::optional<Aside>& aside = {});

class Progress {
 public:
  /// `expected`: requests of the run, where known. `besides` is asked for each line.
  explicit Progress(std::optional<std::uint64_t> expected, std::function<std::optional<WorkBesides>()> besides = {});
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap enough for each completion: looks at the clock once in 64 calls, and at the last request.
  void update(LongTime simulated, std::uint64_t done) {
    const bool last = done == expected_;
    if (form_ != Form::none && (done % 64 == 0 || last)) show(simulated, done, last);
  }
  /// After the requests, as often as anybody looks: what goes on.
  void wait(LongTime simulated, std::uint64_t done, std::string_view what);
  /// Wipes the line, so that what follows stands alone.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Form : std::uint8_t { none, terminal, lines };

  void show(LongTime simulated, std::uint64_t done, bool last);
  [[nodiscard]] bool due(Clock::time_point now) const;
  [[nodiscard]] std::optional<Aside> aside(Clock::time_point now);
  void write(const std::string& line, Clock::time_point now);

  std::optional<std::uint64_t> expected_;
  std::function<std::optional<WorkBesides>()> besides_;
  int descriptor_;
  Form form_ = Form::none;
  bool shown_ = false;
  Clock::time_point begin_;
  Clock::time_point last_;
  std::optional<WorkBesides> seen_;  // when it was seen first
  Clock::time_point seen_at_;
};

}  // namespace tessera
