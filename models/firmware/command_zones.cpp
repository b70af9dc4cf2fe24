// Commands of drives whose host sees zones. The rules are the layer's; here are locks, order and what the caches must forget.
#include <algorithm>

#include "firmware/command_server.hpp"
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

/// Admitted in the order of arrival, before a lock can change it: a read of what lies after the pointer may hold the sectors of one write
/// and not those of the next. What cannot be written leaves a gap that later writes of the zone must not jump.
Task<Status> CommandServer::write_to_zone(HostCommand& command) {
  const Status admitted = zones_->admit_write(command.blocks);
  if (!ok(admitted)) co_return admitted;
  const Status status = co_await write(command);
  if (!ok(status)) zones_->withdraw(command.blocks);
  co_return status;
}

Task<Status> CommandServer::serve_zones(HostCommand& command) {
  if (zones_ == nullptr) co_return Status::unsupported;
  if (manages_zones(command.op) && command.all_zones) co_return co_await manage_all_zones(command);
  const std::uint64_t blocks = zones_->zone_blocks();
  const std::uint64_t zone = command.blocks.first.value() / blocks;
  if (zone >= zones_->zones()) co_return Status::rule_violation;
  if (command.op == HostOp::zone_report) co_return report_zones(command);
  if (command.blocks.first.value() % blocks != 0) co_return Status::invalid_field;
  co_return co_await manage_zone(command, static_cast<std::uint32_t>(zone));
}

/// From the zone that the first block lies in, as many as the pages have room for; one page where the host asks for none.
Status CommandServer::report_zones(HostCommand& command) {
  const std::uint64_t first = command.blocks.first.value() / zones_->zone_blocks();
  const std::uint64_t room = zones_in_report(std::max<std::uint32_t>(command.blocks.count, 1));
  const std::uint64_t end = std::min<std::uint64_t>(zones_->zones(), first + room);
  for (std::uint64_t zone = first; zone < end; ++zone) {
    ports_.cpu.charge(CpuOperation::record_word, record_words(zone_descriptor_bytes));
    ports_.host.report(command, zones_->describe(static_cast<std::uint32_t>(zone)));
  }
  return Status::ok;
}

/// Reads and writes of the zone end first, and those that came later wait. A reset is the caches' business, too.
Task<Status> CommandServer::manage_zone(HostCommand& command, std::uint32_t zone) {
  const std::uint64_t sectors = zones_->zone_blocks() / ports_.memory.shape().blocks();
  const LogicalRun run{LogicalSector(zone * sectors), static_cast<std::uint32_t>(sectors)};
  auto lock = locks_.exclusive(CommandRange::of(run));
  co_await lock;
  if (command.aborted) co_return Status::aborted;
  if (command.op == HostOp::zone_reset) co_return co_await layer_.reset(run);
  co_return co_await zones_->manage(command.op, zone);
}

Task<Status> CommandServer::manage_all_zones(HostCommand& command) {
  for (std::uint32_t zone = 0; zone < zones_->zones(); ++zone) {
    if (!zones_->concerns(command.op, zone)) continue;
    const Status status = co_await manage_zone(command, zone);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

}  // namespace tessera
