#include "base/error.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.hpp"

namespace tessera {

void model_bug(const char* file, int line, const char* what) {
  throw ModelBug(std::string(what) + " (" + file + ":" + std::to_string(line) + ")");
}

InputError input_error(std::string_view file, std::uint64_t line, std::string_view message) {
  std::string text(file);
  if (line != 0) text += ":" + std::to_string(line);
  return InputError(text + ": " + std::string(message));
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  // A name that was not written to its end is what it begins; one or two letters begin too many.
  const auto effort = [name](const std::string& candidate) {
    return std::pair(name.size() < 3 || !candidate.starts_with(name), edit_distance(name, candidate));
  };
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) { return effort(a) < effort(b); });
  return nearest == known.end() ? std::string() : *nearest;
}

std::string unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known) {
  std::string text = "unknown " + std::string(kind) + " '" + std::string(name) + "'";
  if (known.empty()) return text;
  text += "; did you mean '" + nearest_name(name, known) + "'?";
  if (known.size() > 24) return text;
  text += " known:";
  for (const auto& entry : known) text += (&entry == &known.front() ? " " : ", ") + entry;
  return text;
}

}  // namespace tessera
