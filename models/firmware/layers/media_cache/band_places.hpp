#pragma once
// Where the bands lie that are merged to spare ones: each region of the layout has more places than bands. What a merge writes goes to the
// nearest free place, which becomes the band's by a record of a log; the band's old place is free then.
#include <cstdint>
#include <vector>

#include "firmware/layout/band_track_layout.hpp"
#include "firmware/logs/table_log.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::media_cache {

class BandPlaces final : private TableLog::Table {
 public:
  /// `log`: conventional, of least_log_sectors(); `layout`: of regions with spares().
  BandPlaces(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, const BandTrackLayout& layout);

  /// Of the places of a region: so that a band stays near what was beside it, and next to no capacity is lost.
  [[nodiscard]] static std::uint64_t spares(std::uint64_t places) { return places < 2 * places_a_spare ? 1 : places / places_a_spare; }
  [[nodiscard]] static std::uint64_t least_log_sectors(std::uint64_t bands, std::uint32_t sector_bytes) {
    return TableLog::least_sectors(bands * sizeof(std::uint32_t), sector_bytes);
  }

  /// Of the band's region, as BandTrackLayout counts them.
  [[nodiscard]] std::uint32_t place(std::uint64_t band) const { return places_.read(band); }
  /// The free one nearest to it, of its arm where cleaning keeps to one and the region has one there; the same until it is taken.
  [[nodiscard]] std::uint32_t free_place(std::uint64_t band) const { return free_[nearest(band)].place; }

  /// Sectors of that free place, from its first on, that may hold what was another band's since the boot. What it holds from before does
  /// not matter: after a cut each band counts as used, but for holes at its end, so that it is written, or hidden by these.
  [[nodiscard]] std::uint32_t stale(std::uint64_t band) const { return free_[nearest(band)].stale; }
  /// It gets so many.
  void fill(std::uint64_t band, std::uint32_t sectors);

  /// First boot: bands in order, with the free places between them.
  [[nodiscard]] Task<Status> format();
  /// Boot after a power cut: as the last move() that reached the platters left it. What the free places hold is not known any more.
  [[nodiscard]] Task<Status> recover();
  /// The free place is the band's, whose own held at most `stale` sectors. Durable on return; where the status is not ok the band is where
  /// it was, and that stays the status().
  [[nodiscard]] Task<Status> move(std::uint64_t band, std::uint32_t stale);
  /// Not ok: a move() failed, and its record may be there all the same. The next boot decides where that band is, so that neither place may
  /// change.
  [[nodiscard]] Status status() const { return log_.status(); }

  [[nodiscard]] std::uint64_t sectors_written() const { return log_.sectors_written(); }
  [[nodiscard]] Bytes bytes() const { return Bytes(image_bytes()); }

 private:
  static constexpr std::uint64_t places_a_spare = 128;

  struct Free {
    std::size_t region = 0;
    std::uint32_t place = 0;
    std::uint32_t stale = 0;
  };

  [[nodiscard]] std::uint64_t image_bytes() const override { return places_.size() * sizeof(std::uint32_t); }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(const TableLog::Words& words, std::span<const std::byte>) override;
  void reset();
  void find_free();
  [[nodiscard]] std::size_t nearest(std::uint64_t band) const;
  [[nodiscard]] std::uint32_t arm_of(std::size_t region, std::uint64_t place) const;
  [[nodiscard]] std::uint64_t free_at_first(std::size_t region, std::uint64_t group) const;

  const BandTrackLayout& layout_;
  const CleaningArms* cleaning_;
  DramArray<std::uint32_t> places_;  // by band
  std::vector<Free> free_;
  TableLog log_;
};

}  // namespace tessera::media_cache
