#include "stimuli/readers/column_names.hpp"

#include <algorithm>

#include "stimuli/readers/columns_spec.hpp"

namespace tessera {

std::vector<std::string> name_groups(std::string& regex) {
  std::vector<std::string> names;
  std::string plain;
  bool in_class = false;
  for (std::size_t i = 0; i < regex.size(); ++i) {
    const char c = regex[i];
    plain += c;
    if (c == '\\' && i + 1 < regex.size()) {
      plain += regex[++i];
      continue;
    }
    in_class = in_class ? c != ']' : c == '[';
    if (c != '(' || in_class) continue;
    if (i + 1 >= regex.size() || regex[i + 1] != '?') {
      names.emplace_back();
      continue;
    }
    const std::size_t open = regex.compare(i + 1, 3, "?P<") == 0 ? i + 4 : i + 3;
    const bool named = regex[open - 1] == '<' && open < regex.size() && regex[open] != '=' && regex[open] != '!';
    const auto close = named ? regex.find('>', open) : std::string::npos;
    if (close == std::string::npos) continue;  // (?: and the like
    names.push_back(regex.substr(open, close - open));
    i = close;
  }
  regex = std::move(plain);
  return names;
}

std::vector<ColumnsSpec::Place*> ColumnsSpec::places() {
  std::vector<Place*> all{&time.at, &time_of_day, &response.at, &offset.at, &size.at, &op, &only.at, &except.at, &fua.at, &flush.at};
  for (auto& place : volume) all.push_back(&place);
  return all;
}

std::vector<std::string> ColumnsSpec::names() {
  std::vector<std::string> all;
  for (const auto* place : places())
    if (!place->name.empty() && !place->optional) all.push_back(place->name);
  return all;
}

bool ColumnsSpec::resolve(const std::vector<std::string>& columns) {
  std::vector<std::pair<Place*, int>> found;
  for (auto* place : places()) {
    if (place->name.empty()) continue;
    const auto column = std::ranges::find(columns, place->name);
    if (column == columns.end() && place->optional) {
      found.emplace_back(place, 0);
      continue;
    }
    if (column == columns.end()) return false;
    found.emplace_back(place, static_cast<int>(column - columns.begin()) + 1);
  }
  for (const auto& [place, number] : found) *place = {number, {}, false};
  return true;
}

}  // namespace tessera
