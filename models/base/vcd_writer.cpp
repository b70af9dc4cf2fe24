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
constexpr std::size_t most_time = 40;     // bytes that writing a time touches
constexpr std::size_t most_change = 96;   // the same of a change, but for a long word

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
  said_.resize(signals.size());
  lines_.resize(signals.size());
  made_.resize(signals.size());
  append("$version Tessera $end\n$timescale 1 ps $end\n");
  Scope top;
  const auto code = [this](std::size_t index) { return std::string(codes_[index].view().substr(0, codes_[index].size - 1)); };
  for (std::size_t index = 0; index < signals.size(); ++index) {
    const WaveTrace& signal = signals[index];
    std::vector<std::string>& declarations = top.at(signal.scope).declarations;
    if (has_words(signal) && form_ == VcdForm::standard) {
      declarations.push_back(variable("wire", signal.info->width, code(index), signal.info->name));
    } else if (has_words(signal)) {
      declarations.push_back(variable("string", 1, code(index), signal.info->name));
      declarations.push_back(variable("wire", signal.info->width, code(signals.size() + index), twin_of(signal.info->name)));
    } else {
      declarations.push_back(variable("wire", signal.info->width, code(index), signal.info->name));
      if (signal.info->width > 1) made_[index].number_from = most_lines;
    }
  }
  std::string definitions;
  top.write(definitions);
  append(definitions);
  for (std::size_t index = 0; index < signals.size(); ++index) say_words(index);
}

