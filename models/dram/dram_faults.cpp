#include "dram/dram_faults.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace tessera {

namespace {

/// Trials of a Bernoulli process in the mean time between two errors: enough to be a Poisson process to the eye, in integers.
constexpr std::uint64_t trials_per_error = 16;
/// 10^9 hours.
constexpr unsigned __int128 giga_hours_in_ps = static_cast<unsigned __int128>(3'600'000'000'000) * ps_per_second;
/// Between two errors in the whole DRAM: where they come faster, drawing them is all that the simulator does, and no table lives long
/// enough for the firmware to boot.
constexpr Picoseconds shortest_gap{1'000'000};
/// A time between two trials that no simulation reaches.
constexpr std::uint64_t longest_trial = std::uint64_t{1} << 62;

Picoseconds time_of_trial(const DramConfig& config) {
  if (config.bit_error_rate == 0 || config.capacity == Bytes(0)) return {};
  constexpr std::uint64_t bytes_per_megabit = 131'072;
  const auto errors = static_cast<unsigned __int128>(config.bit_error_rate) * config.capacity.value() * trials_per_error;
  const unsigned __int128 trial = giga_hours_in_ps * bytes_per_megabit / errors;
  return Picoseconds(trial < 1 ? 1 : trial > longest_trial ? longest_trial : static_cast<std::uint64_t>(trial));
}

}  // namespace

DramFaults::DramFaults(const DramConfig& config, std::uint64_t seed)
    : words_(config.capacity.value() / word_bytes),
      trial_(time_of_trial(config)),
      double_errors_(config.double_errors_per_thousand),
      random_(seed, "dram.bit_errors") {
  for (std::size_t i = 0; i < config.bit_errors.size(); ++i) {
    const NumberRow& row = config.bit_errors[i];
    const std::string where = "dram.bit_errors: row " + std::to_string(i + 1);
    if (!(row[0] > 0 && row[0] < 1e10))
      throw InputError(where + ": expected a time above 0 ms: before the first power-on nothing is stored");
    if (!(row[1] >= 0 && row[1] < static_cast<double>(words_ * word_bytes)))
      throw InputError(where + ": expected an address below dram.capacity, " + std::to_string(words_ * word_bytes));
    if (row[2] != 1 && row[2] != 2) throw InputError(where + ": expected 1 or 2 wrong bits");
    scripted_.push_back({Picoseconds(static_cast<std::uint64_t>(std::llround(row[0] * 1e9))),
                         static_cast<std::uint64_t>(row[1]) / word_bytes, static_cast<std::uint64_t>(row[2])});
  }
  std::stable_sort(scripted_.begin(), scripted_.end(), [](const Error& a, const Error& b) { return a.at < b.at; });
  if (trial_ == Picoseconds(0)) return;
  if (trial_ < shortest_gap / trials_per_error)  // the product would overflow for the rarest errors
    throw InputError("dram.bit_error_rate = " + std::to_string(config.bit_error_rate) + " on " + std::to_string(config.capacity.value()) +
                     " bytes is more than a million bit errors a second; expected a lower rate");
  draw_next();
}

/// One of the trials, each of which is an error with the same probability, hits; where in its time is drawn too.
void DramFaults::draw_next() {
  do {
    if (next_trial_ >= never - trial_) {
      next_drawn_ = never;
      return;
    }
    next_trial_ += trial_;
  } while (random_.below(trials_per_error) != 0);
  next_drawn_ = next_trial_ - Picoseconds(random_.below(trial_.value()));
}

void DramFaults::strike(const Error& error) {
  ++struck_;
  Wrong& wrong = wrong_[error.word];
  wrong.since = std::max(wrong.since, error.at);
  wrong.bits += error.bits;
}

void DramFaults::strike_until(Picoseconds at) {
  while (next_scripted_ < scripted_.size() && scripted_[next_scripted_].at <= at) strike(scripted_[next_scripted_++]);
  while (next_drawn_ <= at && next_drawn_ != never) {
    const std::uint64_t word = random_.below(words_);
    strike({next_drawn_, word, random_.below(1000) < double_errors_ ? std::uint64_t{2} : 1});
    draw_next();
  }
}

/// The CPU's local time runs ahead of DMA's: errors may lie there that are yet to come.
std::uint64_t DramFaults::access(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds at) {
  strike_until(at);
  std::uint64_t corrected = 0;
  for (auto found = wrong_.lower_bound(address / word_bytes); found != wrong_.end() && found->first * word_bytes < address + bytes;) {
    const auto& [word, wrong] = *found;
    if (wrong.since > at) {
      ++found;
      continue;
    }
    const bool whole = word * word_bytes >= address && (word + 1) * word_bytes <= address + bytes;
    if (access == Access::read || !whole) {
      if (wrong.bits == 1) {
        ++corrected;
      } else {
        ++uncorrectable_;
        failed_.emplace_back(word * word_bytes);
      }
    }
    found = wrong_.erase(found);
  }
  corrected_ += corrected;
  return corrected;
}

void DramFaults::initialise(Picoseconds now) {
  strike_until(now);
  wrong_.clear();
}

void DramFaults::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* description) {
    metrics.count(name, static_cast<double>(value), "1", description);
  };
  count("dram.bit_errors", struck_, "bit errors that struck the DRAM, also where nothing was stored");
  count("dram.ecc_corrected", corrected_, "words read with one wrong bit, which ECC corrected");
  count("dram.ecc_uncorrectable", uncorrectable_, "words read with more wrong bits than ECC corrects");
}

}  // namespace tessera
