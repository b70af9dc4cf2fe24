#pragma once
// A condition on a signal or gauge as a user writes it: "media.state == seek", "firmware.flash_free_blocks < 20", "flash.free_blocks < 20".
#include <string>
#include <string_view>

#include "base/signal.hpp"

namespace tessera {

enum class Comparison : std::uint8_t { less, at_most, equal, not_equal, at_least, more };

struct SignalCondition {
  std::string signal;
  Comparison comparison = Comparison::equal;
  std::string against;  ///< a number, or a word of a state

  /// Reads NAME COMPARISON VALUE. InputError where it has another form.
  [[nodiscard]] static SignalCondition parse(std::string_view text);
  /// Whether the text has a comparison at all.
  [[nodiscard]] static bool is_one(std::string_view text);

  /// InputError where the value is none that such a signal can have, with the nearest word.
  void check(const SignalInfo& info) const;
  /// After check().
  [[nodiscard]] bool holds(std::uint64_t value, const SignalInfo& info) const;
};

}  // namespace tessera
