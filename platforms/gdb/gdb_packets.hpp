#pragma once
// The packet layer of GDB's remote serial protocol, without its socket: bytes in, packets and bytes out ("Debugging with GDB",
// appendix E.1). A packet with a wrong checksum is asked for again; one that is longer than what was offered is dropped as a whole,
// however long, and answered with an error.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

class GdbPackets {
 public:
  /// Characters between '$' and '#' of a packet in either direction.
  static constexpr std::size_t longest = 16'384;

  /// Takes what came in.
  void feed(std::string_view bytes);
  /// The next packet, its escapes undone.
  [[nodiscard]] std::optional<std::string> next();
  /// Whether Ctrl-C came since the last call.
  [[nodiscard]] bool interrupted();
  /// Packets that came and were not taken: who feeds stops where they are too many.
  [[nodiscard]] std::size_t waiting() const { return packets_.size(); }

  /// Sends a packet; `payload` is escaped where it has to be.
  void send(std::string_view payload);
  /// No acknowledgements from now on (QStartNoAckMode).
  void stop_acknowledging() { acknowledges_ = false; }

  /// What is to be sent; sent() takes it off.
  [[nodiscard]] std::string_view out() const { return std::string_view(out_).substr(sent_); }
  void sent(std::size_t bytes);

 private:
  enum class Place : std::uint8_t { between, payload, first_digit, second_digit };

  void take(char c);
  void take_between(char c);
  void end_packet();

  Place place_ = Place::between;
  std::string payload_;  // as it came, escapes and all
  bool too_long_ = false;
  char first_digit_ = '0', second_digit_ = '0';
  bool acknowledges_ = true;
  bool interrupted_ = false;
  std::deque<std::string> packets_;
  std::string last_;  // as it was sent, for a '-'
  std::string out_;
  std::size_t sent_ = 0;
};

/// Two lower-case digits a byte.
[[nodiscard]] std::string to_hex(std::string_view bytes);
/// None where there is an odd digit or another character.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view digits);
/// A number without prefix; `text` loses its digits. None where there is no digit or more than 16.
[[nodiscard]] std::optional<std::uint64_t> take_hex(std::string_view& text);
[[nodiscard]] std::string hex_number(std::uint64_t value);

}  // namespace tessera
