#include "base/state_stream.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace tessera {

namespace {

constexpr unsigned digit_bits = 7;
constexpr unsigned more_follow = 1U << digit_bits;
constexpr unsigned number_bits = 64;

}  // namespace

void StateWriter::number(std::uint64_t value) {
  for (; value >= more_follow; value >>= digit_bits) state_.push_back(static_cast<char>((value & (more_follow - 1)) | more_follow));
  state_.push_back(static_cast<char>(value));
}

void StateWriter::bytes(std::span<const std::byte> bytes) {
  if (!bytes.empty()) state_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void StateWriter::text(std::string_view text) {
  number(text.size());
  state_.append(text);
}

void StateWriter::sorted_numbers(std::vector<std::uint64_t> numbers) {
  std::ranges::sort(numbers);
  number(numbers.size());
  std::uint64_t before = 0;
  for (const std::uint64_t value : numbers) {
    number(value - before);
    before = value;
  }
}

std::uint64_t StateReader::number(std::uint64_t end) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (bool more = true; more; shift += digit_bits) {
    require(!state_.empty() && shift < number_bits, "a number breaks off");
    const auto digit = static_cast<unsigned char>(state_.front());
    state_.remove_prefix(1);
    const std::uint64_t bits = digit & (more_follow - 1);
    require(bits << shift >> shift == bits, "a number is too large");
    value |= bits << shift;
    more = (digit & more_follow) != 0;
  }
  require(value < end || end == ~std::uint64_t{0}, "a number is out of its range");
  return value;
}

std::size_t StateReader::count() {
  const std::uint64_t count = number();
  require(count <= state_.size(), "it breaks off");
  return count;
}

void StateReader::bytes(std::span<std::byte> bytes) {
  require(bytes.size() <= state_.size(), "it breaks off");
  if (!bytes.empty()) std::memcpy(bytes.data(), state_.data(), bytes.size());
  state_.remove_prefix(bytes.size());
}

std::string StateReader::text() {
  std::string text(state_.substr(0, count()));
  state_.remove_prefix(text.size());
  return text;
}

std::vector<std::uint64_t> StateReader::sorted(std::uint64_t end) {
  std::vector<std::uint64_t> numbers(count());
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t gap = number();
    require((i == 0 || gap != 0) && gap < end && before < end - gap, "a number of a list is out of its range");
    numbers[i] = before += gap;
  }
  return numbers;
}

void StateReader::damaged(std::string_view what) const {
  throw input_error(file_, 0, "the state of the drive is damaged: " + std::string(what));
}

}  // namespace tessera
