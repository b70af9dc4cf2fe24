#pragma once
// What the platters hold, sparse: memory grows with what was written, not with the drive.
//
// Host data is kept by mode (base/content.hpp): not at all, as tags, or as bytes. Firmware's own sectors ("system") and
// sector headers are always kept. A write replaces all that its sectors held; damage makes it unreadable until then. A
// sector that holds nothing has nothing to lose: damage leaves it as it is. What was there before the simulation is asked for where it
// is read, and kept from the first change of its track on.
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/data_buffer.hpp"
#include "base/packed_pieces.hpp"
#include "base/state_stream.hpp"
#include "firmware/ports/media_port.hpp"
#include "firmware/ports/status.hpp"
#include "media/initial_content.hpp"

namespace tessera {

/// A sector by the number of its track.
struct TrackSector {
  std::uint64_t track = 0;
  std::uint32_t sector = 0;
  friend auto operator<=>(const TrackSector&, const TrackSector&) = default;
};

class ContentStore {
 public:
  /// `tracks` are numbered from 0 (TrackGeometry::linear) and hold at most `most_sectors` each.
  ContentStore(SectorShape shape, std::uint64_t tracks, std::uint32_t most_sectors);

  [[nodiscard]] const SectorShape& shape() const { return shape_; }
  /// What tracks hold that nobody has changed; null for nothing. Not in mode `none`.
  void set_initial(const InitialContent* initial) { initial_ = initial; }
  /// Tracks whose initial content was changed, in that order.
  [[nodiscard]] const std::vector<std::uint64_t>& changed_initial() const { return changed_initial_; }
  /// Whether anything was ever kept on the track; where not, there is nothing to read, overwrite or damage.
  [[nodiscard]] bool occupied(std::uint64_t track) const { return kept_on(track) || initial_on(track); }

  // Ranges are `count` sectors of one track from `first` on and do not wrap.

  /// Host data: `data` is count * shape().kept() bytes, or empty for data that nobody keeps.
  void write(std::uint64_t track, std::uint32_t first, std::uint32_t count, ConstContentSpan data);
  /// Firmware's own bytes: count whole sectors.
  void write_system(std::uint64_t track, std::uint32_t first, std::uint32_t count, std::span<const std::byte> bytes);
  /// Adds a header to a sector that was just written. Zeros are none: a sector that holds nothing is copied as what it is.
  void write_header(std::uint64_t track, std::uint32_t sector, const SectorHeader& header);
  void damage(std::uint64_t track, std::uint32_t first, std::uint32_t count);
  /// Makes a sector unreadable whatever it held (a write that was torn by a power cut), all of which is gone; tracked in every mode.
  void destroy(std::uint64_t track, std::uint32_t sector);
  /// What a sector holds cannot be read any more, though no overlapping write destroyed it: it reads as `media_error`.
  void spoil(std::uint64_t track, std::uint32_t sector);
  /// The sector that was just written is stored as lost: it reads as `lost` until it is written again. Its header stays.
  void mark_lost(std::uint64_t track, std::uint32_t sector);

  /// Fills `data` (or nothing, where it is empty); `media_error` if any sector of the range is spoilt, else `damaged` if any is, else
  /// `lost` if any is. A sector without host data reads as never_written, one of these as `destroyed`.
  Status read(std::uint64_t track, std::uint32_t first, std::uint32_t count, ContentSpan data) const;
  /// Fills whole sectors; zeros where no system bytes are. Gives header_status().
  Status read_system(std::uint64_t track, std::uint32_t first, std::uint32_t count, std::span<std::byte> bytes) const;
  /// Status of a read of headers and system bytes. What held nothing but host data has neither, readable or not: mode `none` does not know
  /// of its damage, and what is kept of data must not change how firmware boots.
  [[nodiscard]] Status header_status(std::uint64_t track, std::uint32_t first, std::uint32_t count) const;
  /// The sector's header; zeros where there is none or it is damaged.
  void read_header(std::uint64_t track, std::uint32_t sector, SectorHeader& header) const;

  /// Calls f(TrackSector, header) for each sector that has one and can be read, in any order.
  template <class F>
  void each_header(F&& f) const {
    for (const auto& [chunk_key, chunk] : chunks_)
      for (std::uint32_t slot = 0; slot < chunk_sectors; ++slot) {
        const std::uint64_t key = chunk_key * chunk_sectors + slot;
        if (holds_header(chunk, slot)) f(TrackSector{key / track_stride_, static_cast<std::uint32_t>(key % track_stride_)}, header_at(key));
      }
  }

  /// Of one sector: ok, media_error, damaged or lost.
  [[nodiscard]] Status status(std::uint64_t track, std::uint32_t sector) const { return status_of(track, sector, 1); }

  /// Fills the kept content of one sector with the mark of an unreadable one.
  void mark_destroyed(ContentSpan sector) const;

  /// Sectors that are unreadable now, of those that the store tracks.
  [[nodiscard]] std::uint64_t damaged_sectors() const { return damaged_sectors_; }

