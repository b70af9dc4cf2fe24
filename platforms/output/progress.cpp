#include "platforms/output/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "platforms/output/program_name.hpp"

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

std::string percent_text(double share) { return std::to_string(static_cast<int>(share * 100)) + " %"; }

std::string left_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  char clock[40];
  std::snprintf(clock, sizeof clock, ", %" PRIu64 ":%02" PRIu64 " left", whole / 60, whole % 60);
  return clock;
}

std::string aside_text(const WorkBesides& work) { return std::string(work.what) + ": " + percent_text(work.done); }

constexpr std::chrono::milliseconds between_updates(100);
constexpr std::chrono::seconds first_line(2);
constexpr std::chrono::seconds rarest_line(60);

}  // namespace

std::string progress_line(LongTime simulated, std::uint64_t done, std::optional<std::uint64_t> expected, double elapsed_seconds,
                          const std::optional<Aside>& aside) {
  std::string line = simulated_text(simulated) + grouped(done);
  if (expected) line += " of " + grouped(*expected);
  line += " requests";
  const bool goes = elapsed_seconds > 0 && done > 0;
  const double rate = goes ? static_cast<double>(done) / elapsed_seconds : 0;
  if (goes) line += ", " + grouped(static_cast<std::uint64_t>(rate)) + " a second";
  if (aside) line += ", " + aside_text(aside->work);
  std::optional<double> left;
  if (goes && expected && *expected > done) left = static_cast<double>(*expected - done) / rate;
  if (aside)
    left = aside->seconds_left && (left || !expected || done >= *expected) ? std::optional(std::max(left.value_or(0), *aside->seconds_left))
                                                                           : std::nullopt;
  return left ? line + left_text(*left) : line;
}

std::string waiting_line(LongTime simulated, std::uint64_t done, std::string_view what, const std::optional<Aside>& aside) {
  std::string line =
      simulated_text(simulated) + grouped(done) + " requests served; " + (aside ? aside_text(aside->work) : std::string(what));
  return aside && aside->seconds_left ? line + left_text(*aside->seconds_left) : line;
}

Progress::Progress(std::optional<std::uint64_t> expected, std::function<std::optional<WorkBesides>()> besides)
    : expected_(expected), besides_(std::move(besides)), descriptor_(STDERR_FILENO), begin_(Clock::now()), last_(begin_) {
  if (const char* const asked = std::getenv("TESSERA_PROGRESS"); asked != nullptr) {
    descriptor_ = std::atoi(asked);
    form_ = Form::lines;
  } else if (::isatty(STDERR_FILENO) == 1) {
    form_ = Form::terminal;
  }
}

bool Progress::due(Clock::time_point now) const {
  if (form_ == Form::terminal) return now - last_ >= between_updates;
  return now - last_ >= std::clamp<Clock::duration>((last_ - begin_) / 2, first_line, rarest_line);
}

void Progress::show(LongTime simulated, std::uint64_t done, bool last) {
  const auto now = Clock::now();
  if (!due(now) && !(last && shown_)) return;
  write(progress_line(simulated, done, expected_, std::chrono::duration<double>(now - begin_).count(), aside(now)), now);
}

void Progress::wait(LongTime simulated, std::uint64_t done, std::string_view what) {
  if (form_ == Form::none) return;
  const auto now = Clock::now();
  if (due(now)) write(waiting_line(simulated, done, what, aside(now)), now);
}

/// Of work that began again, or of other work, the rate so far says nothing.
std::optional<Aside> Progress::aside(Clock::time_point now) {
  const std::optional<WorkBesides> work = besides_ ? besides_() : std::nullopt;
  if (!work) return std::nullopt;
  if (!seen_ || seen_->what != work->what || work->done < seen_->done) {
    seen_ = work;
    seen_at_ = now;
  }
  const double gained = work->done - seen_->done;
  if (gained <= 0) return Aside{*work, std::nullopt};
  return Aside{*work, std::chrono::duration<double>(now - seen_at_).count() * (1 - work->done) / gained};
}

void Progress::write(const std::string& line, Clock::time_point now) {
  last_ = now;
  shown_ = form_ == Form::terminal;
  if (shown_)
    ::dprintf(descriptor_, "\r\033[K%s", line.c_str());
  else
    ::dprintf(descriptor_, "%s: %s\n", std::string(program_name()).c_str(), line.c_str());
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  ::dprintf(descriptor_, "\r\033[K");
}

}  // namespace tessera
