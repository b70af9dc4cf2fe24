#pragma once
// Where the tracks of a move are saved before they are overwritten: a region apart from that of the read-modify-writes, which go on
// while a move is suspended. The record that says what the move is rides in the out-of-band bytes of every saved sector. It counts
// where each of them that can be read has it, while the map's log does not say that this move was finished.
#include <optional>

#include "firmware/interlaced/move_log.hpp"
#include "firmware/layout/conventional_layout.hpp"
#include "firmware/logs/header_scan.hpp"
#include "firmware/logs/log_record.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class MoveBackup {
 public:
  /// `regions`: conventional, with room for the images of a move.
  MoveBackup(MediaPort& media, const DriveGeometry& geometry, const FormatPlan& regions);

  [[nodiscard]] std::uint64_t sectors() const { return layout_.sectors(); }
  /// Where sectors [first, end) of the images go, as far as they stay on one track.
  [[nodiscard]] PhysicalRun piece(std::uint32_t first, std::uint32_t end) const;

  struct Record {
    std::uint64_t move = 0;
    std::uint32_t sectors = 0;  ///< of all images together
    MoveWords words{};
  };
  [[nodiscard]] static SectorHeader header(const Record& record);
  struct Found {
    Record record;
    bool in_doubt = false;  ///< a sector of it cannot be read: perhaps because the cut ended the save
  };
  /// Boot: the record of move number `move`, if it was saved.
  [[nodiscard]] Task<std::optional<Found>> find(std::uint64_t move);

 private:
  MediaPort& media_;
  ConventionalLayout layout_;
};

}  // namespace tessera
