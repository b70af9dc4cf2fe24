#pragma once
// The bands, `band_tracks` shingled tracks each: where they are computed to lie, or, where merges go to a spare one, where the last merge
// has put them. Of each band it is known up to where it holds anything: after that a write destroys nothing that anybody needs.
#include <cstdint>
#include <optional>

#include "firmware/layers/media_cache/band_places.hpp"
#include "firmware/layers/media_cache/media_cache_config.hpp"
#include "firmware/layout/band_track_layout.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::media_cache {

struct Band {
  std::uint64_t number = 0;
  LogicalSector first;
  std::uint32_t sectors = 0;
  std::uint32_t track_sectors = 0;
  [[nodiscard]] LogicalSector end() const { return first + sectors; }
};

class BandStore {
 public:
  /// `places`: the region of the log that says where bands lie; empty where merges go back to their place.
  BandStore(const Ports& ports, const MediaCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& regions,
            const FormatPlan& places);

  [[nodiscard]] std::uint64_t user_sectors() const { return user_sectors_; }
  [[nodiscard]] std::uint64_t bands() const { return layout_.bands(); }
  /// Sectors of the longest band.
  [[nodiscard]] std::uint32_t most_sectors() const { return most_sectors_; }
  [[nodiscard]] Band band_of(LogicalSector sector) const;
  /// Of a number below bands(), with a sector of the user's.
  [[nodiscard]] Band band(std::uint64_t number) const;
  /// The beginning of `run` that lies in one band.
  [[nodiscard]] LogicalRun piece(LogicalRun run) const;
  /// Where `run` begins, as far as it stays on one track: at most run.count sectors.
  [[nodiscard]] PhysicalRun place(LogicalRun run) const;

  /// The end of what was written in the band, in the log or in place, since its end was trimmed last.
  [[nodiscard]] LogicalSector used_end(const Band& band) const { return band.first + used_.read(band.number); }
  /// The same without a charge.
  [[nodiscard]] LogicalSector peek_used_end(const Band& band) const { return band.first + used_.peek(band.number); }
  void use(const Band& band, LogicalSector end);
  /// The band holds nothing from `end` on.
  void restore(const Band& band, LogicalSector end) { used_.write(band.number) = static_cast<std::uint32_t>(end - band.first); }
  void prefill(std::uint64_t sectors);

  /// First boot.
  [[nodiscard]] Task<Status> format();
  /// Boot after a power cut: nobody knows what of the bands was written; to assume that all of each was is safe.
  [[nodiscard]] Task<Status> recover();

  /// Reads or writes `run`, in one band, track after track; whole tracks from whatever sector comes first.
  [[nodiscard]] Task<Status> transfer(MediaOp op, LogicalRun run, DataSpan data, MediaClass priority, LostSectors lost);

  // A merge to a spare band
  [[nodiscard]] bool to_spare() const { return places_.has_value(); }
  /// Not ok: nothing must be merged any more, in place neither (BandPlaces::status).
  [[nodiscard]] Status places_status() const { return places_ ? places_->status() : Status::ok; }
  /// All that a merge has to write of the spare one: what the band holds, and over what the place held of another band what this one
  /// has there, nothing. From the first sector on.
  [[nodiscard]] LogicalRun to_write_of_spare(const Band& band) const;
  /// This is going to be written to it.
  void begin_spare(const Band& band, LogicalRun all) { places_->fill(band.number, all.count); }
  [[nodiscard]] Task<Status> write_spare(LogicalRun run, DataSpan data, MediaClass priority);
  /// All of it, `run`, is there: durable on return. No read of the band may be under way. Up to `written` its place may hold anything.
  [[nodiscard]] Task<Status> move_to_spare(const Band& band, LogicalRun run, LogicalSector written);
  /// Sectors of the log that says where bands lie.
  [[nodiscard]] std::uint64_t sectors_written() const { return places_ ? places_->sectors_written() : 0; }

  /// Without what is cached of them, and without a charge.
  [[nodiscard]] BandLevels levels() const;

  [[nodiscard]] Bytes bytes() const;

 private:
  const MediaCacheConfig& config_;
  MediaPort& media_;
  BandTrackLayout layout_;
  std::uint64_t user_sectors_;
  std::uint32_t most_sectors_;
  DramArray<std::uint32_t> used_;
  std::optional<BandPlaces> places_;
};

}  // namespace tessera::media_cache
