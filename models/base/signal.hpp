#pragma once
// Signals: what a block shows of its state, declared in one line where that state lives.
//
//   SignalScope signals_;
//   Signal depth_ = signals_.level("queue_depth", 16);
//   ...
//   depth_.set(queue_.size(), now);
//
// A block knows neither its place in the platform nor who looks on. Its module gives the scope the module's name; recorders, triggers and
// SystemC trace files watch the signals that they want. While nobody watches any, a change costs the test of one flag.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/change_room.hpp"
#include "base/units.hpp"

namespace tessera {

enum class SignalKind : std::uint8_t {
  bit,
  number,  ///< an address or identifier
  level,   ///< how much or how many: a depth, a fill
  state,   ///< one of a few words
  text     ///< one of words that are not known beforehand
};

struct SignalInfo {
  std::string name;
  SignalKind kind = SignalKind::bit;
  std::uint32_t width = 1;             ///< bits
  std::vector<std::string> words;      ///< of a state or text, by value; those of a text grow
  std::optional<std::uint64_t> value;  ///< before the first change; empty where it is unknown
};

/// Who watches signals. Changes are told when they are known, which may be before or after the time at which they happen.
class SignalSink {
 public:
  /// `id` is the watcher's own. Of several values of a signal at one time the last one told counts.
  virtual void change(std::uint32_t id, std::uint64_t value, Picoseconds at) = 0;
  /// What was told of the signal for times beyond `at` does not happen.
  virtual void withdraw(std::uint32_t id, Picoseconds at) = 0;
  /// Where it wants changes of signals that nobody else watches, in place of change(). Stays the same.
  [[nodiscard]] virtual ChangeRoom* room() { return nullptr; }

 protected:
  ~SignalSink() = default;
};

/// A block whose signals change by themselves, by a law: it tells the changes when somebody wants to know, and before the law changes.
class SignalSource {
 public:
  /// Tells what its signals do up to and including `at`, as far as it has not; gives when they change next if nothing intervenes, max()
  /// where they do not.
  virtual Picoseconds tell_until(Picoseconds at) = 0;

 protected:
  ~SignalSource() = default;
};

class SignalScope;

/// A signal where it is declared.
struct DeclaredSignal {
  struct Watcher {
    SignalSink* sink;
    std::uint32_t id;
  };
  ChangeRoom* room = nullptr;    ///< of the recorder that alone watches it
  std::uint64_t id = 0;          ///< its number there
  std::size_t run = 0;           ///< how many signals, from this one on, have consecutive numbers there; 0 without a room
  SignalScope* scope = nullptr;  ///< null: nobody's
  std::uint32_t index = 0;       ///< in the scope
  std::vector<Watcher> watchers;
  SignalInfo info;
  std::vector<std::pair<const char*, std::size_t>> shown;  ///< words of a text, by where they were found: mostly literals
};

/// Handle of a declared signal; copies are the same signal. The default one is nobody's and shows nothing.
class Signal {
 public:
  Signal() : declared_(&nobodys()) {}
  /// The signal has `value` from `at` on.
  void set(std::uint64_t value, Picoseconds at) const;
  /// This signal and those declared after it have these values from `at` on.
  template <std::size_t signals>
  void set_row(const std::array<std::uint64_t, signals>& values, Picoseconds at) const;
  /// As set(), and what was told for times beyond `at` (a transfer that will end) does not happen.
  void replace(std::uint64_t value, Picoseconds at) const;
  /// Of a text: it is `word` from `at` on. Each different word is kept.
  void show(const char* word, Picoseconds at) const {
    if (anyone_watches()) [[unlikely]]
      show_watched(word, at);
  }
  /// Whether any signal is watched, of whatever block: what to ask before work that is done for signals alone.
  [[nodiscard]] static bool anyone_watches() { return watchers_ != 0; }
  /// What it shows before its first change: known before anyone could watch.
  void set_at_rest(std::uint64_t value) const;
  [[nodiscard]] bool watched() const;
  /// See SignalScope::watch().
  void watch(SignalSink& sink, std::uint32_t id) const;

 private:
  friend class SignalScope;
  friend class UseSignals;
  explicit Signal(DeclaredSignal& declared) : declared_(&declared) {}
  [[nodiscard]] static DeclaredSignal& nobodys();
  void set_watched(std::uint64_t value, Picoseconds at) const;
  void show_watched(const char* word, Picoseconds at) const;
  void set_one_by_one(std::span<const std::uint64_t> values, Picoseconds at) const;

