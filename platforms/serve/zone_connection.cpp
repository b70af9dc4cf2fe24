#include "platforms/serve/zone_connection.hpp"

#include <algorithm>

#include "base/address.hpp"
#include "platforms/serve/wire.hpp"

namespace tessera {

using wire::get;
using wire::put;
using zone_wire::header_bytes;

namespace {

bool is_known(ZoneCommand command) { return command >= ZoneCommand::geometry && command <= ZoneCommand::reset; }
bool manages(ZoneCommand command) { return command >= ZoneCommand::open && command <= ZoneCommand::reset; }
bool moves_data(ZoneCommand command) { return command == ZoneCommand::read || command == ZoneCommand::write; }

ZoneRequest request_of(std::span<const std::byte> header) {
  ZoneRequest request;
  request.command = static_cast<ZoneCommand>(get<std::uint16_t>(header, 4));
  request.all_zones = (get<std::uint16_t>(header, 6) & zone_wire::flag_all_zones) != 0;
  request.cookie = get<std::uint64_t>(header, 8);
  request.block = get<std::uint64_t>(header, 16);
  request.count = get<std::uint32_t>(header, 24);
  return request;
}

ZoneRequest unknown_request() {
  ZoneRequest request;
  request.command = ZoneCommand{0};
  return request;
}

/// Bits that this version has no meaning for.
bool has_unknown_bits(std::span<const std::byte> header) {
  return (get<std::uint16_t>(header, 6) & ~zone_wire::flag_all_zones) != 0 || get<std::uint32_t>(header, 28) != 0;
}

std::uint64_t payload_of(const ZoneRequest& request) {
  return request.command == ZoneCommand::write ? std::uint64_t{request.count} * host_block_bytes : 0;
}

}  // namespace

void ZoneConnection::feed(std::span<const std::byte> bytes) {
  if (ended_) return;
  came_in(bytes);
  looked_at_ = false;
}

void ZoneConnection::end_of_output() {
  output_ended_ = true;
  sent(out().size());
}

bool ZoneConnection::reads() const {
  ZoneRequest request;
  std::size_t length = 0;
  return !ended_ && !input_ended_ && out().size() < drive_.largest && !is_whole(request, length);
}

/// Whether what came in begins with a whole request, or with none at all: `length` of 0.
bool ZoneConnection::is_whole(ZoneRequest& request, std::size_t& length) const {
  if (in().size() < header_bytes) return false;
  request = request_of(in());
  const bool is_none = get<std::uint32_t>(in(), 0) != zone_wire::request_magic || payload_of(request) > drive_.largest;
  length = is_none ? 0 : header_bytes + static_cast<std::size_t>(payload_of(request));
  return in().size() >= length;
}

std::size_t ZoneConnection::room_of(const ZoneRequest& request) const {
  if (moves_data(request.command))
    return static_cast<std::size_t>(std::min<std::uint64_t>(std::uint64_t{request.count} * host_block_bytes, drive_.largest));
  if (request.command != ZoneCommand::report) return header_bytes;
  return zone_wire::descriptor_bytes * static_cast<std::size_t>(std::min<std::uint64_t>(request.count, drive_.zones()));
}

bool ZoneConnection::has_room(const ZoneRequest& request) const {
  if (under_way_ == 0 && out().empty()) return true;
  return under_way_bytes_ + out().size() + room_of(request) <= drive_.largest;
}

bool ZoneConnection::next(ZoneRequest& request) {
  std::size_t length = 0;
  while (!ended_ && is_whole(request, length)) {
    if (length == 0) {
      not_understood(request);
      return false;
    }
    agreed_ = true;
    if (!has_room(request)) return false;
    const bool only_asks = !manages(request.command) && request.command != ZoneCommand::write && request.command != ZoneCommand::flush;
    if (output_ended_ && only_asks) {
      take(length);
      continue;
    }
    const ZoneStatus refused = has_unknown_bits(in()) ? ZoneStatus::invalid_field : refusal(request);
    if (refused == ZoneStatus::ok && request.command == ZoneCommand::write) {
      const auto data = in().subspan(header_bytes, length - header_bytes);
      request.data.assign(data.begin(), data.end());
    }
    take(length);
    if (refused == ZoneStatus::ok && request.command != ZoneCommand::geometry) {
      ++under_way_;
      under_way_bytes_ += room_of(request);
      return true;
    }
    if (output_ended_) continue;
    if (refused != ZoneStatus::ok) {
      reply(request, refused);
      continue;
    }
    std::vector<std::byte> geometry;
    zone_wire::put_geometry(geometry, drive_);
    reply(request, ZoneStatus::ok, geometry.size());
    to_send().insert(to_send().end(), geometry.begin(), geometry.end());
  }
  looked_at_ = true;
  return false;
}

/// Where the next request begins nobody knows.
void ZoneConnection::not_understood(const ZoneRequest& request) {
  const bool is_request = get<std::uint32_t>(in(), 0) == zone_wire::request_magic;
  if (!output_ended_) reply(is_request ? request : unknown_request(), ZoneStatus::not_understood);
  take(in().size());
  ended_ = looked_at_ = true;
}

ZoneStatus ZoneConnection::refusal(const ZoneRequest& request) const {
  if (!is_known(request.command)) return ZoneStatus::unsupported;
  if (request.all_zones)
    return manages(request.command) && request.block == 0 && request.count == 0 ? ZoneStatus::ok : ZoneStatus::invalid_field;
  if (request.command == ZoneCommand::geometry || request.command == ZoneCommand::flush)
    return request.block == 0 && request.count == 0 ? ZoneStatus::ok : ZoneStatus::invalid_field;
  return refusal_of_range(request);
}

ZoneStatus ZoneConnection::refusal_of_range(const ZoneRequest& request) const {
  const bool moves = moves_data(request.command);
  const std::uint64_t count = moves ? request.count : 1;
  if (moves && (request.count == 0 || count * host_block_bytes > drive_.largest)) return ZoneStatus::invalid_field;
  if (manages(request.command) && request.count != 0) return ZoneStatus::invalid_field;
  if (request.command == ZoneCommand::report && request.count == 0) return ZoneStatus::invalid_field;
  return request.block < drive_.blocks && count <= drive_.blocks - request.block ? ZoneStatus::ok : ZoneStatus::out_of_range;
}

void ZoneConnection::begin_reply(const ZoneRequest& request) {
  --under_way_;
  under_way_bytes_ -= room_of(request);
}

void ZoneConnection::done(const ZoneRequest& request, std::span<const std::byte> data) {
  begin_reply(request);
  if (output_ended_) return;
  reply(request, ZoneStatus::ok, data.size());
  to_send().insert(to_send().end(), data.begin(), data.end());
}

void ZoneConnection::reported(const ZoneRequest& request, std::span<const ZoneDescriptor> zones) {
  begin_reply(request);
  if (output_ended_) return;
  const auto wanted = zones.first(std::min<std::size_t>(zones.size(), request.count));
  reply(request, ZoneStatus::ok, wanted.size() * zone_wire::descriptor_bytes, static_cast<std::uint32_t>(wanted.size()));
  for (const ZoneDescriptor& zone : wanted) zone_wire::put_descriptor(to_send(), zone);
}

void ZoneConnection::failed(const ZoneRequest& request, ZoneStatus status) {
  begin_reply(request);
  if (!output_ended_) reply(request, status);
}

void ZoneConnection::reply(const ZoneRequest& request, ZoneStatus status, std::size_t payload, std::uint32_t zones) {
  const ZoneSense sense = sense_of(status);
  put(to_send(), zone_wire::reply_magic);
  put(to_send(), static_cast<std::uint16_t>(request.command));
  put(to_send(), static_cast<std::uint16_t>(status));
  put(to_send(), request.cookie);
  for (const std::uint8_t byte : {sense.key, sense.code, sense.qualifier, std::uint8_t{0}}) put(to_send(), byte);
  put(to_send(), zones);
  put(to_send(), static_cast<std::uint32_t>(payload));
  put(to_send(), std::uint32_t{0});
}

}  // namespace tessera
