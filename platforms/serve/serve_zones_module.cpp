// A served drive's clients of the zone protocol.
#include <algorithm>
#include <utility>

#include "platforms/serve/serve_module.hpp"

namespace tessera {

bool ServeModule::take_from_zones() {
  std::uint64_t client = 0;
  ZoneRequest request;
  if (!can_take() || !server_.zones().clients().next(client, request)) return false;
  issue(client, request);
  return true;
}

void ServeModule::issue(std::uint64_t client, ZoneRequest& request) {
  Command& command = take_command();
  const HostOp op = zone_wire::op_of(request.command);
  command.client = client;
  command.request.all_zones = request.all_zones;
  command.request.content = std::exchange(request.data, {});
  command.zone = request;
  const std::uint32_t count =
      op == HostOp::zone_report
          ? report_pages(std::min(std::uint64_t{request.count}, drive_.capacity() / drive_.config().visible_zone_size()))
          : request.count;
  command.request.blocks = {HostBlock(request.block), count};
  if (op == HostOp::write) content_.allocation().write(request.block * host_block_bytes, std::uint64_t{count} * host_block_bytes);
  if (op == HostOp::flush) return send_flush(command);
  if (op == HostOp::read) command.request.content.assign(std::size_t{count} * host_block_bytes, std::byte{0});
  send(command, op);
}

void ServeModule::answer_zones(Command& command) {
  const HostRequest& request = command.request;
  const ZoneRequest& asked = *command.zone;
  ++figures_.requests;
  if (request.op == HostOp::flush)
    ok(request.status) ? static_cast<void>(content_.flushed(command.covers)) : content_.flush_failed(command.covers);
  if (!ok(request.status)) ++(refused(request.status) ? figures_.refused : figures_.failed);
  const std::uint64_t moved = std::uint64_t{asked.count} * host_block_bytes;
  if (ok(request.status) && request.op == HostOp::read) figures_.bytes_read += moved;
  if (ok(request.status) && request.op == HostOp::write) figures_.bytes_written += moved;
  server_.zones().clients().answer(command.client, [&](ZoneConnection& connection) {
    if (!ok(request.status)) return connection.failed(asked, zone_status_of(request.status, request.op));
    if (request.op == HostOp::zone_report) return connection.reported(asked, request.zones);
    connection.done(asked, request.op == HostOp::read ? std::span<const std::byte>(request.content) : std::span<const std::byte>());
  });
}

}  // namespace tessera
