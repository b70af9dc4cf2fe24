#pragma once
// What makes moves of tracks durable: the map that says where tracks lie, kept by checkpoint and log (Hajkazemi et al., section 2.2,
// "Safety and crash consistency"), and the number of the last move that was finished.
#include <array>

#include "firmware/logs/table_log.hpp"

namespace tessera {

/// What a move changes, in words of the layer's own; all zero for a move that changes nothing.
using MoveWords = std::array<std::uint64_t, 3>;

/// A layer's map of tracks, in DRAM.
class TrackMap {
 public:
  virtual ~TrackMap() = default;
  [[nodiscard]] virtual std::uint64_t image_bytes() const = 0;
  virtual void save(std::span<std::byte> image) const = 0;
  virtual void load(std::span<const std::byte> image) = 0;
  /// Tracks (pseudo-tracks) that do not lie at home.
  [[nodiscard]] virtual std::uint64_t away() const = 0;
  /// A move is finished.
  virtual void apply(const MoveWords& words) = 0;
};

class MoveLog final : private TableLog::Table {
 public:
  /// `log`: conventional regions of radii_needed() radii.
  MoveLog(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, TrackMap& map);
  /// Radii for a checkpoint of `image_bytes` and `records` changes after it, twice, near `radius`; and one
  /// for what slipped defects take.
  [[nodiscard]] static std::uint64_t radii_needed(const DriveGeometry& geometry, std::uint32_t radius, std::uint64_t image_bytes,
                                                  std::uint32_t records);

  [[nodiscard]] Task<Status> format() { return log_.format(); }
  [[nodiscard]] Task<Status> recover();

  /// The number of the move that is under way, or the next to be.
  [[nodiscard]] std::uint64_t current() const { return finished_ + 1; }
  /// The current move is finished: durable, and in the map, on return. Where the status is not ok the map shows it all the same, as the
  /// tracks lie there; the next boot may find it in the log, or find it unfinished and do it again from what was saved.
  [[nodiscard]] Task<Status> commit(MoveWords words);
  /// Not ok: a commit() failed. No track may be written any more, since the next boot may write what was saved over it.
  [[nodiscard]] Status status() const { return status_; }

  [[nodiscard]] std::uint64_t sectors_written() const { return log_.sectors_written(); }

 private:
  [[nodiscard]] std::uint64_t image_bytes() const override { return sizeof finished_ + map_.image_bytes(); }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(const TableLog::Words& words, std::span<const std::byte> sector) override;

  TrackMap& map_;
  std::uint64_t finished_ = 0;
  Status status_ = Status::ok;
  TableLog log_;
};

}  // namespace tessera
