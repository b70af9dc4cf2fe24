#pragma once
// One client of the NBD protocol, without its socket: bytes in, requests and bytes out (doc/proto.md of the protocol's repository): the
// options of nbd_options.hpp, then simple replies, or structured ones where the client has chosen them. What does not follow the protocol
// ends the connection; a request that cannot be served is answered with an error.
//
// What a client can make the server hold is bounded, whatever it sends and however little it takes: one request that is not whole yet, and
// requests with the drive and answers not taken of `largest` bytes in sum, or a single one.
#include <optional>
#include <string_view>

#include "platforms/serve/nbd_options.hpp"
#include "platforms/serve/peer_buffers.hpp"

namespace tessera {

class NbdConnection : public PeerBuffers {
 public:
  using Request = NbdRequest;
  using Offer = NbdExport;

  explicit NbdConnection(const NbdExport& exported);

  /// Takes what came in; wanted only while reads().
  void feed(std::span<const std::byte> bytes);
  /// Nothing more comes in: what is whole is still served.
  void end_of_input() { input_ended_ = true; }
  /// The client takes no answers any more: they are dropped from now on, and so is what only asks for one.
  void end_of_output();

  /// The next whole request that the drive is to serve, as far as there is room for its answer; those that are refused are answered here.
  /// Each is answered once, by one of the three below.
  [[nodiscard]] bool next(NbdRequest& request);
  void done(const NbdRequest& request, std::span<const std::byte> data = {});
  /// `at`: the byte of the drive where it failed, if that is known.
  void failed(const NbdRequest& request, NbdError error, std::string_view why, std::optional<std::uint64_t> at = std::nullopt);
  void status(const NbdRequest& request, std::span<const NbdExtent> extents);

  /// Whether more is to be read from the client: what it sent is not whole, and it takes its answers.
  [[nodiscard]] bool reads() const;
  /// Nothing is left to be done for it.
  [[nodiscard]] bool finished() const;
  /// It has taken the export.
  [[nodiscard]] bool agreed() const { return options_.state() == NbdOptions::State::agreed; }
  /// It does not follow the protocol, or has said goodbye: nothing more of what comes in is looked at.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  [[nodiscard]] bool haggle();
  [[nodiscard]] std::size_t whole_length() const;
  [[nodiscard]] bool has_room(const NbdRequest& request) const;
  [[nodiscard]] NbdError refusal(const NbdRequest& request, std::uint16_t flags) const;
  [[nodiscard]] std::size_t payload_of(const NbdRequest& request) const;
  void begin_answer(const NbdRequest& request);
  void refuse(const NbdRequest& request, NbdError error);
  void simple(std::uint64_t cookie, NbdError error, std::span<const std::byte> data = {});
  void error_chunk(const NbdRequest& request, NbdError error, std::string_view why, std::optional<std::uint64_t> at);
  void read_chunks(const NbdRequest& request, std::span<const std::byte> data);
  void chunk(std::uint64_t cookie, bool last, std::uint16_t type, std::size_t length);

  NbdExport export_;
  NbdOptions options_;
  bool ended_ = false;
  bool input_ended_ = false;
  bool looked_at_ = true;  ///< there is no whole request among what came in
  bool output_ended_ = false;
  std::size_t under_way_ = 0;        ///< requests with the drive
  std::size_t under_way_bytes_ = 0;  ///< of their payloads, or of those of their answers
};

}  // namespace tessera