  /// All that is kept (content_state.cpp); what was there before the simulation only where it was changed.
  void save_state(StateWriter& out) const;
  /// In place of all that is kept; of a store of the same shape.
  void load_state(StateReader& in);

 private:
  static constexpr std::uint32_t chunk_sectors = 8;
  static constexpr unsigned parts = 64;  // of a track, of whole chunks
  using Mask = std::uint8_t;             // a bit a sector of a chunk
  using Parts = std::uint64_t;           // a bit a part of a track

  /// Tags are collapsed: one names the first block of a sector whose blocks hold consecutive tags.
  struct Chunk {
    Mask kept = 0;  // holds anything at all
    Mask damaged = 0;
    Mask spoilt = 0;  // of those
    Mask lost = 0;    // written as lost
    Mask data = 0;    // holds host data: in tags or bytes_
    Mask split = 0;   // tags that are not consecutive: in split_tags_
    Mask system = 0;  // in system_
    Mask header = 0;  // in headers_
    std::array<Tag, chunk_sectors> tags{};
  };
  using SectorBytes = std::unique_ptr<std::byte[]>;

  [[nodiscard]] std::uint64_t sector_key(std::uint64_t track, std::uint32_t sector) const { return track * track_stride_ + sector; }
  [[nodiscard]] bool kept_on(std::uint64_t track) const { return (occupied_[track >> 6] >> (track & 63) & 1) != 0; }
  /// Whether the track still holds what it held before the simulation.
  [[nodiscard]] bool initial_on(std::uint64_t track) const { return initial_ != nullptr && !kept_on(track) && initial_->on(track); }
  [[nodiscard]] static bool holds_header(const Chunk& chunk, std::uint32_t slot) {
    return (chunk.header & ~chunk.damaged & 1 << slot) != 0;
  }
  [[nodiscard]] SectorHeader header_at(std::uint64_t key) const;
  void put_header(std::uint64_t key, const SectorHeader& header);
  [[nodiscard]] static std::uint32_t slot_of(std::uint64_t key) { return static_cast<std::uint32_t>(key % chunk_sectors); }
  void keep_initial(std::uint64_t track);
  Parts& occupy(std::uint64_t track);
  Chunk& chunk_for_writing(Parts& held, std::uint64_t chunk_key);
  /// Forgets what the masked sectors held. What lies in the maps stays, for reuse: the masks decide.
  void clear(Chunk& chunk, Mask mask);
  void store(Chunk& chunk, std::uint32_t slot, std::uint64_t key, ConstContentSpan sector);
  void load(const Chunk& chunk, std::uint32_t slot, std::uint64_t key, ContentSpan sector) const;
  /// Calls f(chunk key, first slot, slots, sectors before) for each chunk that the range touches.
  template <class F>
  void each_chunk(std::uint64_t track, std::uint32_t first, std::uint32_t count, F&& f) const;
  /// Calls f(chunk, key of its first sector in the range, sectors, sectors before) for each chunk of the range that holds or held anything.
  /// Most tracks of a drive that keeps no content hold one header: a write next to them would look for each chunk in vain.
  template <class Store, class F>
  static void each_held(Store& store, std::uint64_t track, std::uint32_t first, std::uint32_t count, F&& f);
  [[nodiscard]] Status status_of(std::uint64_t track, std::uint32_t first, std::uint32_t count) const;
  /// Status by the sectors of each chunk that damaged(chunk) names.
  template <class F>
  [[nodiscard]] Status status_by(std::uint64_t track, std::uint32_t first, std::uint32_t count, F&& damaged) const;

  /// Sectors that hold things of the same kinds, and whose tags follow each other.
  struct SavedRun {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    unsigned kinds = 0;
    Tag tag = 0;  ///< of its first block, where that tells all others
  };
  [[nodiscard]] static unsigned kinds_of(const Chunk& chunk, std::uint32_t slot);
  [[nodiscard]] bool tags_follow(unsigned kinds) const;
  void save_run(const SavedRun& run, std::uint64_t end, StateWriter& out) const;
  void load_run(const SavedRun& run, StateReader& in);

  SectorShape shape_;
  std::uint64_t track_stride_;
  unsigned part_shift_;                  // of the chunks of a part
  std::vector<std::uint64_t> occupied_;  // a bit a track
  const InitialContent* initial_ = nullptr;
  std::vector<std::uint64_t> changed_initial_;
  boost::unordered_flat_map<std::uint64_t, Parts> parts_;  // by track: those that may hold chunks
  boost::unordered_flat_map<std::uint64_t, Chunk> chunks_;
  boost::unordered_flat_map<std::uint64_t, std::array<Tag, 8>> split_tags_;
  boost::unordered_flat_map<std::uint64_t, SectorBytes> bytes_;
  PackedPieces system_;   // by sector
  PackedPieces headers_;  // by chunk
  std::uint64_t damaged_sectors_ = 0;
  std::uint64_t lost_sectors_ = 0;
};

}  // namespace tessera
