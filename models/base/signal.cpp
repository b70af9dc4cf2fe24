#include "base/signal.hpp"

#include <algorithm>
#include <bit>

namespace tessera {

namespace {

/// What every file of waveforms can hold as it is.
bool plain(char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; }

bool one_word(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), plain); }

std::string as_word(std::string_view text) {
  std::string word(text);
  std::replace_if(
      word.begin(), word.end(), [](char c) { return !plain(c); }, '_');
  return word;
}

}  // namespace

void Signal::replace(std::uint64_t value, Picoseconds at) const {
  if (!watched()) return;
  scope_->withdraw(index_, at);
  scope_->tell(index_, value, at);
}

void Signal::set_watched(std::uint64_t value, Picoseconds at) const {
  if (watched()) scope_->tell(index_, value, at);
}

void Signal::show_watched(const char* word, Picoseconds at) const {
  if (watched()) scope_->tell(index_, scope_->value_of(index_, word), at);
}

SignalScope::~SignalScope() {
  for (const Declared& signal : signals_) Signal::watchers_ -= signal.watchers.size();
}

void Signal::watch(SignalSink& sink, std::uint32_t id) const { scope_->watch(index_, sink, id); }

void Signal::set_at_rest(std::uint64_t value) const { scope_->signals_[index_].info.value = value; }

Signal SignalScope::state(std::string_view name, std::vector<std::string> words) {
  TESSERA_CHECK(!words.empty() && std::all_of(words.begin(), words.end(), one_word), "the states of a signal are words without blanks");
  const auto width = static_cast<std::uint32_t>(std::bit_width((words.size() - 1) | 1));
  return declare({std::string(name), SignalKind::state, width, std::move(words), 0});
}

Signal SignalScope::declare(SignalInfo info) {
  TESSERA_CHECK(one_word(info.name) && info.name.find('.') == std::string::npos, "the name of a signal is a word without blanks and dots");
  TESSERA_CHECK(info.width >= 1 && info.width <= 64, "a signal has 1 to 64 bits");
  for (const Declared& other : signals_) TESSERA_CHECK(other.info.name != info.name, "a signal is declared twice");
  signals_.push_back({std::move(info), {}});
  return {this, static_cast<std::uint32_t>(signals_.size() - 1)};
}

SignalScope& SignalScope::part(std::string_view name) {
  auto made = std::make_unique<SignalScope>();
  SignalScope& scope = *made;
  add(name, scope);
  parts_.back().owned = std::move(made);
  return scope;
}

void SignalScope::add(std::string_view name, SignalScope& part) {
  TESSERA_CHECK(one_word(name), "the name of a scope is a word without blanks");
  for (const Part& other : parts_) TESSERA_CHECK(other.name != name, "a scope of signals is declared twice");
  parts_.push_back({std::string(name), &part, nullptr});
}

void SignalScope::watch(std::uint32_t index, SignalSink& sink, std::uint32_t id) {
  signals_[index].watchers.push_back({&sink, id});
  watched_ = true;
  ++Signal::watchers_;
}

void SignalScope::unwatch(const SignalSink& sink) {
  watched_ = false;
  for (Declared& signal : signals_) {
    Signal::watchers_ -= std::erase_if(signal.watchers, [&sink](const Watcher& watcher) { return watcher.sink == &sink; });
    watched_ = watched_ || !signal.watchers.empty();
  }
  for (const Part& part : parts_) part.scope->unwatch(sink);
}

void SignalScope::tell(std::uint32_t index, std::uint64_t value, Picoseconds at) const {
  const std::vector<Watcher>& watchers = signals_[index].watchers;
  // Mostly a recorder alone watches: it is called without a frame of this function's.
  if (watchers.size() == 1) [[likely]]
    return watchers.front().sink->change(watchers.front().id, value, at);
  [&]() __attribute__((noinline)) {
    for (const Watcher& watcher : watchers) watcher.sink->change(watcher.id, value, at);
  }
  ();
}

void SignalScope::withdraw(std::uint32_t index, Picoseconds at) const {
  for (const Watcher& watcher : signals_[index].watchers) watcher.sink->withdraw(watcher.id, at);
}

std::uint64_t SignalScope::value_of(std::uint32_t index, std::string_view word) {
  std::vector<std::string>& words = signals_[index].info.words;
  std::string shown = as_word(word);
  const auto known = std::find(words.begin(), words.end(), shown);
  if (known != words.end()) return static_cast<std::uint64_t>(known - words.begin());
  words.push_back(std::move(shown));
  return words.size() - 1;
}

}  // namespace tessera
