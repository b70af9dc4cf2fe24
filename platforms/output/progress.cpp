#include "platforms/output/progress.hpp"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>

namespace tessera {

namespace {

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string simulated_text(LongTime simulated) {
  char seconds[40];
  std::snprintf(seconds, sizeof seconds, "%.1f s simulated, ", simulated.in_picoseconds() / static_cast<double>(ps_per_second));
  return seconds;
}

constexpr std::chrono::milliseconds between_lines(100);

}  // namespace

std::string progress_line(LongTime simulated, std::uint64_t done, std::optional<std::uint64_t> expected, double elapsed_seconds) {
  std::string line = simulated_text(simulated) + grouped(done);
  if (expected) line += " of " + grouped(*expected);
  line += " requests";
  if (elapsed_seconds <= 0 || done == 0) return line;
  const double rate = static_cast<double>(done) / elapsed_seconds;
  line += ", " + grouped(static_cast<std::uint64_t>(rate)) + " a second";
  if (expected && *expected > done) {
    const auto left = static_cast<std::uint64_t>(static_cast<double>(*expected - done) / rate);
    char clock[40];
    std::snprintf(clock, sizeof clock, ", %" PRIu64 ":%02" PRIu64 " left", left / 60, left % 60);
    line += clock;
  }
  return line;
}

std::string waiting_line(LongTime simulated, std::uint64_t done, std::string_view what) {
  return simulated_text(simulated) + grouped(done) + " requests served; " + std::string(what);
}

Progress::Progress(std::optional<std::uint64_t> expected)
    : expected_(expected), terminal_(::isatty(STDERR_FILENO) == 1), begin_(std::chrono::steady_clock::now()), last_(begin_) {}

void Progress::show(LongTime simulated, std::uint64_t done, bool last) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < between_lines && !(last && shown_)) return;
  write(progress_line(simulated, done, expected_, std::chrono::duration<double>(now - begin_).count()), now);
}

void Progress::wait(LongTime simulated, std::uint64_t done, std::string_view what) {
  const auto now = std::chrono::steady_clock::now();
  if (terminal_ && now - last_ >= between_lines) write(waiting_line(simulated, done, what), now);
}

void Progress::write(const std::string& line, std::chrono::steady_clock::time_point now) {
  last_ = now;
  shown_ = true;
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace tessera
