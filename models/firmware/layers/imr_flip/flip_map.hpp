#pragma once
// Which bottom tracks are flipped with a top beside them (Hajkazemi et al., section 2.2 and figure 3). A flip exchanges as much as
// fits both tracks: the low or the high end of the longer one stays where it is.
#include "firmware/interlaced/interlaced_tracks.hpp"
#include "firmware/interlaced/move_log.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::flip {

/// The paper's five states of a bottom track T, three bits each.
enum class Flip : std::uint8_t { home, low_front, high_front, low_behind, high_behind };

/// What a flip exchanges: `count` sectors from these on.
struct Splice {
  std::uint32_t bottom_first = 0;
  std::uint32_t top_first = 0;
  std::uint32_t count = 0;
  [[nodiscard]] static Splice of(Flip flip, std::uint32_t bottom_sectors, std::uint32_t top_sectors);
};

/// A bottom and the top that it is flipped with.
struct FlippedPair {
  PhysicalTrack bottom;
  PhysicalTrack top;
  Flip flip = Flip::home;
};

class FlipMap final : public TrackMap {
 public:
  FlipMap(MemoryPort& memory, InterlacedTracks tracks);

  [[nodiscard]] Flip state(PhysicalTrack bottom) const { return decode(words_.read(word_of(bottom)), bottom); }
  /// The top that this flip of `bottom` exchanges sectors with; it must exist.
  [[nodiscard]] PhysicalTrack partner(PhysicalTrack bottom, Flip flip) const;
  /// The flip that a track, bottom or top, takes part in.
  [[nodiscard]] std::optional<FlippedPair> flip_of(PhysicalTrack track) const;
  [[nodiscard]] Splice splice(const FlippedPair& pair) const;
  /// Where sectors with this home lie, as far as they lie side by side.
  [[nodiscard]] PhysicalRun place_of(const PhysicalRun& home) const;

  /// Of a move: the new state of a bottom.
  [[nodiscard]] MoveWords words(PhysicalTrack bottom, Flip flip, bool beside_saved) const;
  struct Change {
    PhysicalTrack bottom;
    Flip flip;
    bool beside_saved;
  };
  [[nodiscard]] Change change_of(const MoveWords& words) const;

  [[nodiscard]] static std::uint64_t words_for(std::uint64_t bottoms) { return (bottoms + per_word - 1) / per_word; }
  [[nodiscard]] Bytes bytes() const { return Bytes(words_.size() * sizeof(std::uint64_t)); }

  [[nodiscard]] std::uint64_t image_bytes() const override { return bytes().value(); }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  /// Both tracks of each flip.
  [[nodiscard]] std::uint64_t away() const override { return 2 * flips_; }
  void apply(const MoveWords& words) override;

 private:
  static constexpr std::uint64_t per_word = 21;  // states of three bits

  [[nodiscard]] std::uint64_t word_of(PhysicalTrack bottom) const { return tracks_.bottom_number(bottom) / per_word; }
  [[nodiscard]] std::uint64_t shift_of(PhysicalTrack bottom) const { return 3 * (tracks_.bottom_number(bottom) % per_word); }
  [[nodiscard]] Flip decode(std::uint64_t word, PhysicalTrack bottom) const { return static_cast<Flip>(word >> shift_of(bottom) & 7U); }

  InterlacedTracks tracks_;
  DramArray<std::uint64_t> words_;
  std::uint64_t flips_ = 0;
};

}  // namespace tessera::flip
