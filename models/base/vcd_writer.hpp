#pragma once
// Writes a value change dump (IEEE 1364-2005, 18; $timescale 1 ps).
//
// The standard has no words. States and texts are numbers, and comments say what each number stands for:
//   $comment words CODE FIRST WORD... $end
// of the signal with this identifier, from number FIRST on; of a text, a further one before the first change that takes it. With words,
// they are GTKWave's extension ($var string), and the same signal is a number beside it, under the name with `_code` behind.
#include <array>
#include <iosfwd>
#include <string_view>

#include "base/wave_writer.hpp"

namespace tessera {

enum class VcdForm : std::uint8_t {
  standard,  ///< IEEE 1364 alone
  words      ///< with GTKWave's strings
};

class VcdWriter final : public WaveWriter {
 public:
  /// `out` must outlive the writer. Its state is the caller's to check: nothing here throws on a full disk.
  explicit VcdWriter(std::ostream& out, VcdForm form = VcdForm::words) : out_(out), form_(form) {}

  void begin(const std::vector<WaveTrace>& signals) override;
  void open(Picoseconds at) override;
  void changes(std::span<const SignalChange> changed) override;
  void close(Picoseconds at, bool last) override;
  void nothing(const std::string& why) override;
  void finish() override;

  /// What the numeric twin of a state or text is called.
  [[nodiscard]] static std::string twin_of(const std::string& name) { return name + "_code"; }

 private:
  void write_time(Picoseconds at);
  static char* put_short_time(char* end, Picoseconds at);
  /// Times follow that have these digits before their last eight.
  void begin_times(std::uint64_t first);
  void write_all(const char* keyword, bool known);
  /// A change in the file, made once for each value of a signal that has few and each small number: mostly short, and copied as a whole.
  struct alignas(64) Line {
    static constexpr std::size_t most = 48;
    std::array<char, most> text{};
    std::uint32_t size = 0;    ///< of `text`; 0 where it is longer
    std::uint32_t longer = 0;  ///< then: which of longer_
  };

  /// The identifier of a signal with the line's end.
  struct Code {
    std::array<char, 8> text{};
    std::size_t size = 0;
    [[nodiscard]] std::string_view view() const { return {text.data(), size}; }
  };

  /// Of a signal, by value: where to look for them at each change.
  struct Lines {
    const Line* first = nullptr;
    std::size_t count = 0;
    std::uint64_t number_from = ~std::uint64_t{0};  ///< larger values are written as numbers
  };
  void write_some(std::span<const SignalChange> changed);
  void write_value(std::size_t index, std::uint64_t value);
  void write_unknown(std::size_t index);
  void write_number(std::uint64_t value, const Code& code);
  static char* put_number(char* end, std::uint64_t value, const Code& code);
  char* put_time(char* end, Picoseconds at);
  [[nodiscard]] const Line& line_of(std::size_t index, std::uint64_t shown);
  void append(const Line& line);
  /// In the standard's form: what the numbers of a signal stand for that no comment has said yet.
  void say_words(std::size_t index);
  /// Makes room for `bytes` at end_.
  void reserve(std::size_t bytes) {
    if (text_.size() - end_ < bytes) [[unlikely]]
      grow(bytes);
  }
  void grow(std::size_t bytes);
  void append(std::string_view text);
  void end_definitions();
  void hand_over(std::size_t when_longer_than);

  std::ostream& out_;
  VcdForm form_;
  std::vector<std::size_t> said_;  // of each signal: words that comments have said
  const std::vector<WaveTrace>* signals_ = nullptr;
  std::vector<Code> codes_;               // of the signals, then of the twins
  std::vector<std::vector<Line>> lines_;  // of states, bits and small numbers, by signal and value
  std::vector<Lines> made_;               // the same
  std::vector<std::string> longer_;       // lines
  std::vector<char> text_;                // formatted, not yet handed to out_: up to end_
  std::size_t end_ = 0;
  std::array<char, 24> first_digits_{};  // of the time written last, with the '#': all but the last eight
  std::size_t first_size_ = 0;
  std::uint64_t first_ = 0;
  Picoseconds written_until_;
  bool opened_ = false;
};

}  // namespace tessera
