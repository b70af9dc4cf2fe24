#pragma once
// What a part of the drive keeps without power, as a stream of numbers and bytes: each part writes its own (save_state) and reads it back
// (load_state) in the same order. Numbers take as many bytes as they need (LEB128: seven bits a byte, the lowest first).
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

class StateWriter {
 public:
  void number(std::uint64_t value);
  void flag(bool value) { number(value ? 1 : 0); }
  /// As they are: the reader knows how many.
  void bytes(std::span<const std::byte> bytes);
  void text(std::string_view text);
  /// How many there are, then each; in ascending order whatever the order of `numbers`.
  template <class Numbers>
  void sorted(const Numbers& numbers) {
    sorted_numbers({numbers.begin(), numbers.end()});
  }

  [[nodiscard]] const std::string& state() const { return state_; }

 private:
  void sorted_numbers(std::vector<std::uint64_t> numbers);

  std::string state_;
};

/// What a state holds has passed a checksum: what is wrong with it all the same is an InputError that names the file, never a model bug.
class StateReader {
 public:
  /// Both outlive the reader. `file`: for messages.
  StateReader(std::string_view state, std::string_view file) : state_(state), left_(state.size()), file_(file) {}
  /// A state of `bytes` that comes in pieces: `more` gives the next one, which lasts until the one after it.
  StateReader(std::uint64_t bytes, std::function<std::string_view()> more, std::string_view file)
      : left_(bytes), more_(std::move(more)), file_(file) {}

  /// A number below `end`.
  [[nodiscard]] std::uint64_t number(std::uint64_t end = ~std::uint64_t{0});
  [[nodiscard]] bool flag() { return number(2) != 0; }
  /// How many things follow, at most `most`, each of one byte at least: a state that is too short for them is damaged. What is made room
  /// for is to be bounded by `most`, which the drive gives, and not by what the state promises.
  [[nodiscard]] std::size_t count(std::uint64_t most = ~std::uint64_t{0});
  void bytes(std::span<std::byte> bytes);
  /// Of at most `most` bytes.
  [[nodiscard]] std::string text(std::size_t most = std::size_t{1} << 20);
  /// Of StateWriter::sorted(): each below `end` and above the one before.
  [[nodiscard]] std::vector<std::uint64_t> sorted(std::uint64_t end);

  [[nodiscard]] std::uint64_t left() const { return left_; }
  /// Throws InputError.
  [[noreturn]] void damaged(std::string_view what) const;
  void require(bool good, std::string_view what) const {
    if (!good) damaged(what);
  }

 private:
  /// Until there is a byte; the caller knows that one is left.
  void refill();
  [[nodiscard]] unsigned char byte();

  std::string_view state_;  // what is left of it, or of its current piece
  std::uint64_t left_;      // of all of it
  std::function<std::string_view()> more_;
  std::string_view file_;
};

}  // namespace tessera
