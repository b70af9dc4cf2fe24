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

void StateReader::refill() {
  while (state_.empty()) {
    state_ = more_ ? more_() : std::string_view();
    require(!state_.empty(), "it breaks off");
  }
}

unsigned char StateReader::byte() {
  if (state_.empty()) refill();
  const auto byte = static_cast<unsigned char>(state_.front());
  state_.remove_prefix(1);
  --left_;
  return byte;
}

std::uint64_t StateReader::number(std::uint64_t end) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (bool more = true; more; shift += digit_bits) {
    require(left_ != 0 && shift < number_bits, "a number breaks off");
    const unsigned digit = byte();
    const std::uint64_t bits = digit & (more_follow - 1);
    require(bits << shift >> shift == bits, "a number is too large");
    value |= bits << shift;
    more = (digit & more_follow) != 0;
  }
  require(value < end || end == ~std::uint64_t{0}, "a number is out of its range");
  return value;
}

std::size_t StateReader::count(std::uint64_t most) {
  const std::uint64_t count = number();
  require(count <= left_, "it breaks off");
  require(count <= most, "a list is longer than the drive has room for");
  return count;
}

void StateReader::bytes(std::span<std::byte> bytes) {
  require(bytes.size() <= left_, "it breaks off");
  while (!bytes.empty()) {
    if (state_.empty()) refill();
    const std::size_t here = std::min(bytes.size(), state_.size());
    std::memcpy(bytes.data(), state_.data(), here);
    state_.remove_prefix(here);
    left_ -= here;
    bytes = bytes.subspan(here);
  }
}

std::string StateReader::text(std::size_t most) {
  std::string text(count(most), '\0');
  bytes(std::as_writable_bytes(std::span(text)));
  return text;
}

std::vector<std::uint64_t> StateReader::sorted(std::uint64_t end) {
  std::vector<std::uint64_t> numbers;
  std::uint64_t before = 0;
  for (std::size_t left = count(end); left > 0; --left) {
    const std::uint64_t gap = number();
    require((numbers.empty() || gap != 0) && gap < end && before < end - gap, "a number of a list is out of its range");
    numbers.push_back(before += gap);
  }
  return numbers;
}

void StateReader::damaged(std::string_view what) const {
  throw input_error(file_, 0, "the state of the drive is damaged: " + std::string(what));
}

}  // namespace tessera
