#pragma once
// One client of the NBD protocol, without its socket: bytes in, requests and bytes out. The fixed newstyle handshake with the options
// EXPORT_NAME, ABORT, LIST, INFO and GO, then the transmission phase with simple replies (the protocol's doc/proto.md). What does not
// follow the protocol ends the connection; a request that cannot be served is answered with an error.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

enum class NbdCommand : std::uint16_t { read = 0, write = 1, disconnect = 2, flush = 3, trim = 4 };

/// Errors of the protocol's own numbering.
enum class NbdError : std::uint32_t { none = 0, not_permitted = 1, io = 5, invalid = 22, no_space = 28, shutdown = 108 };

struct NbdRequest {
  NbdCommand command = NbdCommand::read;
  bool force_unit_access = false;
  std::uint64_t cookie = 0;
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::vector<std::byte> data;  ///< of a write
};

struct NbdExport {
  std::uint64_t size = 0;              ///< bytes
  std::uint32_t smallest = 512;        ///< bytes; offsets and lengths are multiples of it
  std::uint32_t preferred = 4096;      ///< the drive's sector
  std::uint32_t largest = 32U << 20U;  ///< payload of a request
};

class NbdConnection {
 public:
  explicit NbdConnection(const NbdExport& exported);

  /// Takes what came in.
  void feed(std::span<const std::byte> bytes);
  /// The next whole request that the drive is to serve; those that are refused are answered here.
  [[nodiscard]] bool next(NbdRequest& request);
  /// Answers a request; `data` of a read that was served.
  void reply(std::uint64_t cookie, NbdError error, std::span<const std::byte> data = {});

  /// What is to be sent; sent() takes it off.
  [[nodiscard]] std::span<const std::byte> out() const { return std::span(out_).subspan(sent_); }
  void sent(std::size_t bytes);
  /// Bytes that came in and are not part of a request yet.
  [[nodiscard]] std::size_t waiting() const { return in_.size() - taken_; }
  /// Nothing more is read from the client; what is in out() still goes to it.
  [[nodiscard]] bool ended() const { return phase_ == Phase::ended; }

 private:
  enum class Phase : std::uint8_t { flags, options, transmission, ended };

  [[nodiscard]] std::span<const std::byte> in() const { return std::span(in_).subspan(taken_); }
  void take(std::size_t bytes) { taken_ += bytes; }
  bool negotiate();
  bool take_flags();
  bool take_option();
  void answer_option(std::uint32_t option, std::span<const std::byte> data);
  void answer_go(std::uint32_t option, std::span<const std::byte> data);
  void option_reply(std::uint32_t option, std::uint32_t type, std::span<const std::byte> data = {});
  [[nodiscard]] NbdError refusal(const NbdRequest& request, std::uint16_t flags) const;

  NbdExport export_;
  Phase phase_ = Phase::flags;
  bool without_zeroes_ = false;
  std::vector<std::byte> in_, out_;
  std::size_t taken_ = 0;
  std::size_t sent_ = 0;
};

}  // namespace tessera