void VcdWriter::say_words(std::size_t index) {
  const WaveTrace& signal = (*signals_)[index];
  if (form_ == VcdForm::words || said_[index] == signal.info->words.size()) return;
  std::string text =
      "$comment words " + std::string(codes_[index].view().substr(0, codes_[index].size - 1)) + " " + std::to_string(said_[index]);
  for (; said_[index] < signal.info->words.size(); ++said_[index]) text += " " + signal.info->words[said_[index]];
  append(text + " $end\n");
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

void VcdWriter::changes(std::span<const SignalChange> changed) {
  constexpr std::size_t at_once = 512;
  for (; !changed.empty(); changed = changed.subspan(std::min(at_once, changed.size())))
    write_some(changed.first(std::min(at_once, changed.size())));
}

void VcdWriter::write_some(std::span<const SignalChange> changed) {
  reserve(changed.size() * (most_time + most_change));
  char* end = text_.data() + end_;
  const Lines* const made = made_.data();
  for (const SignalChange& change : changed) {
    if (change.time != written_until_) end = put_time(end, change.time);
    const Lines& lines = made[change.signal];
    if (change.value < lines.count) [[likely]] {
      const Line& line = lines.first[change.value];
      std::memcpy(end, line.text.data(), Line::most);
      end += line.size;
      if (line.size != 0) [[likely]]
        continue;
    } else if (change.value >= lines.number_from) {
      end = put_number(end, change.value, codes_[change.signal]);
      continue;
    }
    end_ = static_cast<std::size_t>(end - text_.data());
    write_value(change.signal, change.value);
    reserve(changed.size() * (most_time + most_change));
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
  append(line.size == 0 ? std::string_view(longer_[line.longer]) : std::string_view(line.text.data(), line.size));
}

namespace {

/// All numbers of four digits.
constexpr auto four_digits = [] {
  std::array<std::array<char, 4>, 10'000> texts{};
  for (unsigned number = 0; number < texts.size(); ++number)
    texts[number] = {static_cast<char>('0' + number / 1000), static_cast<char>('0' + number / 100 % 10),
                     static_cast<char>('0' + number / 10 % 10), static_cast<char>('0' + number % 10)};
  return texts;
}();

}  // namespace

void VcdWriter::write_time(Picoseconds at) {
  if (opened_ && at == written_until_) return;
  reserve(most_time);
  end_ = static_cast<std::size_t>(put_time(text_.data() + end_, at) - text_.data());
}

/// Most times differ from the one before in their last eight digits alone.
inline char* VcdWriter::put_time(char* end, Picoseconds at) {
  written_until_ = at;
  constexpr std::uint64_t split = 100'000'000;
  const std::uint64_t first = at.value() / split;
  if (first == 0) [[unlikely]]
    return put_short_time(end, at);
  if (first != first_) [[unlikely]]
    begin_times(first);
  const auto last = static_cast<std::uint32_t>(at.value() - first * split);
  const std::uint32_t upper = last / 10'000;
  std::memcpy(end, first_digits_.data(), first_digits_.size());
  end += first_size_;
  std::memcpy(end, four_digits[upper].data(), 4);
  std::memcpy(end + 4, four_digits[last - upper * 10'000].data(), 4);
  end[8] = '\n';
  return end + 9;
}

[[gnu::noinline]] char* VcdWriter::put_short_time(char* end, Picoseconds at) {
  *end++ = '#';
  end = std::to_chars(end, end + most_time, at.value()).ptr;
  *end++ = '\n';
  return end;
}

/// Four digits at a time, from the last.
[[gnu::noinline]] void VcdWriter::begin_times(std::uint64_t first) {
  constexpr std::size_t most = 12;  // digits before the last eight
  std::array<char, 2 * most> digits{};
  first_ = first;
  std::size_t begin = most;
  for (std::uint64_t rest = first; rest != 0; rest /= 10'000) {
    begin -= 4;
    std::memcpy(digits.data() + begin, four_digits[rest % 10'000].data(), 4);
  }
  while (digits[begin] == '0') ++begin;
  first_digits_[0] = '#';
  first_size_ = 1 + most - begin;
  std::memcpy(first_digits_.data() + 1, digits.data() + begin, most);
}

void VcdWriter::write_all(const char* keyword, bool known) {
  for (std::size_t index = 0; index < signals_->size(); ++index) say_words(index);  // within the keyword there are values alone
  append(keyword);
  for (std::size_t index = 0; index < signals_->size(); ++index) {
    const WaveTrace& signal = (*signals_)[index];
    if (known && signal.known)
      write_value(index, signal.value);
    else
      write_unknown(index);
  }
  append("$end\n");
}

void VcdWriter::write_value(std::size_t index, std::uint64_t value) {
  const WaveTrace& signal = (*signals_)[index];
  if (signal.info->width == 1 || has_words(signal) || value < most_lines)
    return append(value < lines_[index].size() ? lines_[index][value] : line_of(index, value));
  write_number(value, codes_[index]);
}

const VcdWriter::Line& VcdWriter::line_of(std::size_t index, std::uint64_t shown) {
  const WaveTrace& signal = (*signals_)[index];
  TESSERA_CHECK(!has_words(signal) || shown < signal.info->words.size(), "a state of a signal has no such value");
  std::vector<Line>& lines = lines_[index];
  say_words(index);
  const bool in_words = has_words(signal) && form_ == VcdForm::words;
  while (lines.size() <= shown) {
    const std::uint64_t value = lines.size();
    const std::size_t begin = end_;
    if (in_words) append("s" + signal.info->words[value] + " " + std::string(codes_[index].view()));
    const Code& code = codes_[in_words ? index + signals_->size() : index];
    if (signal.info->width == 1) {
      append(value == 0 ? "0" : "1");
      append(code.view());
    } else {
      write_number(value, code);
    }
    Line& line = lines.emplace_back();
    const std::size_t size = end_ - begin;
    if (size > Line::most) {
      line.longer = static_cast<std::uint32_t>(longer_.size());
      longer_.emplace_back(text_.data() + begin, size);
    } else {
      line.size = static_cast<std::uint32_t>(size);
      std::memcpy(line.text.data(), text_.data() + begin, size);
    }
    end_ = begin;
  }
  made_[index].first = lines.data();
  made_[index].count = lines.size();
  return lines[shown];
}

void VcdWriter::write_unknown(std::size_t index) {
  const WaveTrace& signal = (*signals_)[index];
  if (has_words(signal) && form_ == VcdForm::words) {
    append("sunknown ");
    append(codes_[index].view());
    index += signals_->size();
  }
  append(signal.info->width == 1 ? "x" : "bx ");
  append(codes_[index].view());
}

void VcdWriter::write_number(std::uint64_t value, const Code& code) {
  reserve(most_change);
  end_ = static_cast<std::size_t>(put_number(text_.data() + end_, value, code) - text_.data());
}

/// Eight digits at a time, from the first: each bit of a byte in a byte of its own.
inline char* VcdWriter::put_number(char* end, std::uint64_t value, const Code& code) {
  static_assert(std::endian::native == std::endian::little);
  const int bits = std::max(1, static_cast<int>(std::bit_width(value)));
  value <<= 64 - bits;
  *end++ = 'b';
  for (int written = 0; written < bits; written += 8, value <<= 8) {
    const std::uint64_t apart = (value >> 56) * 0x0101'0101'0101'0101 & 0x0102'0408'1020'4080;
    const std::uint64_t digits = ((apart + 0x7f7f'7f7f'7f7f'7f7f) >> 7 & 0x0101'0101'0101'0101) + 0x3030'3030'3030'3030;  // '0'
    std::memcpy(end + written, &digits, sizeof digits);
  }
  end += bits;
  *end++ = ' ';
  std::memcpy(end, code.text.data(), code.text.size());
  return end + code.size;
}

void VcdWriter::hand_over(std::size_t when_longer_than) {
  if (end_ <= when_longer_than) return;
  out_.write(text_.data(), static_cast<std::streamsize>(end_));
  end_ = 0;
}

}  // namespace tessera
