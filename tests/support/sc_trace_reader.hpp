#pragma once
// Reads the value change dumps that SystemC's own tracing writes.
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace tessera::test {

/// What the file of sc_trace says: signal name, then value by time. Its header has dates and its own wording, so only the
/// declarations and changes are read.
inline std::map<std::string, std::map<std::uint64_t, std::string>> read_sc_trace(const std::string& path) {
  std::ifstream in(path);
  std::map<std::string, std::string> name_of;
  std::map<std::string, std::map<std::uint64_t, std::string>> values;
  std::string line;
  std::uint64_t time = 0;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word)) continue;
    if (word == "$var") {
      std::string type, width, code, name;
      words >> type >> width >> code >> name;
      name_of[code] = name;
    } else if (word[0] == '#') {
      time = std::stoull(word.substr(1));
    } else if (word[0] == 'b') {
      std::string code;
      words >> code;
      const std::size_t one = word.find('1');
      values[name_of[code]][time] = one == std::string::npos ? "0" : word.substr(one);
    } else if (name_of.count(word.substr(1)) == 1) {
      values[name_of[word.substr(1)]][time] = word.substr(0, 1);
    }
  }
  return values;
}

}  // namespace tessera::test
