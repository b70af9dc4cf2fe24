#pragma once
// What commands, data and status cost on the host link, by its protocol: frames, their overhead in bytes by direction, and the time that a
// link takes that has nothing else to carry. Closed forms: an extent of any size costs the same to compute.
//
// Sources. Serial ATA: Serial ATA International Organization, Revision 3.x, sections on the link layer (primitives, CRC, ALIGN), the
// transport layer (FIS types) and native command queuing. SAS: INCITS, SAS Protocol Layer (SPL) and SAS-3, sections on the link layer
// (connections, credit) and on SSP frames. The 8b/10b coding of both is in HostConfig::link_rate.
#include <array>
#include <cstdint>

#include "base/units.hpp"
#include "host/host_config.hpp"
#include "host/host_request.hpp"

namespace tessera {

enum class LinkDirection : std::uint8_t { to_drive, to_host };

/// What crosses the link in one go for one command.
struct LinkExtent {
  LinkDirection direction = LinkDirection::to_drive;  ///< of what it is sent for
  Picoseconds time;                                   ///< of a link that has nothing else to carry
  std::array<Picoseconds, 2> busy{};                  ///< of a link with frames, what each direction is taken of that, by LinkDirection
  std::array<Bytes, 2> overhead{};                    ///< bytes beside user data, by LinkDirection
  std::uint64_t frames = 0;

  LinkExtent& operator+=(const LinkExtent& next) {
    time += next.time;
    frames += next.frames;
    for (std::size_t way = 0; way < 2; ++way) {
      busy[way] += next.busy[way];
      overhead[way] += next.overhead[way];
    }
    return *this;
  }
};

// Lengths of what the protocols name; what surrounds it is host.frames (frame_config.hpp).
namespace sata {
constexpr std::uint64_t register_fis = 20;        // Register Host to Device, and Device to Host
constexpr std::uint64_t dma_setup_fis = 28;       // in front of the data of a queued command; a write's activates the first Data FIS
constexpr std::uint64_t dma_activate_fis = 4;     // asks for each further Data FIS of a write
constexpr std::uint64_t set_device_bits_fis = 8;  // status of queued commands
constexpr std::uint64_t data_fis_header = 4;
constexpr std::uint64_t align_bytes = 2 * 4;  // of a pair of ALIGN primitives
// Blocks of DATA SET MANAGEMENT: 64 ranges of at most 65,535 sectors each (ACS-3).
constexpr std::uint64_t trim_block = 512;
constexpr std::uint64_t trim_sectors = 64 * 65'535;
}  // namespace sata

namespace sas {
constexpr std::uint64_t command_iu = 28;     // COMMAND information unit with a CDB of 16 bytes
constexpr std::uint64_t xfer_ready_iu = 12;  // XFER_RDY, in front of a write's data
constexpr std::uint64_t response_iu = 24;    // RESPONSE without sense data
// Parameter list of UNMAP: a header and one block descriptor (SBC-3).
constexpr std::uint64_t unmap_list = 24;
}  // namespace sas

class LinkFraming {
 public:
  explicit LinkFraming(const HostConfig& config) : config_(config) {}

  [[nodiscard]] bool ideal() const { return config_.link == LinkProtocol::ideal; }
  /// The command itself, and a TRIM's list of ranges.
  [[nodiscard]] LinkExtent command(const HostRequest& request) const {
    return ideal() ? whole(LinkDirection::to_drive, config_.command_overhead) : framed_command(request);
  }
  /// Data of a read or write, with what the drive asks for it or announces it with.
  [[nodiscard]] LinkExtent data(HostOp op, std::uint32_t blocks) const {
    const LinkDirection direction = op == HostOp::read ? LinkDirection::to_host : LinkDirection::to_drive;
    return ideal() ? whole(direction, transfer_time(Bytes(blocks * host_block_bytes), rate(direction))) : framed_data(direction, blocks);
  }
  /// What it takes for each of `blocks` that `data` has: of an ideal link, rounded as one block is.
  [[nodiscard]] Picoseconds block_time(const LinkExtent& data, std::uint32_t blocks) const {
    return ideal() ? transfer_time(Bytes(host_block_bytes), rate(data.direction)) : data.time / blocks;
  }
  /// A read's follows its data.
  [[nodiscard]] LinkExtent status(HostOp op) const {
    if (!ideal()) return framed_status(op);
    const Picoseconds more = op == HostOp::read    ? config_.read_completion_overhead
                             : op == HostOp::write ? config_.write_completion_overhead
                                                   : Picoseconds(0);
    return whole(LinkDirection::to_host, config_.completion_overhead + more);
  }

 private:
  [[nodiscard]] BytesPerSecond rate(LinkDirection direction) const {
    return direction == LinkDirection::to_drive && config_.write_rate != BytesPerSecond(0) ? config_.write_rate : config_.link_rate;
  }
  /// On an ideal link.
  [[nodiscard]] static LinkExtent whole(LinkDirection direction, Picoseconds time) {
    LinkExtent extent;
    extent.direction = direction;
    extent.time = time;
    return extent;
  }
  [[nodiscard]] LinkExtent framed_command(const HostRequest& request) const;
  [[nodiscard]] LinkExtent framed_data(LinkDirection direction, std::uint32_t blocks) const;
  [[nodiscard]] LinkExtent framed_status(HostOp op) const;
  /// Bytes on the wire and turns of the link, to be priced.
  struct Wire {
    std::array<std::uint64_t, 2> bytes{};  ///< by LinkDirection
    std::uint64_t data = 0;                ///< of the user, of these
    std::uint64_t turns = 0;               ///< one side waits for an answer of the other
    std::uint64_t frames = 0;
    void add(LinkDirection direction, std::uint64_t sent, std::uint64_t answered, std::uint64_t answers, std::uint64_t count);
  };
  void add_fis(Wire& wire, LinkDirection direction, std::uint64_t payload, std::uint64_t count = 1) const;
  void add_ssp(Wire& wire, LinkDirection direction, std::uint64_t payload, std::uint64_t count = 1) const;
  void add_connection(Wire& wire, LinkDirection direction) const;
  [[nodiscard]] LinkExtent priced(LinkDirection direction, Wire wire) const;

  HostConfig config_;
};

}  // namespace tessera
