#include "platforms/description/named_places.hpp"

#include <cctype>
#include <set>

namespace tessera {

namespace {

using Table = DescriptionValue::Table;

/// The words that could be paths: "dram.capacity" of "(dram.capacity)".
std::set<std::string> path_like_words(const std::string& sentence) {
  std::set<std::string> words;
  std::string word;
  for (const char c : sentence + ' ') {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.') {
      word += c;
      continue;
    }
    while (word.ends_with('.')) word.pop_back();
    if (!word.empty()) words.insert(word);
    word.clear();
  }
  return words;
}

bool is_named(const std::string& path, const std::set<std::string>& words) {
  for (std::size_t begin = 0;;) {
    if (words.contains(path.substr(begin))) return true;
    const std::size_t dot = path.find('.', begin);
    if (dot == std::string::npos) return false;
    begin = dot + 1;
  }
}

void collect(const Table& table, const std::string& section, const std::function<void(const std::string&, const Place&)>& found) {
  for (const DescriptionEntry& entry : table) {
    const std::string path = section.empty() ? entry.name : section + "." + entry.name;
    if (const auto* inner = std::get_if<Table>(&entry.value.data))
      collect(*inner, path, found);
    else
      found(path, entry.value.place);
  }
}

}  // namespace

std::string with_named_places(const std::string& sentence, const TomlDocument& document,
                              const std::function<bool(const std::string& path)>& counts) {
  const std::set<std::string> words = path_like_words(sentence);
  std::string places;
  collect(std::get<Table>(document.root().data), "", [&](const std::string& path, const Place& place) {
    if (!counts(path) || !is_named(path, words)) return;
    places += (places.empty() ? " (" : ", ") + path + ": " + place.file + (place.line == 0 ? "" : ":" + std::to_string(place.line));
  });
  return places.empty() ? sentence : sentence + places + ")";
}

}  // namespace tessera
