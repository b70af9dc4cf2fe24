#pragma once
// The faults that a description asks for: which sectors fail when they are read or written, and when the head loses its track.
#include <algorithm>
#include <cstdint>
#include <map>

#include "base/address.hpp"
#include "base/random.hpp"
#include "base/state_stream.hpp"
#include "base/units.hpp"
#include "media/media_config.hpp"
#include "media/track_error_rates.hpp"
#include "media/track_geometry.hpp"
#include "media/track_interference.hpp"

namespace tessera {

/// What kept a sector from being read.
enum class ReadFault : std::uint8_t {
  transient,  ///< may go well when it is tried again
  permanent   ///< never goes well again
};

class MediaFaults {
 public:
  /// Draws from the random streams "media.read_errors", "media.write_faults" and "media.servo", each only where its rate is not 0.
  MediaFaults(const MediaConfig& config, const TrackGeometry& geometry, std::uint64_t seed);

  /// Whether any sector can fail: where not, nothing else need be asked of reads and writes.
  [[nodiscard]] bool any() const { return rates_ || !spots_.empty(); }

  /// Makes a sector unreadable for good; what is written to it is lost.
  void add_unreadable(PhysicalSector sector);
  /// From now on the sector fails in this many reads in a row, before one goes well.
  void add_transient(PhysicalSector sector, std::uint32_t reads);
  /// From now on the drive notices that a write to the sector fails.
  void add_write_fault(PhysicalSector sector);

  // Ranges are `count` sectors from `first` on of the track with this linear number, and do not wrap.

  /// A read that ends at `at`: calls failed(sector, ReadFault, reads) for each sector that it does not bring, nor did so many reads in a
  /// row. `beside`: what writes next to the sectors have done to them.
  template <class F>
  void read(std::uint64_t track, std::uint32_t first, std::uint32_t count, const TrackInterference& beside, Picoseconds at, F&& failed) {
    if (rates_) draw_read_errors(track, first, count, beside);
    const std::uint64_t begin = key(track, first);
    for (auto at_spot = spots_.lower_bound(begin); at_spot != spots_.end() && at_spot->first < begin + count;) {
      const auto sector = static_cast<std::uint32_t>(at_spot->first - begin) + first;
      Spot& spot = at_spot->second;
      if (spot.unreadable(at)) {
        failed(sector, ReadFault::permanent, 1);
      } else if (spot.failed < std::max(spot.failing_reads, spot.fades(at, notice_) ? fading_reads_ : 0)) {
        failed(sector, ReadFault::transient, ++spot.failed);
      } else {
        spot.failed = 0;
        if (spot.passing) {
          at_spot = spots_.erase(at_spot);
          continue;
        }
      }
      ++at_spot;
    }
  }

  /// Whether anything is known of the sector that may keep it from being read. Drawn errors meet what is asked for only.
  [[nodiscard]] bool spoils(std::uint64_t track, std::uint32_t sector) const { return spots_.contains(key(track, sector)); }

  /// The first sector at which the drive notices that a write failed; `none` where it notices nothing. Drawn faults are met by
  /// `whole` writes only, not by those that a power cut ends. `worn`: how many more per million the head causes.
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t write_fault(std::uint64_t track, std::uint32_t first, std::uint32_t count, bool whole, std::uint32_t worn);

  /// New data came to these sectors at `at`: calls lost(sector) for each that cannot be read back.
  template <class F>
  void written(std::uint64_t track, std::uint32_t first, std::uint32_t count, Picoseconds at, F&& lost) {
    const std::uint64_t begin = key(track, first);
    for (auto at_spot = spots_.lower_bound(begin); at_spot != spots_.end() && at_spot->first < begin + count;) {
      Spot& spot = at_spot->second;
      if (spot.unreadable(at)) {
        lost(static_cast<std::uint32_t>(at_spot->first - begin) + first);
      } else if (spot.passing) {
        at_spot = spots_.erase(at_spot);
        continue;
      }
      spot.failed = 0;
      ++at_spot;
    }
  }

  /// What the command that begins now loses to the servo: whole revolutions, or nothing.
  [[nodiscard]] Picoseconds off_track();

  /// The sectors that fail now or are going to; the random streams are not part of it.
  void save_state(StateWriter& out, Picoseconds now) const;
  /// At time 0, in place of those of the description.
  void load_state(StateReader& in);

 private:
  struct Spot {
    static constexpr Picoseconds never{~std::uint64_t{0}};
    Picoseconds bad_from = never;     ///< unreadable from this instant on
    std::uint32_t failing_reads = 0;  ///< in a row, before one goes well
    std::uint32_t failed = 0;         ///< of these
    bool passing = false;             ///< drawn: forgotten once a read went well or the sector was written
    bool write_fault = false;
    [[nodiscard]] bool unreadable(Picoseconds at) const { return at >= bad_from; }
    /// Not yet, but within `notice` from now.
    [[nodiscard]] bool fades(Picoseconds at, Picoseconds notice) const {
      return at < bad_from && bad_from != never && bad_from - at <= notice;
    }
  };

  [[nodiscard]] std::uint64_t key(std::uint64_t track, std::uint32_t sector) const { return track * geometry_.most_sectors() + sector; }
  Spot& spot_of(const NumberRow& row);
  void draw_read_errors(std::uint64_t track, std::uint32_t first, std::uint32_t count, const TrackInterference& beside);

  const TrackGeometry& geometry_;
  std::map<std::uint64_t, Spot> spots_;
  TrackErrorRates transient_rates_;
  std::uint64_t interference_rate_;  // of a thousand million sectors, where interference is next to its limit
  std::uint64_t transient_reads_;
  Picoseconds notice_;                // before a grown defect becomes unreadable
  std::uint32_t fading_reads_;        // that fail from then on, in a row
  std::uint64_t unrecoverable_rate_;  // of a thousand million sectors
  std::uint64_t write_rate_;          // of a million sectors
  std::uint64_t servo_rate_;          // of a million commands
  bool rates_;                        // of sectors
  Picoseconds servo_time_;
  RandomStream read_errors_;
  RandomStream write_faults_;
  RandomStream servo_;
};

}  // namespace tessera
