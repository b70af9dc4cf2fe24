#pragma once
// Where the merged copy of a band lies before the band is rewritten in place: two slots used in turn, each with the copy and, twice, a
// record that is written when the copy is complete. A boot writes the newest copy to its band once more.
#include <cstdint>
#include <optional>

#include "firmware/layers/media_cache/media_cache_config.hpp"
#include "firmware/layout/conventional_layout.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::media_cache {

class MergeArea {
 public:
  static constexpr std::uint32_t slots = 2;
  static constexpr std::uint32_t records = 2;

  /// `regions`: conventional, of least_sectors().
  MergeArea(const Ports& ports, const MediaCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& regions,
            std::uint32_t band_sectors);

  [[nodiscard]] static std::uint64_t least_sectors(std::uint32_t band_sectors) { return slots * (std::uint64_t{band_sectors} + records); }

  /// Number of the newest image that is complete.
  [[nodiscard]] std::uint64_t newest() const { return newest_; }
  /// Moves sectors of the image that comes next, or, once it is complete, of it.
  [[nodiscard]] Task<Status> write(std::uint32_t offset, DataSpan data, MediaClass priority);
  [[nodiscard]] Task<Status> read(std::uint32_t offset, DataSpan data, MediaClass priority);
  /// The image that was written is complete, and is what `run` is to hold. Its last `kept` sectors are not going to be written to the band
  /// before they are part of the next image, but are destroyed there by what is written in front of them.
  [[nodiscard]] Task<Status> complete(LogicalRun run, MediaClass priority, std::uint32_t kept = 0);
  /// The run that the newest image is to go to, unless it is void.
  [[nodiscard]] std::optional<LogicalRun> image() const { return image_.count == 0 ? std::nullopt : std::optional(image_); }
  [[nodiscard]] std::uint32_t kept() const { return kept_; }
  /// Where the newest image holds what `run` begins with, as far as it stays on one track.
  [[nodiscard]] PhysicalRun place(LogicalRun run) const;
  /// The newest image must not be written to its band any more.
  [[nodiscard]] Task<Status> make_void();

  /// Boot: finds the newest record.
  [[nodiscard]] Task<Status> recover();

  [[nodiscard]] std::uint64_t sectors_written() const { return sectors_written_; }

 private:
  [[nodiscard]] std::uint64_t slot_at(std::uint64_t image) const { return image % slots * (std::uint64_t{band_sectors_} + records); }
  [[nodiscard]] Task<Status> transfer(MediaOp op, std::uint64_t first, DataSpan data, MediaClass priority);
  [[nodiscard]] Task<Status> write_record(std::uint64_t image, LogicalRun run, std::uint32_t kept, MediaClass priority);

  const MediaCacheConfig& config_;
  MediaPort& media_;
  ConventionalLayout layout_;
  std::uint32_t band_sectors_;
  std::uint64_t newest_ = 0;
  LogicalRun image_{};
  std::uint32_t kept_ = 0;
  std::uint64_t sectors_written_ = 0;
};

}  // namespace tessera::media_cache
