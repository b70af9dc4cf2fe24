#pragma once
// What signals show at an instant, and what they have shown: for conditions on their values, and as columns of times and values.
//
// A scope is watched as a whole, from the first time that somebody asks for one of its signals. Until then a gauge is known by what its
// scope says of it at rest, and any other signal by the value that it had before its first change.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/signal.hpp"
#include "base/timeline.hpp"
#include "platforms/run/signal_selection.hpp"

namespace tessera {

/// A signal's changes: it has values[i] from times[i] on, which rise.
struct SignalHistory {
  const SignalInfo* info;
  std::vector<std::uint64_t> times;  ///< ps
  std::vector<std::uint64_t> values;
};

/// Who is told that a watched signal changes: it may have another value at `at`, which may be to come.
class SignalListener {
 public:
  virtual void signal_changes(std::uint32_t signal, Picoseconds at) = 0;

 protected:
  ~SignalListener() = default;
};

class SignalWatch final : private SignalSink {
 public:
  SignalWatch(const Timeline& timeline, SignalListener& listener) : timeline_(timeline), listener_(listener) {}
  ~SignalWatch();

  /// The signals to choose from; once.
  void begin(std::vector<FoundSignal> all);
  /// From here on the changes of the signals of these patterns are kept. InputError where one has no signal; then none is.
  void record(const std::vector<std::string>& patterns);

  /// The number of the signal or gauge of this name, watched from here on. InputError with the nearest name where there is none.
  [[nodiscard]] std::uint32_t watch(const std::string& name);
  /// Its value at now(); empty where it is not known: a signal that has not changed since it is watched.
  [[nodiscard]] std::optional<std::uint64_t> value(std::uint32_t signal);
  [[nodiscard]] const SignalInfo& info(std::uint32_t signal) const { return *all_[signal].info; }
  [[nodiscard]] const std::vector<FoundSignal>& all() const { return all_; }

  /// The changes of a recorded signal in [since, until]; the first is its value at `since`, where that is known.
  [[nodiscard]] SignalHistory history(std::uint32_t signal, Picoseconds since, Picoseconds until);
  /// The recorded signals that a pattern means, by number. InputError where it means none.
  [[nodiscard]] std::vector<std::uint32_t> recorded(const std::vector<std::string>& patterns) const;

 private:
  struct Told {
    Picoseconds at;
    std::uint64_t value;
  };
  struct Watched {
    bool is_watched = false;
    bool is_recorded = false;
    std::optional<std::uint64_t> value;  ///< as of `since`
    Picoseconds since;
    std::vector<Told> to_come;  ///< told for later, in the order in which it was told
    std::vector<Told> past;     ///< of a recorded one
  };

  void change(std::uint32_t id, std::uint64_t value, Picoseconds at) override;
  void withdraw(std::uint32_t id, Picoseconds at) override;
  void watch_scope_of(std::uint32_t signal);
  void settle(Watched& watched, const Told& told);
  void catch_up(Watched& watched);

  const Timeline& timeline_;
  SignalListener& listener_;
  std::vector<FoundSignal> all_;
  std::vector<Watched> watched_;  // by number
};

}  // namespace tessera
