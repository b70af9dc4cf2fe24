#pragma once
// Keeps a table in DRAM durable by a log on conventional tracks.
//
// The log region is two superblocks and two halves. A half is a checkpoint of the whole table, then one sector for each change
// since. When a half is full, the other one gets a checkpoint and then the superblock of the next generation, which makes it
// the one that counts.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/layout/conventional_layout.hpp"
#include "firmware/shared/superblock.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class TableLog {
 public:
  using Words = std::array<std::uint64_t, 4>;

  class Table {
   public:
    virtual ~Table() = default;
    /// Size of a checkpoint; always the same.
    [[nodiscard]] virtual std::uint64_t image_bytes() const = 0;
    virtual void save(std::span<std::byte> image) const = 0;
    virtual void load(std::span<const std::byte> image) = 0;
    /// A change since the checkpoint, as it was given to append(): its words, and its sector with zeros behind what was given.
    virtual void replay(const Words& words, std::span<const std::byte> sector) = 0;
  };

  /// `log`: conventional regions of at least least_sectors().
  TableLog(MediaPort& media, const DriveGeometry& geometry, const FormatPlan& log, RecordType type, Table& table);

  /// Sectors that the log of a table needs at the least: room for one change a half.
  [[nodiscard]] static std::uint64_t least_sectors(std::uint64_t image_bytes, std::uint32_t sector_bytes) {
    return superblocks + 2 * ((image_bytes + sector_bytes - 1) / sector_bytes + 1);
  }

  /// First boot: the table as it is.
  [[nodiscard]] Task<Status> format() { return write_checkpoint(); }
  /// Boot after a power cut: loads the checkpoint and replays the changes that reached the platter.
  [[nodiscard]] Task<Status> recover();
  /// A change that the table does not show yet, with at most a sector of bytes. Durable on return. One at a time.
  [[nodiscard]] Task<Status> append(Words words, std::span<const std::byte> bytes);
  /// Changes since the checkpoint.
  [[nodiscard]] std::uint64_t changes() const { return records_; }

  /// Sectors of checkpoints and changes.
  [[nodiscard]] std::uint64_t sectors_written() const { return sectors_written_; }

 private:
  static constexpr std::uint64_t superblocks = 2;

  [[nodiscard]] std::uint64_t half(std::uint64_t generation) const { return superblocks + generation % 2 * half_sectors_; }
  [[nodiscard]] std::uint64_t image_sectors() const { return image_.size() / sector_bytes_; }
  [[nodiscard]] std::uint64_t records_in_half() const { return half_sectors_ - image_sectors(); }
  [[nodiscard]] PhysicalRun place(std::uint64_t record, std::uint64_t count) const;
  [[nodiscard]] bool replay(const SectorHeader& header, std::span<const std::byte> sector);
  [[nodiscard]] Task<Status> write_checkpoint();
  [[nodiscard]] Task<Status> read_checkpoint();
  [[nodiscard]] Task<Status> transfer_image(MediaOp op, std::uint64_t first);

  MediaPort& media_;
  RecordType type_;
  Table& table_;
  std::uint32_t sector_bytes_;
  ConventionalLayout layout_;
  Superblock superblock_;
  std::uint64_t half_sectors_;
  std::vector<std::byte> image_;   // a checkpoint on its way
  std::vector<std::byte> sector_;  // a change on its way
  std::uint64_t records_ = 0;      // changes since the checkpoint
  std::uint64_t sectors_written_ = 0;
};

}  // namespace tessera
