#pragma once
// Which signals are meant by a pattern or a name on the command line.
#include <string>
#include <vector>

#include "base/signal.hpp"

namespace tessera {

/// A signal and where it is declared.
struct FoundSignal {
  std::string scope;  ///< path from the drive on: "drive.nand.die_3"
  SignalScope* declared_in;
  std::uint32_t index;
  const SignalInfo* info;

  [[nodiscard]] std::string path() const { return scope + "." + info->name; }
};

/// Adds every signal below `top`, whose name is `name`, in order of declaration.
void add_signals(const std::string& name, SignalScope& top, std::vector<FoundSignal>& all);

/// Whether `text` has the form of `pattern`: `*` stands for anything, `?` for one character.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

/// The signals whose path, with or without the drive's name in front, or a scope of theirs has the form of one of the patterns; all where
/// there is none. InputError where a pattern has no signal, with the nearest name.
[[nodiscard]] std::vector<FoundSignal> select_signals(const std::vector<FoundSignal>& all, const std::vector<std::string>& patterns);

/// The signal of this path, with or without the drive's name in front, or the gauge of this name. InputError where there is none.
[[nodiscard]] const FoundSignal& find_signal(const std::vector<FoundSignal>& all, const std::string& name);

}  // namespace tessera
