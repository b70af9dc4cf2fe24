#include "platforms/serve/zone_protocol.hpp"

#include "base/address.hpp"
#include "platforms/serve/wire.hpp"

namespace tessera {

namespace {

constexpr std::uint8_t medium_error = 3, hardware_error = 4, illegal_request = 5, data_protect = 7;

/// Of a zone's condition (ZBC-2, zone condition field).
std::uint8_t number_of(ZoneCondition condition) {
  switch (condition) {
    case ZoneCondition::not_write_pointer: return 0x0;
    case ZoneCondition::empty: return 0x1;
    case ZoneCondition::implicitly_open: return 0x2;
    case ZoneCondition::explicitly_open: return 0x3;
    case ZoneCondition::closed: return 0x4;
    case ZoneCondition::read_only: return 0xd;
    case ZoneCondition::full: return 0xe;
    case ZoneCondition::offline: return 0xf;
  }
  return 0;
}

bool has_pointer(ZoneCondition condition) {
  return condition == ZoneCondition::empty || condition == ZoneCondition::implicitly_open || condition == ZoneCondition::explicitly_open ||
         condition == ZoneCondition::closed;
}

}  // namespace

ZoneSense sense_of(ZoneStatus status) {
  switch (status) {
    case ZoneStatus::ok: return {};
    case ZoneStatus::unaligned_write: return {illegal_request, 0x21, 0x04};
    case ZoneStatus::write_boundary: return {illegal_request, 0x21, 0x05};
    case ZoneStatus::invalid_read: return {illegal_request, 0x21, 0x06};
    case ZoneStatus::read_boundary: return {illegal_request, 0x21, 0x07};
    case ZoneStatus::invalid_field: return {illegal_request, 0x24, 0x00};
    case ZoneStatus::no_zone_resources: return {data_protect, 0x55, 0x0e};
    case ZoneStatus::zone_read_only: return {data_protect, 0x27, 0x08};
    case ZoneStatus::zone_offline: return {data_protect, 0x2c, 0x0e};
    case ZoneStatus::unsupported:
    case ZoneStatus::not_understood: return {illegal_request, 0x20, 0x00};
    case ZoneStatus::out_of_range: return {illegal_request, 0x21, 0x00};
    case ZoneStatus::unreadable: return {medium_error, 0x11, 0x00};
    case ZoneStatus::write_failed: return {medium_error, 0x0c, 0x00};
    case ZoneStatus::read_only: return {data_protect, 0x27, 0x00};
    case ZoneStatus::internal: return {hardware_error, 0x44, 0x00};
  }
  return {};
}

ZoneStatus zone_status_of(Status status, HostOp op) {
  switch (status) {
    case Status::ok: return ZoneStatus::ok;
    case Status::unaligned_write: return ZoneStatus::unaligned_write;
    case Status::write_boundary: return ZoneStatus::write_boundary;
    case Status::invalid_read: return ZoneStatus::invalid_read;
    case Status::read_boundary: return ZoneStatus::read_boundary;
    case Status::invalid_field: return ZoneStatus::invalid_field;
    case Status::no_zone_resources: return ZoneStatus::no_zone_resources;
    case Status::zone_read_only: return ZoneStatus::zone_read_only;
    case Status::zone_offline: return ZoneStatus::zone_offline;
    case Status::unsupported: return ZoneStatus::unsupported;
    case Status::rule_violation: return ZoneStatus::out_of_range;
    case Status::read_only: return ZoneStatus::read_only;
    case Status::media_error:
    case Status::damaged:
    case Status::lost: return op == HostOp::read ? ZoneStatus::unreadable : ZoneStatus::write_failed;
    default: return ZoneStatus::internal;
  }
}

namespace zone_wire {

HostOp op_of(ZoneCommand command) {
  switch (command) {
    case ZoneCommand::write: return HostOp::write;
    case ZoneCommand::flush: return HostOp::flush;
    case ZoneCommand::report: return HostOp::zone_report;
    case ZoneCommand::open: return HostOp::zone_open;
    case ZoneCommand::close: return HostOp::zone_close;
    case ZoneCommand::finish: return HostOp::zone_finish;
    case ZoneCommand::reset: return HostOp::zone_reset;
    default: return HostOp::read;
  }
}

void put_descriptor(std::vector<std::byte>& out, const ZoneDescriptor& zone) {
  wire::put(out, zone.start.value());
  wire::put(out, zone.blocks);
  wire::put(out, has_pointer(zone.condition) ? zone.pointer.value() : no_pointer);
  const auto type = static_cast<std::uint8_t>(zone.type);
  wire::put(out, static_cast<std::uint8_t>(type + 1));  // 1 conventional, 2 and 3 sequential write required and preferred
  wire::put(out, number_of(zone.condition));
  wire::put(out, static_cast<std::uint8_t>(zone.non_sequential ? 1 : 0));
  out.resize(out.size() + 5);
}

void put_geometry(std::vector<std::byte>& out, const ZonedGeometry& geometry) {
  wire::put(out, version);
  wire::put(out, std::uint16_t{0});
  wire::put(out, std::uint32_t{host_block_bytes});
  wire::put(out, geometry.blocks);
  wire::put(out, geometry.zone_blocks);
  wire::put(out, static_cast<std::uint32_t>(geometry.zones()));
  wire::put(out, geometry.sector_bytes);
  wire::put(out, static_cast<std::uint32_t>(geometry.largest / host_block_bytes));
  wire::put(out, std::uint32_t{0});
}

}  // namespace zone_wire

}  // namespace tessera
