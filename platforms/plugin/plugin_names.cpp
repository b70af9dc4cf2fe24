#include "platforms/plugin/plugin_names.hpp"

namespace tessera {

namespace {

constexpr std::size_t longest = 64;
constexpr std::string_view small_letters_and_digits = "abcdefghijklmnopqrstuvwxyz0123456789";

bool made_of(std::string_view name, const std::string& characters) {
  return !name.empty() && name.size() <= longest && name.find_first_not_of(characters) == std::string_view::npos;
}

/// Without what a terminal or another file would take for something else.
std::string shown(std::string_view name) {
  std::string text(name.substr(0, longest));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return "has the name '" + text + (name.size() > longest ? "...'" : "'");
}

}  // namespace

std::string fault_of_layer_name(std::string_view name) {
  const bool plain = made_of(name, std::string(small_letters_and_digits) + "-") && name.front() != '-';
  if (plain && name != "all" && name != "best") return "";
  return shown(name) + "; expected up to 64 of a-z, 0-9 and '-', the first no '-', and neither 'all' nor 'best', which stand for layers";
}

std::string fault_of_name(std::string_view name) {
  static const std::string characters = std::string(small_letters_and_digits) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
  return made_of(name, characters) ? "" : shown(name) + "; expected up to 64 letters, digits and any of '._-'";
}

}  // namespace tessera
