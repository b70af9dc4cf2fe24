#pragma once
// Tracks that are rewritten one after another, each of which destroys the next ones: those lie in dumped DRAM, with what is known of how
// far the rewrite came, so that it is ended after a power cut.
//
// Place i of the rewrite's order lies in slot i % slots. What was destroyed before the rewrite, and nobody wants, stays so. What cannot be
// read stays on the first track, where a later read may bring it; of the others, which the rewrite destroys, it is written as lost.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/geometry.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class TrackWindow {
 public:
  /// For rewrites of which no track destroys any but the next `slots` - 1.
  TrackWindow(const Ports& ports, const DriveGeometry& geometry, std::uint32_t slots);

  /// The track with which the rewrite began that a power cut ended; nothing where there was none, or where forgotten().
  [[nodiscard]] std::optional<PhysicalTrack> begun() const;
  /// A dump failed: nobody knows whether there was a rewrite, or what of it. Until the next begin() or end(), after any number of boots.
  [[nodiscard]] bool forgotten() const { return progress_.peek(0).state == State::forgotten; }
  void begin(PhysicalTrack first);
  /// No rewrite is under way: at the first boot, too.
  void end();

  // Places of the order.
  [[nodiscard]] std::uint32_t written() const { return progress_.peek(0).written; }
  [[nodiscard]] std::uint32_t read() const { return progress_.peek(0).read; }
  /// Whether the next track cannot be written before another is read; `tracks` in all.
  [[nodiscard]] bool lacks(std::uint32_t tracks) const { return read() < tracks && read() < written() + slots_; }

  /// Where reads go.
  [[nodiscard]] const DataBuffer& buffer() const { return tracks_; }
  /// The track of place read(); it stays that one where the read is given up.
  [[nodiscard]] Task<void> read_next(PhysicalTrack track, MediaClass priority);
  /// The track of place written(), through `media`; whether all of it could be written.
  [[nodiscard]] Task<bool> write_next(PhysicalTrack track, MediaClass priority);

  /// DRAM of the tracks and their headers.
  [[nodiscard]] Bytes bytes() const;

 private:
  /// All bits zero: the dump failed.
  enum class State : std::uint32_t { forgotten, none, begun };
  struct Progress {
    State state;
    std::uint32_t surface;
    std::uint32_t radius;
    std::uint32_t written;
    std::uint32_t read;
  };
  [[nodiscard]] std::uint32_t first_sector(std::uint32_t place) const { return place % slots_ * most_sectors_; }
  [[nodiscard]] std::span<SectorHeader> headers(std::uint32_t place) { return {&headers_.peek(first_sector(place)), most_sectors_}; }

  Ports ports_;
  std::uint32_t slots_;
  std::uint32_t most_sectors_;
  std::uint32_t sector_bytes_;
  DramArray<Progress> progress_;  // in front of the rest: a dump that fails after it marks what of the tracks it lost
  DramArray<SectorHeader> headers_;
  DataBuffer& tracks_;
};

}  // namespace tessera
