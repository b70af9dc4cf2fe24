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

constexpr std::uint64_t most_lines = 64;  // kept of a number: most levels

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
  for (std::size_t index = 0; index < 2 * signals.size(); ++index) {
    const std::string text = identifier(index) + "\n";
    Code& code = codes_.emplace_back();
    TESSERA_CHECK(text.size() <= code.text.size(), "a waveform has more signals than identifiers");
    code.size = text.copy(code.text.data(), code.text.size());
  }
  lines_.resize(signals.size());
  append("$version Tessera $end\n$timescale 1 ps $end\n");
  Scope top;
  const auto code = [this](std::size_t index) { return std::string(codes_[index].view().substr(0, codes_[index].size - 1)); };
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
  std::string definitions;
  top.write(definitions);
  append(definitions);
}

void VcdWriter::end_definitions() {
  if (!opened_) append("$enddefinitions $end\n");
}

void VcdWriter::open(Picoseconds at) {
  end_definitions();
  write_time(at);
  write_all(opened_ ? "$dumpon\n" : "$dumpvars\n", true);
  opened_ = true;
}

void VcdWriter::step(Picoseconds at, std::span<const std::uint32_t> changed) {
  write_time(at);
  reserve(changed.size() * Line::most);
  char* end = text_.data() + end_;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const std::uint64_t value = (*signals_)[changed[i]].value;
    const std::vector<Line>& lines = lines_[changed[i]];
    if (value < lines.size() && lines[value].size <= Line::most) [[likely]] {
      std::memcpy(end, lines[value].text.data(), Line::most);
      end += lines[value].size;
      continue;
    }
    end_ = static_cast<std::size_t>(end - text_.data());
    write_value(changed[i], true);
    reserve((changed.size() - i) * Line::most);
    end = text_.data() + end_;
  }
  end_ = static_cast<std::size_t>(end - text_.data());
  hand_over(text_chunk);
}

void VcdWriter::close(Picoseconds at, bool last) {
  write_time(at);
  if (!last) write_all("$dumpoff\n", false);
}

void VcdWriter::nothing(const std::string& why) {
  append("$comment nothing was recorded: " + why + " $end\n");
  end_definitions();
}

void VcdWriter::finish() {
  hand_over(0);
  out_.flush();
}

void VcdWriter::grow(std::size_t bytes) { text_.resize(end_ + bytes + text_chunk); }

void VcdWriter::append(std::string_view text) {
  reserve(text.size());
  std::memcpy(text_.data() + end_, text.data(), text.size());
  end_ += text.size();
}

void VcdWriter::append(const Line& line) {
  if (line.size > Line::most) return append(line.longer);
  reserve(Line::most);
  std::memcpy(text_.data() + end_, line.text.data(), Line::most);
  end_ += line.size;
}

namespace {

/// Eight digits, from the first: halves, quarters and eighths of the number side by side in one word.
void write_eight_digits(char* to, std::uint32_t number) {
  const std::uint64_t fours = number / 10'000 + (std::uint64_t{number % 10'000} << 32);
  const std::uint64_t hundreds = (fours * 5243 >> 19) & 0x0000'007f'0000'007f;  // 5243 / 2^19: 1 / 100, exact below 10,000
  const std::uint64_t twos = hundreds + ((fours - hundreds * 100) << 16);
  const std::uint64_t tens = (twos * 103 >> 10) & 0x000f'000f'000f'000f;  // 103 / 2^10: 1 / 10, exact below 100
  const std::uint64_t ones = tens + ((twos - tens * 10) << 8);
  const std::uint64_t text = ones + 0x3030'3030'3030'3030;  // '0'
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(to, &text, sizeof text);
}

}  // namespace

/// Most times differ from the one before in their last eight digits alone.
void VcdWriter::write_time(Picoseconds at) {
  if (opened_ && at == written_until_) return;
  written_until_ = at;
  constexpr std::uint64_t split = 100'000'000;
  const std::uint64_t first = at.value() / split;
  reserve(2 * first_digits_.size());
  if (first == 0) return write_short_time();
  if (first != first_) begin_times(first);
  char* const end = text_.data() + end_;
  std::memcpy(end, first_digits_.data(), first_digits_.size());
  write_eight_digits(end + first_size_, static_cast<std::uint32_t>(at.value() - first * split));
  end[first_size_ + 8] = '\n';
  end_ += first_size_ + 9;
}

