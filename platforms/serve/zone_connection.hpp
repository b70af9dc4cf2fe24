#pragma once
// One client of the zone protocol, without its socket: bytes in, requests and bytes out. A request that cannot be served is answered with
// an error; after bytes that are no request comes one last reply, and the connection ends.
//
// What a client can make the server hold is bounded, whatever it sends and however little it takes: one request that is not whole yet, and
// requests with the drive and replies not taken of `largest` bytes in sum, or a single one.
#include <optional>

#include "platforms/serve/peer_buffers.hpp"
#include "platforms/serve/zone_protocol.hpp"

namespace tessera {

class ZoneConnection : public PeerBuffers {
 public:
  using Request = ZoneRequest;
  using Offer = ZonedGeometry;

  explicit ZoneConnection(const ZonedGeometry& drive) : drive_(drive) {}

  /// Takes what came in; wanted only while reads().
  void feed(std::span<const std::byte> bytes);
  /// Nothing more comes in: what is whole is still served.
  void end_of_input() { input_ended_ = true; }
  /// The client takes no replies any more: they are dropped from now on, and so is what only asks for one.
  void end_of_output();

  /// The next whole request that the drive is to serve, as far as there is room for its reply; what is refused, and geometry, is answered
  /// here. Each is answered once, by one of the three below.
  [[nodiscard]] bool next(ZoneRequest& request);
  void done(const ZoneRequest& request, std::span<const std::byte> data = {});
  void reported(const ZoneRequest& request, std::span<const ZoneDescriptor> zones);
  void failed(const ZoneRequest& request, ZoneStatus status);

  /// Whether more is to be read from the client: what it sent is not whole, and it takes its replies.
  [[nodiscard]] bool reads() const;
  /// Nothing is left to be done for it.
  [[nodiscard]] bool finished() const { return (ended_ || (input_ended_ && looked_at_)) && under_way_ == 0 && out().empty(); }
  /// It has sent a whole request.
  [[nodiscard]] bool agreed() const { return agreed_; }
  /// It has sent something else: nothing more of what comes in is looked at.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  [[nodiscard]] bool is_whole(ZoneRequest& request, std::size_t& length) const;
  [[nodiscard]] bool has_room(const ZoneRequest& request) const;
  [[nodiscard]] std::size_t room_of(const ZoneRequest& request) const;
  [[nodiscard]] ZoneStatus refusal(const ZoneRequest& request) const;
  [[nodiscard]] ZoneStatus refusal_of_range(const ZoneRequest& request) const;
  void begin_reply(const ZoneRequest& request);
  void reply(const ZoneRequest& request, ZoneStatus status, std::size_t payload = 0, std::uint32_t zones = 0);
  void not_understood(const ZoneRequest& request);

  ZonedGeometry drive_;
  bool agreed_ = false;
  bool ended_ = false;
  bool input_ended_ = false;
  bool looked_at_ = true;  ///< there is no whole request among what came in
  bool output_ended_ = false;
  std::size_t under_way_ = 0;        ///< requests with the drive
  std::size_t under_way_bytes_ = 0;  ///< of their payloads, or of those of their replies
};

}  // namespace tessera
