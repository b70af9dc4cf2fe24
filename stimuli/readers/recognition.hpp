#pragma once
// Which format a file is of: the readings that fit, with their figures.
#include <string>
#include <vector>

#include "stimuli/readers/format_registry.hpp"
#include "stimuli/readers/trial.hpp"

namespace tessera {

/// One way to read a file, with what it makes of the sample.
struct Candidate {
  const Registered* entry = nullptr;
  Evidence evidence;
  Trial trial;

  [[nodiscard]] std::string words() const;  ///< of --format
};

/// The readings that fit, the best first. `others`: those below the score at which a format is tried as well.
[[nodiscard]] std::vector<Candidate> candidates(const std::string& path, const Sample& sample, bool others = false);

/// The best reading, and those that fit as well and give other numbers: then only the user can tell.
struct Verdict {
  const Candidate* taken = nullptr;  ///< null: none fits
  std::vector<const Candidate*> rivals;
};
[[nodiscard]] Verdict judge(const std::vector<Candidate>& all);

/// "two readings fit: as A ...; as B ... Choose one with ..."
[[nodiscard]] std::string refusal(const Verdict& verdict);
/// "read as ..., ..."
[[nodiscard]] std::string taken_text(const Candidate& chosen, const Sample& sample);

/// Whether the times of a format are whole seconds: requests of one second arrive together.
[[nodiscard]] bool has_whole_seconds(std::string_view name);

struct Chosen {
  std::string words;  ///< of --format
  std::string told;   ///< "read as ..."
};
/// The reading that the sample fits; "columns" where PATH.columns.toml stands beside the trace. InputError where none does, or several.
[[nodiscard]] Chosen format_of(const std::string& path, const Sample& sample);

/// What a file, read as `words` until `text`, seems to hold instead: "; the line looks like spc", or "". `named`: the user named the
/// format.
[[nodiscard]] std::string other_content(const std::string& path, const std::string& words, std::string_view text, bool named);

}  // namespace tessera
