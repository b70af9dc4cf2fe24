#include "platforms/description/unused_parameters.hpp"

#include <algorithm>
#include <map>

namespace tessera {

namespace {

constexpr std::size_t most_named = 6;

struct Reason {
  std::string why;
  std::vector<std::string> parameters;

  [[nodiscard]] std::string sentence() const {
    std::string names;
    for (std::size_t i = 0; i < std::min(parameters.size(), most_named); ++i) names += (i == 0 ? "" : ", ") + parameters[i];
    if (parameters.size() > most_named) names += " and " + std::to_string(parameters.size() - most_named) + " more";
    return names + ": without effect, " + why;
  }
};

}  // namespace

bool UnusedParameters::covers(std::string_view parameter) const {
  return path.ends_with('.') || path.ends_with('_') ? parameter.starts_with(path) : parameter == path;
}

std::vector<std::string> unused_sentences(const std::vector<Parameter>& values, const std::vector<Parameter>& defaults,
                                          const std::vector<UnusedParameters>& between_blocks, const TomlDocument& document) {
  std::map<std::string, std::string> untouched;
  for (const Parameter& parameter : defaults) untouched.emplace(parameter.path(), parameter.value);
  std::vector<Reason> reasons;
  for (const Parameter& parameter : values) {
    if (parameter.kind == ParameterKind::section) continue;
    const std::string path = parameter.path();
    const Author author = document.author_of(path);
    const bool asked = author == Author::command_line || (author == Author::own_file && parameter.value != untouched[path]);
    if (!asked) continue;
    // What another block says comes first: it holds whatever the block's own values are.
    const auto other = std::ranges::find_if(between_blocks, [&](const UnusedParameters& unused) { return unused.covers(path); });
    if (other != between_blocks.end() && other->for_other_uses && author != Author::command_line) continue;
    const std::string& why = other != between_blocks.end() ? other->why : parameter.unused;
    if (why.empty()) continue;
    auto reason = std::ranges::find(reasons, why, &Reason::why);
    if (reason == reasons.end()) reason = reasons.insert(reasons.end(), Reason{why, {}});
    reason->parameters.push_back(path);
  }
  std::vector<std::string> sentences;
  sentences.reserve(reasons.size());
  for (const Reason& reason : reasons) sentences.push_back(reason.sentence());
  return sentences;
}

}  // namespace tessera
