#pragma once
// A strict reader of the value change dumps that the recorder may write: anything else fails. It knows nothing of the recorder.
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::test {

struct VcdChange {
  std::uint64_t time;
  std::string value;
  bool operator==(const VcdChange&) const = default;
};

struct Vcd {
  std::map<std::string, std::vector<VcdChange>> signals;  ///< by path, "drive.media.track"; the first entry is the dump
  std::map<std::string, std::string> types;               ///< "wire 12", "string 1"
  std::vector<std::uint64_t> times;
  std::string comment;

  /// Value of `path` at `time`.
  [[nodiscard]] std::string at(const std::string& path, std::uint64_t time) const {
    std::string value;
    for (const VcdChange& change : signals.at(path))
      if (change.time <= time) value = change.value;
    return value;
  }
};

inline Vcd read_vcd(const std::string& text) {
  const auto require = [](bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error("bad VCD: " + what);
  };
  Vcd vcd;
  std::istringstream in(text);
  std::string word;
  const auto next = [&] {
    require(static_cast<bool>(in >> word), "cut off");
    return word;
  };
  const auto until_end = [&] {
    std::string all;
    while (next() != "$end") all += (all.empty() ? "" : " ") + word;
    return all;
  };
  std::vector<std::string> scopes;
  std::map<std::string, std::string> path_of;
  bool timescale = false;
  while (next() != "$enddefinitions") {
    if (word == "$version") {
      until_end();
    } else if (word == "$comment") {
      vcd.comment = until_end();
    } else if (word == "$timescale") {
      require(until_end() == "1 ps", "timescale");
      timescale = true;
    } else if (word == "$scope") {
      require(next() == "module", "scope type");
      scopes.push_back(next());
      require(next() == "$end", "scope");
    } else if (word == "$upscope") {
      require(next() == "$end" && !scopes.empty(), "upscope");
      scopes.pop_back();
    } else if (word == "$var") {
      std::istringstream fields(until_end());
      std::string type, width, code, name, path;
      fields >> type >> width >> code >> name;
      for (const std::string& scope : scopes) path += scope + ".";
      path += name;
      require(path_of.emplace(code, path).second, "code used twice: " + code);
      require(vcd.signals.emplace(path, std::vector<VcdChange>()).second, "signal declared twice: " + path);
      vcd.types[path] = type + " " + width;
    } else {
      require(false, "definition " + word);
    }
  }
  require(next() == "$end" && scopes.empty() && timescale, "end of definitions");
  bool dumping = false;
  while (in >> word) {
    if (word == "$dumpvars") {
      require(vcd.times.size() == 1, "dump not at the first time");
      dumping = true;
    } else if (word == "$end") {
      require(dumping, "$end");
      dumping = false;
      for (const auto& [path, changes] : vcd.signals) require(changes.size() == 1, "not dumped once: " + path);
    } else if (word[0] == '#') {
      const std::uint64_t time = std::stoull(word.substr(1));
      require(vcd.times.empty() || time > vcd.times.back(), "time does not grow at " + word);
      vcd.times.push_back(time);
    } else {
      std::string value;
      std::string code;
      if (word[0] == 'b' || word[0] == 's') {
        value = word.substr(1);
        code = next();
      } else {
        value = word.substr(0, 1);
        code = word.substr(1);
      }
      require(path_of.count(code) == 1 && !vcd.times.empty(), "change of unknown signal " + code);
      std::vector<VcdChange>& changes = vcd.signals[path_of[code]];
      require(changes.empty() || changes.back().value != value, "change to the same value at " + std::to_string(vcd.times.back()));
      changes.push_back({vcd.times.back(), value});
    }
  }
  return vcd;
}

}  // namespace tessera::test
