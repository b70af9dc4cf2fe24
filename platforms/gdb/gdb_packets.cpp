#include "platforms/gdb/gdb_packets.hpp"

#include <array>
#include <charconv>
#include <numeric>
#include <utility>

namespace tessera {

namespace {

constexpr std::string_view digits = "0123456789abcdef";
constexpr char escape = '}';
constexpr char escape_bit = 0x20;
constexpr char control_c = 0x03;

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::uint8_t checksum(std::string_view payload) {
  return static_cast<std::uint8_t>(
      std::accumulate(payload.begin(), payload.end(), 0U, [](unsigned sum, char c) { return sum + static_cast<unsigned char>(c); }));
}

std::string unescaped(std::string_view payload) {
  std::string out;
  for (std::size_t i = 0; i < payload.size(); ++i)
    out += payload[i] == escape && i + 1 < payload.size() ? static_cast<char>(payload[++i] ^ escape_bit) : payload[i];
  return out;
}

std::string framed(std::string_view payload) {
  std::string escaped;
  for (const char c : payload) {
    const bool special = c == '$' || c == '#' || c == escape || c == '*';
    if (special) escaped += escape;
    escaped += special ? static_cast<char>(c ^ escape_bit) : c;
  }
  const std::uint8_t sum = checksum(escaped);
  return "$" + escaped + "#" + digits[sum / 16] + digits[sum % 16];
}

}  // namespace

void GdbPackets::feed(std::string_view bytes) {
  for (const char c : bytes) take(c);
}

void GdbPackets::take(char c) {
  if (c == '$') {  // nothing but the begin of a packet: where one is under way, its end was lost
    payload_.clear();
    too_long_ = false;
    place_ = Place::payload;
    return;
  }
  switch (place_) {
    case Place::between: return take_between(c);
    case Place::payload:
      if (c == '#') {
        place_ = Place::first_digit;
      } else if (payload_.size() == longest) {
        too_long_ = true;
      } else {
        payload_ += c;
      }
      return;
    case Place::first_digit:
      first_digit_ = c;
      place_ = Place::second_digit;
      return;
    case Place::second_digit:
      second_digit_ = c;
      place_ = Place::between;
      return end_packet();
  }
}

void GdbPackets::take_between(char c) {
  if (c == control_c) {
    interrupted_ = true;
  } else if (c == '-' && acknowledges_ && out().size() <= longest) {
    out_ += last_;
  }
}

void GdbPackets::end_packet() {
  const bool whole = digit_value(first_digit_) * 16 + digit_value(second_digit_) == checksum(payload_) && digit_value(second_digit_) >= 0;
  if (acknowledges_) out_ += whole || too_long_ ? '+' : '-';
  if (too_long_) {
    send("E.a packet of more than " + std::to_string(longest) + " characters");
  } else if (whole) {
    packets_.push_back(unescaped(payload_));
  }
  payload_.clear();
}

std::optional<std::string> GdbPackets::next() {
  if (packets_.empty()) return std::nullopt;
  std::string packet = std::move(packets_.front());
  packets_.pop_front();
  return packet;
}

bool GdbPackets::interrupted() { return std::exchange(interrupted_, false); }

void GdbPackets::send(std::string_view payload) {
  last_ = framed(payload);
  out_ += last_;
}

void GdbPackets::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ < out_.size()) return;
  out_.clear();
  sent_ = 0;
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto value = static_cast<unsigned char>(c);
    out += digits[value / 16];
    out += digits[value % 16];
  }
  return out;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit_value(text[i]), low = digit_value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

std::optional<std::uint64_t> take_hex(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::string hex_number(std::uint64_t value) {
  std::array<char, 16> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, 16).ptr};
}

}  // namespace tessera