  static inline std::uint64_t watchers_ = 0;  // of all signals: a process simulates in one thread
  DeclaredSignal* declared_;
};

/// What shows that a part is in use for a while at a time: whether it is, and how much moves.
class UseSignals {
 public:
  /// Declares `use` and `bytes`.
  explicit UseSignals(SignalScope& part);
  /// From `begin` up to, not including, `end`.
  void show(std::uint64_t bytes, Picoseconds begin, Picoseconds end) const;

 private:
  Signal use_;
  Signal bytes_;
};

/// The signals of a block, and the scopes of its parts. Stays where it is.
class SignalScope {
 public:
  SignalScope() = default;
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  /// Declarations. A name is unique in its scope; names and words hold no blanks, names no dots. What is no number shows 0 until its first
  /// change, a number `at_rest`, or as unknown.
  [[nodiscard]] Signal bit(std::string_view name, std::uint64_t at_rest = 0) {
    return declare({std::string(name), SignalKind::bit, 1, {}, at_rest});
  }
  [[nodiscard]] Signal number(std::string_view name, std::uint32_t width, std::optional<std::uint64_t> at_rest = std::nullopt) {
    return declare({std::string(name), SignalKind::number, width, {}, at_rest});
  }
  [[nodiscard]] Signal level(std::string_view name, std::uint32_t width) {
    return declare({std::string(name), SignalKind::level, width, {}, 0});
  }
  [[nodiscard]] Signal state(std::string_view name, std::vector<std::string> words);
  /// `at_rest` is the word of its value 0.
  [[nodiscard]] Signal text(std::string_view name, std::string_view at_rest) {
    return declare({std::string(name), SignalKind::text, 16, {std::string(at_rest)}, 0});
  }

  /// Who tells signals of this scope that change by themselves; null: none does. A recorder asks it before it writes.
  void set_source(SignalSource& source) { source_ = &source; }
  [[nodiscard]] SignalSource* source() const { return source_; }

  /// A part of this block: made here, or with signals of its own.
  [[nodiscard]] SignalScope& part(std::string_view name);
  void add(std::string_view name, SignalScope& part);

  /// Calls visit(path, scope, index, info) for each signal, in order of declaration; `path` is the scope's, from `own` on.
  template <class Visit>
  void each(const std::string& own, Visit&& visit) {
    for (std::uint32_t index = 0; index < signals_.size(); ++index)
      visit(own, *this, index, static_cast<const SignalInfo&>(signals_[index].info));
    for (const Part& part : parts_) part.scope->each(own.empty() ? part.name : own + "." + part.name, visit);
  }

  /// From here on `sink` is told of the signal's changes, as `id`. What happened before is not told: watch before the simulation starts.
  void watch(std::uint32_t index, SignalSink& sink, std::uint32_t id);
  void unwatch(const SignalSink& sink);

 private:
  friend class Signal;
  struct Part {
    std::string name;
    SignalScope* scope;
    std::unique_ptr<SignalScope> owned;
  };

  Signal declare(SignalInfo info);
  void tell(std::uint32_t index, std::uint64_t value, Picoseconds at) const;
  void withdraw(std::uint32_t index, Picoseconds at) const;
  [[nodiscard]] std::uint64_t value_of(std::uint32_t index, const char* word);
  /// Who watches the signal has changed.
  void find_room(std::uint32_t index);

  bool watched_ = false;  ///< whether any signal of this scope is
  SignalSource* source_ = nullptr;
  std::deque<DeclaredSignal> signals_;
  std::vector<Part> parts_;
};

inline void Signal::set(std::uint64_t value, Picoseconds at) const {
  if (anyone_watches()) [[unlikely]]
    set_watched(value, at);
}

template <std::size_t signals>
void Signal::set_row(const std::array<std::uint64_t, signals>& values, Picoseconds at) const {
  if (!anyone_watches()) [[likely]]
    return;
  if (declared_->run >= signals) {
    if (SignalChange* const row = declared_->room->claim(signals)) {
      for (std::size_t i = 0; i < signals; ++i) row[i] = {at, values[i], declared_->id + i};
      return;
    }
  }
  set_one_by_one(values, at);
}

inline bool Signal::watched() const { return anyone_watches() && declared_->scope != nullptr && declared_->scope->watched_; }

}  // namespace tessera
