#pragma once
// The circular log of packets on conventional tracks. Its sectors are numbered as those of an endless log, of which the region holds the
// last ones. A packet is one or several runs of data, what it is padded with, and one sector that ends it:
//
//   | run 0 .. h | run 1 . h | ... | padding | end h |      h: a header in the out-of-band bytes
//
// The header on a run's last sector tells the run, the run in front and the packet; the one on the end tells the last run. So a packet
// whose end is there was written whole, and one sector of it that cannot be read costs no other. Where neither the end nor the last run's
// header can be read, nobody knows how far it was written: it counts, and none of it can be read (MediaCache::lose_unproven). The headers
// of the first run and of the end tell the packet in front, where that has one run: no packet of which both headers are lost is taken for
// one that was never there, but for the newest. A packet may also say of its runs that they were trimmed, or that their band has them:
// then each takes one sector.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "firmware/layers/media_cache/packet_record.hpp"
#include "firmware/layout/conventional_layout.hpp"
#include "firmware/logs/header_scan.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::media_cache {

struct PacketRun {
  LogicalRun run;
  DataSpan data;
};

/// A packet on its way to the log.
struct Packet {
  static constexpr std::uint32_t most_runs = 8;
  std::uint64_t position = 0;   ///< of its first sector
  std::uint64_t after = 0;      ///< number of the map's checkpoint in force
  std::uint32_t sectors = 0;    ///< padding and end included
  std::uint64_t tail = 0;       ///< nothing in front of this is needed any more
  PacketRecord::Named named{};  ///< the packet in front
  PacketSays says = PacketSays::data;
  std::array<PacketRun, most_runs> runs{};  ///< unless it says `data`, without any
  std::uint32_t count = 0;
  MediaClass priority = MediaClass::host;

  [[nodiscard]] std::uint32_t data_sectors() const;
};

/// A packet as a boot found it.
struct FoundPacket {
  std::uint64_t position = 0;
  std::uint32_t sectors = 0;
  std::uint64_t tail = 0;
  PacketSays says = PacketSays::data;
  std::vector<LogicalRun> runs;
  bool proven = false;  ///< one of its last two headers is there; otherwise neither can be read, and a cut may have ended it
};

class PacketLog {
 public:
  /// `regions`: conventional.
  PacketLog(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions);

  [[nodiscard]] std::uint64_t sectors() const { return layout_.sectors(); }
  /// Longest packet: it lies on three tracks at most.
  [[nodiscard]] std::uint32_t most_sectors() const { return most_sectors_; }
  [[nodiscard]] std::uint64_t head() const { return head_; }
  /// The packet comes next, after checkpoint `after`: gives it its position, and what it says of the packet in front.
  void take(Packet& packet, std::uint64_t after);

  /// Durable on return.
  [[nodiscard]] Task<Status> write(const Packet& packet);
  /// Reads a packet to see whether it can be read.
  [[nodiscard]] Task<Status> verify(const Packet& packet);
  /// What lies from `position` on, as far as it stays on one track: at most `count` sectors.
  [[nodiscard]] PhysicalRun place(std::uint64_t position, std::uint32_t count) const;

  /// What a boot looks for.
  struct Search {
    std::uint64_t first = 0;  ///< position where the checkpoint in force says that packets begin
    std::uint64_t after = 0;  ///< number of that checkpoint
    std::uint64_t limit = 0;  ///< where there can be none any more
    std::uint64_t gap = 0;    ///< most sectors that can lie between two of them
  };
  /// Boot: the packets that were written whole after that checkpoint, in the order of their positions. The head is after all that is found.
  /// `corrupt` where sectors of one cannot be named, or nothing tells of one in front of others.
  [[nodiscard]] Task<Status> recover(Search search, std::vector<FoundPacket>& packets);
  /// Then: whether packets may follow at once. Otherwise the map is to be written down first: a later boot may be able to read what this
  /// one could not, and find other packets; or the next packet would not name the newest one.
  [[nodiscard]] bool may_go_on() const { return !in_doubt_ && (newest_.sectors == 0 || newest_end_ == head_); }

  /// No packet comes in front of `position` any more; whether one could have.
  [[nodiscard]] bool skip_to(std::uint64_t position);

  [[nodiscard]] std::uint64_t sectors_written() const { return sectors_written_; }

 private:
  struct Seen {
    std::uint32_t data = 0;
    std::uint32_t sectors = 0;
    std::uint64_t tail = 0;
    PacketSays says = PacketSays::data;
    bool end = false;
    bool last_run = false;                     ///< its own header is there
    bool failed = false;                       ///< a later record says so
    std::map<std::uint32_t, LogicalRun> runs;  ///< by their place in the packet
  };
  using SeenPackets = std::map<std::uint64_t, Seen>;  // by position
  static constexpr std::uint32_t most_voids = 4;      // sectors that are tried for the record of a packet that failed
  [[nodiscard]] std::uint64_t take(std::uint32_t sectors);
  [[nodiscard]] Task<void> void_packet(const Packet& packet);
  [[nodiscard]] Task<void> scan(Search search, SeenPackets& seen, std::set<std::uint64_t>& unknown);
  static void note(const PacketRecord& record, std::uint64_t first, SeenPackets& seen);
  /// Whether in front of one of them another may lie of which nothing tells.
  [[nodiscard]] static bool untold(std::uint64_t first, const SeenPackets& seen, const std::set<std::uint64_t>& unknown);
  [[nodiscard]] static bool whole(std::uint64_t position, const Seen& packet, const std::set<std::uint64_t>& unknown);

  MediaPort& media_;
  ConventionalLayout layout_;
  std::uint32_t most_sectors_;
  std::uint64_t head_ = 0;
  PacketRecord::Named newest_;    // packet that was taken last; of no sectors: it has several runs, or failed
  std::uint64_t newest_end_ = 0;  // past it
  bool in_doubt_ = false;         // what the boot found depends on what it could not read
  std::uint64_t sectors_written_ = 0;
};

}  // namespace tessera::media_cache
