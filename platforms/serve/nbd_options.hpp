#pragma once
// The haggling before the first request: flags, then options, until the client takes the export (EXPORT_NAME, GO) or leaves. An option
// that is malformed is refused, and the haggling goes on; what is no option at all ends it.
#include <optional>
#include <string>

#include "platforms/serve/nbd_protocol.hpp"

namespace tessera {

class NbdOptions {
 public:
  enum class State : std::uint8_t { flags, options, agreed, ended };

  explicit NbdOptions(const NbdExport& exported) : export_(exported) {}

  /// What the server says first.
  static void greet(std::vector<std::byte>& out);
  /// Takes the next message from `in`, answers it in `out`, and says how many bytes it had; 0: it is not whole.
  [[nodiscard]] std::size_t take(std::span<const std::byte> in, std::vector<std::byte>& out);

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool structured_replies() const { return structured_; }
  /// The client may ask for base:allocation, under context_id.
  [[nodiscard]] bool block_status() const { return status_of_.has_value(); }
  static constexpr std::uint32_t context_id = 1;
  static constexpr std::uint32_t longest_option = 65'536;  ///< bytes; more of them end the haggling
  static constexpr std::size_t option_header = 16;
  static constexpr std::size_t longest_message = option_header + longest_option;

 private:
  using Data = std::span<const std::byte>;
  using Out = std::vector<std::byte>;

  std::size_t take_flags(Data in);
  void answer(std::uint32_t option, Data data, Out& out);
  void answer_go(std::uint32_t option, Data data, Out& out);
  void answer_contexts(std::uint32_t option, Data data, Out& out);
  void agree(const std::string& name);
  [[nodiscard]] std::uint16_t transmission_flags() const;

  NbdExport export_;
  State state_ = State::flags;
  bool without_zeroes_ = false;
  bool structured_ = false;
  std::optional<std::string> status_of_;  ///< the name of the export that base:allocation was chosen for
};

}  // namespace tessera
