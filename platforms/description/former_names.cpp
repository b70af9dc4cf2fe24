#include "platforms/description/former_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tessera {

static constexpr std::array<std::pair<std::string_view, std::string_view>, 15> former_names{{
    {"p000", "mu-rmw-paper"},
    {"p001", "interlaced-paper"},
    {"p002", "amphisbaena-paper"},
    {"p003", "hwsr-paper"},
    {"p003_cmr", "hwsr-paper-cmr"},
    {"p004", "shingled-in-place-paper"},
    {"p004_mechanics", "shingled-in-place-paper-mechanics"},
    {"static-1234", "shingled-in-place-1234"},
    {"static-r4123", "shingled-in-place-r4123"},
    {"static-124r3", "shingled-in-place-124r3"},
    {"static-14r23", "shingled-in-place-14r23"},
    {"static_1234", "shingled_in_place_1234"},
    {"static_r4123", "shingled_in_place_r4123"},
    {"static_124r3", "shingled_in_place_124r3"},
    {"static_14r23", "shingled_in_place_14r23"},
}};

std::string current_name(std::string_view name) {
  const auto renamed = std::ranges::find(former_names, name, &std::pair<std::string_view, std::string_view>::first);
  return std::string(renamed == former_names.end() ? name : renamed->second);
}

std::vector<std::string> former_names_of(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [former, current] : former_names)
    if (current == name) names.emplace_back(former);
  return names;
}

bool spelled_alike(std::string_view a, std::string_view b) {
  const auto hyphen = [](char c) { return c == '_' ? '-' : c; };
  return std::ranges::equal(a, b, {}, hyphen, hyphen);
}

}  // namespace tessera
