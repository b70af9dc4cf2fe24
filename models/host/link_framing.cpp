#include "host/link_framing.hpp"

namespace tessera {

namespace {

constexpr std::size_t index(LinkDirection direction) { return static_cast<std::size_t>(direction); }
constexpr LinkDirection other(LinkDirection direction) {
  return direction == LinkDirection::to_drive ? LinkDirection::to_host : LinkDirection::to_drive;
}
constexpr std::uint64_t frames_of(std::uint64_t bytes, std::uint64_t payload) { return (bytes + payload - 1) / payload; }

}  // namespace

void LinkFraming::Wire::add(LinkDirection direction, std::uint64_t sent, std::uint64_t answered, std::uint64_t answers,
                            std::uint64_t count) {
  bytes[index(direction)] += sent * count;
  bytes[index(other(direction))] += answered * count;
  turns += answers * count;
}

/// X_RDY, the other side's R_RDY, SOF, the frame with its CRC, EOF and WTRM, the other side's R_OK.
void LinkFraming::add_fis(Wire& wire, LinkDirection direction, std::uint64_t payload, std::uint64_t count) const {
  wire.add(direction, payload + config_.frames.fis_overhead.value(), config_.frames.fis_answer.value(), 2, count);
  wire.frames += count;
}

/// SOF, header, payload, CRC and EOF; the other side's credit (RRDY) and ACK cross meanwhile.
void LinkFraming::add_ssp(Wire& wire, LinkDirection direction, std::uint64_t payload, std::uint64_t count) const {
  wire.add(direction, payload + config_.frames.ssp_overhead.value(), config_.frames.ssp_answer.value(), 0, count);
  wire.frames += count;
}

/// The OPEN address frame and its OPEN_ACCEPT; DONE and CLOSE either way.
void LinkFraming::add_connection(Wire& wire, LinkDirection direction) const {
  wire.add(direction, config_.frames.connection.value(), config_.frames.connection_answer.value(), 2, 1);
  wire.frames += 1;
}

/// Serial ATA is half duplex: what both sides send takes turns. On SAS both directions run at once, and this one decides.
LinkExtent LinkFraming::priced(LinkDirection direction, Wire wire) const {
  LinkExtent extent;
  extent.direction = direction;
  extent.frames = wire.frames;
  const bool half_duplex = config_.link == LinkProtocol::sata;
  if (half_duplex)
    for (std::uint64_t& bytes : wire.bytes) bytes += bytes / config_.frames.align_distance.value() * sata::align_bytes;
  const Picoseconds turns = config_.turnaround * wire.turns;
  for (std::size_t way = 0; way < 2; ++way) {
    extent.busy[way] = transfer_time(Bytes(wire.bytes[way]), config_.link_rate);
    extent.overhead[way] = Bytes(wire.bytes[way] - (way == index(direction) ? wire.data : 0));
  }
  extent.busy[index(direction)] += turns;
  extent.time = half_duplex ? extent.busy[0] + extent.busy[1] : extent.busy[index(direction)];
  return extent;
}

LinkExtent LinkFraming::framed_command(const HostRequest& request) const {
  Wire wire;
  const bool trims = request.op == HostOp::trim;
  if (config_.link == LinkProtocol::sata) {
    add_fis(wire, LinkDirection::to_drive, sata::register_fis);
    if (request.op != HostOp::flush) add_fis(wire, LinkDirection::to_host, sata::register_fis);  // queued: the drive lets go of the link
    if (trims) {
      add_fis(wire, LinkDirection::to_host, sata::dma_setup_fis);
      const std::uint64_t blocks = frames_of(request.blocks.count, sata::trim_sectors);
      add_fis(wire, LinkDirection::to_drive, sata::data_fis_header + sata::trim_block * blocks);
    }
  } else {
    add_connection(wire, LinkDirection::to_drive);
    add_ssp(wire, LinkDirection::to_drive, sas::command_iu);
    if (trims) {
      add_ssp(wire, LinkDirection::to_host, sas::xfer_ready_iu);
      add_ssp(wire, LinkDirection::to_drive, sas::unmap_list);
      ++wire.turns;
    }
  }
  return priced(LinkDirection::to_drive, wire);
}

LinkExtent LinkFraming::framed_data(LinkDirection direction, std::uint32_t blocks) const {
  const std::uint64_t bytes = blocks * host_block_bytes;
  Wire wire;
  wire.data = bytes;
  wire.bytes[index(direction)] = bytes;
  if (config_.link == LinkProtocol::sata) {
    const std::uint64_t frames = frames_of(bytes, config_.frames.fis_data.value());
    add_fis(wire, LinkDirection::to_host, sata::dma_setup_fis);
    add_fis(wire, direction, sata::data_fis_header, frames);
    if (direction == LinkDirection::to_drive) add_fis(wire, LinkDirection::to_host, sata::dma_activate_fis, frames - 1);
  } else {
    add_connection(wire, LinkDirection::to_host);
    if (direction == LinkDirection::to_drive) {
      add_ssp(wire, LinkDirection::to_host, sas::xfer_ready_iu);
      ++wire.turns;  // until the first DATA frame comes
    }
    add_ssp(wire, direction, 0, frames_of(bytes, config_.frames.ssp_data.value()));
  }
  return priced(direction, wire);
}

LinkExtent LinkFraming::framed_status(HostOp op) const {
  Wire wire;
  if (config_.link == LinkProtocol::sata) {
    add_fis(wire, LinkDirection::to_host, op == HostOp::flush ? sata::register_fis : sata::set_device_bits_fis);
  } else {
    if (op != HostOp::read) add_connection(wire, LinkDirection::to_host);  // a read's goes in that of its data
    add_ssp(wire, LinkDirection::to_host, sas::response_iu);
  }
  return priced(LinkDirection::to_host, wire);
}

}  // namespace tessera
