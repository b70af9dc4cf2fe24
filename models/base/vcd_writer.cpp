#include "base/vcd_writer.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <ostream>

namespace tessera {

namespace {

constexpr std::size_t text_chunk = std::size_t{1} << 16;

/// Identifiers are written in the 94 printable characters, least significant first.
std::string identifier(std::size_t index) {
  std::string code;
  do {
    code += static_cast<char>('!' + index % 94);
    index /= 94;
  } while (index != 0);
  return code;
}

bool has_words(const WaveTrace& signal) { return !signal.info->words.empty(); }

std::string variable(const char* type, std::uint32_t width, const std::string& code, const std::string& name) {
  const std::string range = width > 1 ? " [" + std::to_string(width - 1) + ":0]" : "";
  return std::string("$var ") + type + " " + std::to_string(width) + " " + code + " " + name + range + " $end\n";
}

/// Signals grouped by block, in order of declaration.
struct Scope {
  std::string name;
  std::vector<Scope> inner;
  std::vector<std::string> declarations;

  Scope& at(std::string_view path) {
    if (path.empty()) return *this;
    const std::string_view head = path.substr(0, path.find('.'));
    const std::string_view tail = head.size() == path.size() ? std::string_view() : path.substr(head.size() + 1);
    for (Scope& scope : inner)
      if (scope.name == head) return scope.at(tail);
    inner.push_back({std::string(head), {}, {}});
    return inner.back().at(tail);
  }

  void write(std::string& text) const {
    for (const std::string& declaration : declarations) text += declaration;
    for (const Scope& scope : inner) {
      text += "$scope module " + scope.name + " $end\n";
      scope.write(text);
      text += "$upscope $end\n";
    }
  }
};

}  // namespace

void VcdWriter::begin(const std::vector<WaveTrace>& signals) {
  signals_ = &signals;
  for (std::size_t index = 0; index < 2 * signals.size(); ++index) codes_.push_back(identifier(index) + "\n");
  text_ += "$version Tessera $end\n$timescale 1 ps $end\n";
  Scope top;
  const auto code = [this](std::size_t index) { return codes_[index].substr(0, codes_[index].size() - 1); };
  for (std::size_t index = 0; index < signals.size(); ++index) {
    const WaveTrace& signal = signals[index];
    std::vector<std::string>& declarations = top.at(signal.scope).declarations;
    if (has_words(signal)) {
      declarations.push_back(variable("string", 1, code(index), signal.info->name));
      declarations.push_back(variable("wire", signal.info->width, code(signals.size() + index), twin_of(signal.info->name)));
    } else {
      declarations.push_back(variable("wire", signal.info->width, code(index), signal.info->name));
    }
  }
  top.write(text_);
}

void VcdWriter::end_definitions() {
  if (!opened_) text_ += "$enddefinitions $end\n";
}

void VcdWriter::open(Picoseconds at) {
  end_definitions();
  write_time(at);
  write_all(opened_ ? "$dumpon\n" : "$dumpvars\n", true);
  opened_ = true;
}

void VcdWriter::step(Picoseconds at, std::span<const std::uint32_t> changed) {
  write_time(at);
  for (const std::uint32_t index : changed) write_value(index, true);
  hand_over(text_chunk);
}

void VcdWriter::close(Picoseconds at, bool last) {
  write_time(at);
  if (!last) write_all("$dumpoff\n", false);
}

void VcdWriter::nothing(const std::string& why) {
  text_ += "$comment nothing was recorded: " + why + " $end\n";
  end_definitions();
}

void VcdWriter::finish() {
  hand_over(0);
  out_.flush();
}

void VcdWriter::write_time(Picoseconds at) {
  if (opened_ && at == written_until_) return;
  char line[24] = {'#'};
  char* const end = std::to_chars(line + 1, line + sizeof line - 1, at.value()).ptr;
  *end = '\n';
  text_.append(line, end + 1);
  written_until_ = at;
}

void VcdWriter::write_all(const char* keyword, bool known) {
  text_ += keyword;
  for (std::size_t index = 0; index < signals_->size(); ++index) write_value(index, known);
  text_ += "$end\n";
}

void VcdWriter::write_value(std::size_t index, bool known) {
  const WaveTrace& signal = (*signals_)[index];
  const SignalInfo& info = *signal.info;
  known = known && signal.known;
  if (has_words(signal)) {
    TESSERA_CHECK(signal.value < info.words.size(), "a state of a signal has no such value");
    text_ += 's';
    text_ += known ? info.words[signal.value] : "unknown";
    text_ += ' ';
    text_ += codes_[index];
    index += signals_->size();
  }
  if (info.width == 1) {
    text_ += !known ? 'x' : signal.value != 0 ? '1' : '0';
  } else {
    write_number(signal.value, known);
  }
  text_ += codes_[index];
}

void VcdWriter::write_number(std::uint64_t value, bool known) {
  if (!known) {
    text_ += "bx ";
    return;
  }
  static constexpr char fours[] = "0000000100100011010001010110011110001001101010111100110111101111";
  constexpr std::size_t most = 64;
  const auto bits = static_cast<std::size_t>(std::max(1, static_cast<int>(std::bit_width(value))));
  char digits[most + 1];
  digits[most] = ' ';
  for (std::size_t at = most; at + bits > most; value >>= 4) std::memcpy(digits + (at -= 4), fours + 4 * (value & 15), 4);
  text_ += 'b';
  text_.append(digits + most - bits, bits + 1);
}

void VcdWriter::hand_over(std::size_t when_longer_than) {
  if (text_.size() <= when_longer_than) return;
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

}  // namespace tessera
