#include "platforms/output/program_name.hpp"

#include <cctype>
#include <cstdlib>

namespace tessera {

namespace {

constexpr std::string_view own_name = "tessera-sim";
constexpr std::string_view front_end = "tessera";

/// A character that a path or a longer word may have beside the name. A full stop counts if a letter follows: a file's suffix.
bool in_word(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const auto letter = [&](std::size_t i) { return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  return letter(at) || text[at] == '/' || text[at] == '-' || text[at] == '_' || (text[at] == '.' && letter(at + 1));
}

}  // namespace

std::string_view program_name() {
  static const bool called_by_front_end = [] {
    const char* const name = std::getenv("TESSERA_CALLED_AS");
    return name != nullptr && name == front_end;
  }();
  return called_by_front_end ? front_end : own_name;
}

std::string commands_under(std::string_view name, std::string_view text) {
  std::string changed;
  std::size_t from = 0;
  for (std::size_t at = text.find(own_name); at != std::string_view::npos; at = text.find(own_name, from)) {
    const std::size_t end = at + own_name.size();
    const bool word = (at == 0 || !in_word(text, at - 1)) && !in_word(text, end);
    changed.append(text.substr(from, at - from)).append(word ? name : own_name);
    from = end;
  }
  return changed.append(text.substr(from));
}

}  // namespace tessera
