#include "base/signal.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/told_change.hpp"

namespace tessera {

namespace {

constexpr std::size_t most_literals = 64;  // looked for one after the other

/// What every file of waveforms can hold as it is.
bool plain(char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; }

bool one_word(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), plain); }

std::string as_word(std::string_view text) {
  std::string word(text);
  std::replace_if(
      word.begin(), word.end(), [](char c) { return !plain(c); }, '_');
  return word;
}

/// Apart, so that the usual way needs no stack.
[[gnu::noinline]] void show_one_by_one(const Signal& use, const Signal& moved, std::uint64_t bytes, Picoseconds begin, Picoseconds end) {
  use.set(1, begin);
  moved.set(bytes, begin);
  use.set(0, end);
}

}  // namespace

DeclaredSignal& Signal::nobodys() {
  static DeclaredSignal nobodys;
  return nobodys;
}

void Signal::replace(std::uint64_t value, Picoseconds at) const {
  if (!watched()) return;
  if (declared_->room != nullptr)
    declared_->room->add(withdrawal_of(declared_->id, at));
  else
    declared_->scope->withdraw(declared_->index, at);
  set_watched(value, at);
}

void Signal::set_watched(std::uint64_t value, Picoseconds at) const {
  if (declared_->room != nullptr) [[likely]]
    return declared_->room->add({at, value, declared_->id});
  if (declared_->scope != nullptr) declared_->scope->tell(declared_->index, value, at);
}

void Signal::set_one_by_one(std::span<const std::uint64_t> values, Picoseconds at) const {
  if (!watched()) return;
  for (std::uint32_t i = 0; i < values.size(); ++i) Signal(declared_->scope->signals_[declared_->index + i]).set_watched(values[i], at);
}

void Signal::show_watched(const char* word, Picoseconds at) const {
  if (watched()) set_watched(declared_->scope->value_of(declared_->index, word), at);
}

UseSignals::UseSignals(SignalScope& part) : use_(part.state("use", {"idle", "moving"})), bytes_(part.number("bytes", 32)) {}

void UseSignals::show(std::uint64_t bytes, Picoseconds begin, Picoseconds end) const {
  const DeclaredSignal& use = *use_.declared_;
  const std::uint64_t lasts = end.value() - begin.value();
  if (use.run >= 2 && lasts - 1 < SignalChange::longest_use) [[likely]]  // 0 wraps around to very long
    return use.room->add({begin, bytes, use.id | lasts << SignalChange::number_bits});
  show_one_by_one(use_, bytes_, bytes, begin, end);
}

SignalScope::~SignalScope() {
  for (const DeclaredSignal& signal : signals_) Signal::watchers_ -= signal.watchers.size();
}

void Signal::watch(SignalSink& sink, std::uint32_t id) const { declared_->scope->watch(declared_->index, sink, id); }

void Signal::set_at_rest(std::uint64_t value) const { declared_->info.value = value; }

Signal SignalScope::state(std::string_view name, std::vector<std::string> words) {
  TESSERA_CHECK(!words.empty() && std::all_of(words.begin(), words.end(), one_word), "the states of a signal are words without blanks");
  const auto width = static_cast<std::uint32_t>(std::bit_width((words.size() - 1) | 1));
  return declare({std::string(name), SignalKind::state, width, std::move(words), 0});
}

Signal SignalScope::declare(SignalInfo info) {
  TESSERA_CHECK(one_word(info.name) && info.name.find('.') == std::string::npos, "the name of a signal is a word without blanks and dots");
  TESSERA_CHECK(info.width >= 1 && info.width <= 64, "a signal has 1 to 64 bits");
  for (const DeclaredSignal& other : signals_) TESSERA_CHECK(other.info.name != info.name, "a signal is declared twice");
  DeclaredSignal& declared = signals_.emplace_back();
  declared.scope = this;
  declared.index = static_cast<std::uint32_t>(signals_.size() - 1);
  declared.info = std::move(info);
  return Signal(declared);
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
  find_room(index);
}

void SignalScope::unwatch(const SignalSink& sink) {
  watched_ = false;
  for (DeclaredSignal& signal : signals_) {
    Signal::watchers_ -= std::erase_if(signal.watchers, [&sink](const DeclaredSignal::Watcher& watcher) { return watcher.sink == &sink; });
    watched_ = watched_ || !signal.watchers.empty();
    find_room(signal.index);
  }
  for (const Part& part : parts_) part.scope->unwatch(sink);
}

void SignalScope::find_room(std::uint32_t index) {
  DeclaredSignal& signal = signals_[index];
  signal.room = signal.watchers.size() == 1 ? signal.watchers.front().sink->room() : nullptr;
  signal.id = signal.room != nullptr ? signal.watchers.front().id : 0;
  for (std::size_t i = std::size_t{index} + 1; i-- > 0;) {
    DeclaredSignal& one = signals_[i];
    const DeclaredSignal* next = i + 1 < signals_.size() ? &signals_[i + 1] : nullptr;
    const bool goes_on = next != nullptr && next->room == one.room && next->id == one.id + 1;
    one.run = one.room == nullptr ? 0 : goes_on ? next->run + 1 : 1;
  }
}

void SignalScope::tell(std::uint32_t index, std::uint64_t value, Picoseconds at) const {
  for (const DeclaredSignal::Watcher& watcher : signals_[index].watchers) watcher.sink->change(watcher.id, value, at);
}

void SignalScope::withdraw(std::uint32_t index, Picoseconds at) const {
  for (const DeclaredSignal::Watcher& watcher : signals_[index].watchers) watcher.sink->withdraw(watcher.id, at);
}

std::uint64_t SignalScope::value_of(std::uint32_t index, const char* word) {
  DeclaredSignal& text = signals_[index];
  std::vector<std::string>& words = text.info.words;
  // A buffer may hold another word by now.
  for (const auto& [place, value] : text.shown)
    if (place == word && std::strcmp(words[value].c_str(), word) == 0) return value;
  const auto known = std::find(words.begin(), words.end(), as_word(word));
  const auto value = static_cast<std::size_t>(known - words.begin());
  if (known == words.end()) words.push_back(as_word(word));
  if (text.shown.size() < most_literals && words[value] == word) text.shown.emplace_back(word, value);
  return value;
}

}  // namespace tessera
