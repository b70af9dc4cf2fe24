#pragma once
// What a header of the log of packets says (packet_log.hpp).
#include <algorithm>
#include <cstdint>
#include <optional>

#include "firmware/logs/log_record.hpp"

namespace tessera::media_cache {

/// What a packet says of its runs: that it brings them, that they were trimmed and hold nothing, or that their band has them.
enum class PacketSays : std::uint32_t { data, trimmed, in_band };

struct PacketRecord {
  static constexpr std::uint64_t most_sectors = 0xFFFF;  ///< of a packet: its counts take 16 bits each
  /// The packet in front, where it has one run; of no sectors: nothing is said of it.
  struct Named {
    std::uint32_t sectors = 0;  ///< padding and end included
    LogicalRun run{};
  };
  std::uint64_t at = 0;       ///< position of the sector that the header is on
  std::uint64_t after = 0;    ///< number of the map's checkpoint that was in force
  std::uint64_t packet = 0;   ///< of the packet's first sector
  std::uint32_t sectors = 0;  ///< of the packet, padding and end included
  std::uint32_t data = 0;     ///< of these; 0: the record only says that a packet failed
  PacketSays says = PacketSays::data;
  std::uint64_t tail = 0;    ///< nothing in front of this is needed any more
  std::uint64_t failed = 0;  ///< position of the packet that failed
  LogicalRun own{};          ///< the run that ends there; none on the packet's end
  LogicalRun in_front{};     ///< the run of the packet in front of that, or of the end
  Named named{};

  [[nodiscard]] bool says_failed() const { return data == 0; }
  /// Whether it is on the sector that ends the packet.
  [[nodiscard]] bool ends() const { return at == packet + sectors - 1; }
  /// What a run takes of the packet: of one without data a sector with a header.
  [[nodiscard]] std::uint32_t sectors_of(LogicalRun run) const {
    return says == PacketSays::data ? run.count : std::min<std::uint32_t>(run.count, 1);
  }
  /// Sectors of the packet in front of the own run.
  [[nodiscard]] std::uint32_t offset() const { return static_cast<std::uint32_t>(at - packet) + 1 - sectors_of(own); }
};

/// Of a run it may name the packet in front or a run in front, not both.
[[nodiscard]] SectorHeader header_of(const PacketRecord& record);
/// The record of a packet, or nothing where it is of another type.
[[nodiscard]] std::optional<PacketRecord> packet_record(const LogRecord& record);

}  // namespace tessera::media_cache