[[gnu::noinline]] void VcdWriter::write_short_time() {
  char* end = text_.data() + end_;
  *end++ = '#';
  end = std::to_chars(end, end + first_digits_.size(), written_until_.value()).ptr;
  *end++ = '\n';
  end_ = static_cast<std::size_t>(end - text_.data());
}

[[gnu::noinline]] void VcdWriter::begin_times(std::uint64_t first) {
  char* const digits = first_digits_.data();
  digits[0] = '#';
  first_size_ = static_cast<std::size_t>(std::to_chars(digits + 1, digits + first_digits_.size(), first).ptr - digits);
  first_ = first;
}

void VcdWriter::write_all(const char* keyword, bool known) {
  append(keyword);
  for (std::size_t index = 0; index < signals_->size(); ++index) write_value(index, known);
  append("$end\n");
}

void VcdWriter::write_value(std::size_t index, bool known) {
  const WaveTrace& signal = (*signals_)[index];
  if (!known || !signal.known) return write_unknown(index);
  if (signal.info->width == 1 || has_words(signal) || signal.value < most_lines)
    return append(signal.value < lines_[index].size() ? lines_[index][signal.value] : line_of(index));
  write_number(signal.value, codes_[index]);
}

const VcdWriter::Line& VcdWriter::line_of(std::size_t index) {
  const WaveTrace& signal = (*signals_)[index];
  TESSERA_CHECK(!has_words(signal) || signal.value < signal.info->words.size(), "a state of a signal has no such value");
  std::vector<Line>& lines = lines_[index];
  while (lines.size() <= signal.value) {
    const std::uint64_t value = lines.size();
    const std::size_t begin = end_;
    if (has_words(signal)) append("s" + signal.info->words[value] + " " + std::string(codes_[index].view()));
    const Code& code = codes_[has_words(signal) ? index + signals_->size() : index];
    if (signal.info->width == 1) {
      append(value == 0 ? "0" : "1");
      append(code.view());
    } else {
      write_number(value, code);
    }
    Line& line = lines.emplace_back();
    line.size = end_ - begin;
    if (line.size > Line::most)
      line.longer.assign(text_.data() + begin, line.size);
    else
      std::memcpy(line.text.data(), text_.data() + begin, line.size);
    end_ = begin;
  }
  return lines[signal.value];
}

void VcdWriter::write_unknown(std::size_t index) {
  const WaveTrace& signal = (*signals_)[index];
  if (has_words(signal)) {
    append("sunknown ");
    append(codes_[index].view());
    index += signals_->size();
  }
  append(signal.info->width == 1 ? "x" : "bx ");
  append(codes_[index].view());
}

void VcdWriter::write_number(std::uint64_t value, const Code& code) {
  static constexpr char fours[] = "0000000100100011010001010110011110001001101010111100110111101111";
  constexpr std::size_t most = 64;
  const auto bits = static_cast<std::size_t>(std::max(1, static_cast<int>(std::bit_width(value))));
  std::array<char, 2 * most> digits{};  // copied as a whole: what follows the number is overwritten or left out
  for (std::size_t at = most; at + bits > most; value >>= 4) std::memcpy(digits.data() + (at -= 4), fours + 4 * (value & 15), 4);
  reserve(1 + most + 1 + code.text.size());
  char* end = text_.data() + end_;
  *end++ = 'b';
  std::memcpy(end, digits.data() + most - bits, most);
  end += bits;
  *end++ = ' ';
  std::memcpy(end, code.text.data(), code.text.size());
  end_ = static_cast<std::size_t>(end - text_.data()) + code.size;
}

void VcdWriter::hand_over(std::size_t when_longer_than) {
  if (end_ <= when_longer_than) return;
  out_.write(text_.data(), static_cast<std::streamsize>(end_));
  end_ = 0;
}

}  // namespace tessera
