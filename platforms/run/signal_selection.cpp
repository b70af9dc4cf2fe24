#include "platforms/run/signal_selection.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"

namespace tessera {

namespace {

/// The path behind the drive's own name.
std::string_view inside(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

/// The path, and those of the scopes that it lies in, each without the drive's name.
std::vector<std::string> names_of(const FoundSignal& signal) {
  std::vector<std::string> names;
  for (std::string name(inside(signal.path())); !name.empty();) {
    names.push_back(name);
    const std::size_t dot = name.rfind('.');
    name.resize(dot == std::string::npos ? 0 : dot);
  }
  return names;
}

bool means(std::string_view pattern, const FoundSignal& signal) {
  const std::string drive = signal.scope.substr(0, signal.scope.find('.'));
  if (pattern == drive) return true;
  return std::ranges::any_of(names_of(signal),
                             [&](const std::string& name) { return matches(pattern, name) || matches(pattern, drive + "." + name); });
}

InputError unknown(const char* kind, const std::string& name, const std::vector<FoundSignal>& all) {
  std::set<std::string> names;
  for (const FoundSignal& signal : all)
    for (std::string& known : names_of(signal)) names.insert(std::move(known));
  return InputError(unknown_name(kind, name, {names.begin(), names.end()}));
}

}  // namespace

void add_signals(const std::string& name, SignalScope& top, std::vector<FoundSignal>& all) {
  top.each(name, [&all](const std::string& path, SignalScope& scope, std::uint32_t index, const SignalInfo& info) {
    all.push_back({path, &scope, index, &info});
  });
}

bool matches(std::string_view pattern, std::string_view text) {
  // After a star, `retry` is where the pattern goes on and `from` how much of the text the star has taken.
  std::size_t at = 0;
  std::size_t retry = std::string_view::npos;
  std::size_t from = 0;
  std::size_t in = 0;
  while (in < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      retry = ++at;
      from = in;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[in])) {
      ++at;
      ++in;
    } else if (retry != std::string_view::npos) {
      at = retry;
      in = ++from;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

std::vector<FoundSignal> select_signals(const std::vector<FoundSignal>& all, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return all;
  for (const std::string& pattern : patterns)
    if (std::ranges::none_of(all, [&](const FoundSignal& signal) { return means(pattern, signal); })) throw unknown("signal", pattern, all);
  std::vector<FoundSignal> chosen;
  for (const FoundSignal& signal : all)
    if (std::ranges::any_of(patterns, [&](const std::string& pattern) { return means(pattern, signal); })) chosen.push_back(signal);
  return chosen;
}

const FoundSignal& find_signal(const std::vector<FoundSignal>& all, const std::string& name) {
  std::string gauge = name;
  std::replace(gauge.begin(), gauge.end(), '.', '_');
  for (const FoundSignal& signal : all)
    if (signal.path() == name || inside(signal.path()) == name || (signal.info->name == gauge && signal.scope.ends_with(".firmware")))
      return signal;
  throw unknown("signal", name, all);
}

}  // namespace tessera
