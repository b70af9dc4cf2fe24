#include "platforms/kernel/signal_watch.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace tessera {

namespace {

/// The signals that the patterns mean, by number; gauges by their own names, too.
std::vector<std::uint32_t> numbers_of(const std::vector<FoundSignal>& all, std::vector<std::string> patterns) {
  for (std::string& pattern : patterns) {
    std::string gauge = pattern;
    std::ranges::replace(gauge, '.', '_');
    for (const FoundSignal& signal : all)
      if (signal.info->name == gauge && signal.scope.ends_with(".firmware")) pattern = signal.path();
  }
  std::vector<std::uint32_t> numbers;
  for (const FoundSignal& chosen : select_signals(all, patterns))
    numbers.push_back(static_cast<std::uint32_t>(std::ranges::find(all, chosen.info, &FoundSignal::info) - all.begin()));
  return numbers;
}

}  // namespace

SignalWatch::~SignalWatch() {
  for (const FoundSignal& signal : all_) signal.declared_in->unwatch(*this);
}

void SignalWatch::begin(std::vector<FoundSignal> all) {
  all_ = std::move(all);
  watched_.resize(all_.size());
}

void SignalWatch::record(const std::vector<std::string>& patterns) {
  for (const std::uint32_t number : numbers_of(all_, patterns)) {
    watch_scope_of(number);
    Watched& watched = watched_[number];
    catch_up(watched);
    if (!std::exchange(watched.is_recorded, true) && watched.value) watched.past.push_back({timeline_.now(), *watched.value});
  }
}

std::uint32_t SignalWatch::watch(const std::string& name) {
  const FoundSignal& found = find_signal(all_, name);
  const auto number = static_cast<std::uint32_t>(&found - all_.data());
  watch_scope_of(number);
  return number;
}

/// A gauge's value at rest is kept up to date only while nothing of its scope is watched.
void SignalWatch::watch_scope_of(std::uint32_t signal) {
  if (watched_[signal].is_watched) return;
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    if (all_[i].declared_in != all_[signal].declared_in) continue;
    watched_[i].is_watched = true;
    watched_[i].value = all_[i].info->value;
    watched_[i].since = timeline_.now();
    all_[i].declared_in->watch(all_[i].index, *this, i);
  }
}

/// Of several values at one time the last one told counts; what is told late of a time before the latest changes nothing but the record.
void SignalWatch::settle(Watched& watched, const Told& told) {
  if (watched.is_recorded) watched.past.push_back(told);
  if (told.at < watched.since) return;
  watched.value = told.value;
  watched.since = told.at;
}

void SignalWatch::catch_up(Watched& watched) {
  if (watched.to_come.empty()) return;
  const Picoseconds now = timeline_.now();
  std::ranges::stable_sort(watched.to_come, {}, &Told::at);
  const auto later = std::ranges::find_if(watched.to_come, [now](const Told& told) { return told.at > now; });
  for (auto told = watched.to_come.begin(); told != later; ++told) settle(watched, *told);
  watched.to_come.erase(watched.to_come.begin(), later);
}

void SignalWatch::change(std::uint32_t id, std::uint64_t value, Picoseconds at) {
  Watched& watched = watched_[id];
  catch_up(watched);
  const std::uint32_t width = all_[id].info->width;
  const Told told{at, width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1)};
  if (at > timeline_.now())
    watched.to_come.push_back(told);
  else
    settle(watched, told);
  listener_.signal_changes(id, at);
}

void SignalWatch::withdraw(std::uint32_t id, Picoseconds at) {
  Watched& watched = watched_[id];
  catch_up(watched);
  std::erase_if(watched.to_come, [at](const Told& told) { return told.at > at; });
}

std::optional<std::uint64_t> SignalWatch::value(std::uint32_t signal) {
  catch_up(watched_[signal]);
  return watched_[signal].value;
}

std::vector<std::uint32_t> SignalWatch::recorded(const std::vector<std::string>& patterns) const {
  std::vector<FoundSignal> kept;
  std::vector<std::uint32_t> kept_numbers;
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    if (!watched_[i].is_recorded) continue;
    kept.push_back(all_[i]);
    kept_numbers.push_back(i);
  }
  if (kept.empty()) throw InputError("no signal is recorded: name those to record, as in record(\"media.*\"), before they change");
  std::vector<std::uint32_t> numbers = numbers_of(kept, patterns);
  for (std::uint32_t& number : numbers) number = kept_numbers[number];
  return numbers;
}

SignalHistory SignalWatch::history(std::uint32_t signal, Picoseconds since, Picoseconds until) {
  Watched& watched = watched_[signal];
  catch_up(watched);
  std::ranges::stable_sort(watched.past, {}, &Told::at);
  SignalHistory history{all_[signal].info, {}, {}};
  for (const Told& told : watched.past) {
    if (told.at > until) break;
    const std::uint64_t at = std::max(told.at, since).value();
    if (!history.times.empty() && history.times.back() == at) {
      history.values.back() = told.value;
    } else {
      history.times.push_back(at);
      history.values.push_back(told.value);
    }
    const std::size_t n = history.values.size();
    if (n > 1 && history.values[n - 2] == history.values[n - 1]) {
      history.times.pop_back();
      history.values.pop_back();
    }
  }
  return history;
}

}  // namespace tessera
