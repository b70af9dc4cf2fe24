#pragma once
// Boot after a power cut: finds the write pointer of a zone by reading.
//
// Every track below the pointer ends with a mark (zone_marks.hpp), so that a binary search over tracks finds the last one that was
// written to; its last mark is the pointer. A sector after it that cannot be read may have carried a newer mark: what it may have
// stood for is then below the pointer, in doubt, and reads of it fail. A sector that an overlapping write destroyed is no such sector: the
// channel finds it as the neighbour's data, and nothing was written there since. Unless a rewrite of tracks was forgotten
// (MediaPort::forgot_rewrite): that destroyed what had been written, and marks.
#include <cstdint>
#include <functional>
#include <vector>

#include "base/address.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera::zoned {

class ZoneSearch {
 public:
  /// Where sectors [first, first + count) of a zone begin, as far as they stay on one track.
  using Locate = std::function<PhysicalRun(std::uint32_t zone, std::uint32_t first, std::uint32_t count)>;
  ZoneSearch(MediaPort& media, CpuPort& cpu, std::uint32_t zone_sectors, Locate locate)
      : media_(media), cpu_(cpu), zone_sectors_(zone_sectors), locate_(std::move(locate)) {}

  struct Zone {
    std::uint32_t zone = 0;  ///< sequential
    std::uint32_t resets = 0;
    std::uint32_t written = 0;  ///< sectors that are known to be written
  };
  struct Found {
    std::uint32_t written = 0;  ///< sectors below the pointer
    std::uint32_t doubt_first = 0;
    std::uint32_t doubt_count = 0;
  };
  [[nodiscard]] Task<Found> find(Zone zone);

  /// Reads of tracks, of all zones so far.
  [[nodiscard]] std::uint64_t reads() const { return reads_; }

 private:
  /// What a read of sectors says.
  struct Look {
    std::uint32_t end = 0;    ///< after the last mark; 0: none
    bool unreadable = false;  ///< a sector cannot be read, whatever is done, and may have had a mark
  };
  [[nodiscard]] Task<Look> look(Zone zone, std::uint32_t first, std::uint32_t end);
  struct Last {
    std::uint32_t marked = 0;      ///< after the last mark; 0: none
    std::uint32_t unreadable = 0;  ///< after the last sector that cannot be read; the first one looked at: none
  };
  [[nodiscard]] Task<Last> last_of(Zone zone, std::uint32_t first, std::uint32_t end);
  [[nodiscard]] std::size_t track_of(std::uint32_t offset) const;
  [[nodiscard]] std::uint32_t end_of(std::size_t track) const { return starts_[track + 1]; }
  [[nodiscard]] std::size_t tracks() const { return starts_.size() - 1; }
  void find_tracks(std::uint32_t zone);

  MediaPort& media_;
  CpuPort& cpu_;
  std::uint32_t zone_sectors_;
  Locate locate_;
  std::vector<std::uint32_t> starts_;  // of each track of the zone in hand, and its end
  std::vector<SectorHeader> headers_;
  std::uint64_t reads_ = 0;
};

}  // namespace tessera::zoned
