#pragma once
// Keeps a table in DRAM durable by a log on conventional tracks.
//
// The log region is two superblocks and two halves. A half is a checkpoint of the whole table, then the changes since, each of at most
// a sector. When a half is full, the other one gets a checkpoint and then the superblock of the next generation, which makes it
// the one that counts.
//
// Everything is there twice, so that one sector that cannot be read costs nothing: the two sectors of a change side by side, the
// second copy of a checkpoint behind the first. A boot that finds one copy of something writes everything twice again, to the other half;
// first what it could not read of the changes, so that none of their places keeps a torn sector until it is used again.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/layout/conventional_layout.hpp"
#include "firmware/logs/superblock.hpp"
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
    /// How much of it save() writes; zeros follow.
    [[nodiscard]] virtual std::uint64_t used_bytes() const { return image_bytes(); }
    virtual void save(std::span<std::byte> image) const = 0;
    virtual void load(std::span<const std::byte> image) = 0;
    /// A change since the checkpoint, as it was given to append(): its words, and its sector with zeros behind what was given.
    virtual void replay(const Words& words, std::span<const std::byte> sector) = 0;
  };

  /// `log`: conventional regions of at least least_sectors(); `piece_sectors`: most that one write of a checkpoint takes, beside the
  /// track's end.
  TableLog(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, RecordType type, Table& table,
           std::uint64_t piece_sectors = ~std::uint64_t{0});

  /// Sectors that the log of a table needs at the least: room for `changes` a half.
  [[nodiscard]] static std::uint64_t least_sectors(std::uint64_t image_bytes, std::uint32_t sector_bytes, std::uint64_t changes = 1) {
    const std::uint64_t image = (image_bytes + sector_bytes - 1) / sector_bytes;
    return Superblock::sectors + 2 * (checkpoint_copies * image + change_copies * changes);
  }

  /// First boot: the table as it is.
  [[nodiscard]] Task<Status> format() { return write_checkpoint(); }
  /// Boot after a power cut: loads the checkpoint and replays the changes that reached the platter. `corrupt` where both copies of
  /// something cannot be read.
  [[nodiscard]] Task<Status> recover();
  /// Then, once the table is complete: a checkpoint, where recover() found but one copy of something. Whether there is one.
  [[nodiscard]] Task<bool> repair();
  /// A change that the table does not show yet, with at most a sector of bytes. Durable on return. One at a time. Where it cannot be
  /// written a checkpoint in the other half makes void what is there of it, and it goes behind that; where the status is not ok it is void,
  /// unless status() is not ok either.
  [[nodiscard]] Task<Status> append(Words words, std::span<const std::byte> bytes);
  /// Not ok: a write failed, and the change that it was to make durable may be there all the same. The next boot decides, so that what lies
  /// where it says and where the table says must not change. Nothing more is taken.
  [[nodiscard]] Status status() const { return status_; }
  /// Most changes that append_together() takes.
  static constexpr std::size_t most_together = 8;
  /// At most room() changes in one write where they lie on one track; `sectors` has a whole sector for each. A cut leaves a beginning of
  /// them.
  [[nodiscard]] Task<Status> append_together(std::span<const Words> changes, std::span<const std::byte> sectors);
  /// Changes that can be appended before a checkpoint is needed.
  [[nodiscard]] std::uint64_t room() const { return records_in_half() - records_; }
  [[nodiscard]] std::uint32_t sector_bytes() const { return sector_bytes_; }
  /// The table as it is now, so that earlier changes need not be replayed. Durable on return.
  [[nodiscard]] Task<Status> checkpoint() { return write_checkpoint(); }
  /// Number of the checkpoint in force; append() makes a new one when the log is full.
  [[nodiscard]] std::uint64_t generation() const { return superblock_.generation(); }

  /// Sectors of checkpoints, changes and superblocks.
  [[nodiscard]] std::uint64_t sectors_written() const { return sectors_written_; }

 private:
  static constexpr std::uint64_t checkpoint_copies = 2;
  static constexpr std::uint64_t change_copies = 2;

  [[nodiscard]] std::uint64_t half(std::uint64_t generation) const { return Superblock::sectors + generation % 2 * half_sectors_; }
  [[nodiscard]] std::uint64_t image_sectors() const { return image_.size() / sector_bytes_; }
  /// Where the changes of a half begin.
  [[nodiscard]] std::uint64_t changes_at() const { return checkpoint_copies * image_sectors(); }
  [[nodiscard]] std::uint64_t records_in_half() const { return (half_sectors_ - changes_at()) / change_copies; }
  [[nodiscard]] SectorHeader header_of(std::uint64_t record, const Words& words) const;
  /// Sectors of the half in force from `sector` behind its checkpoint on, as far as they stay on one track; at most `count`.
  [[nodiscard]] PhysicalRun place(std::uint64_t sector, std::uint64_t count) const;
  [[nodiscard]] Task<Status> write_change(const Words& words);
  [[nodiscard]] Task<Status> replay_changes();
  [[nodiscard]] Task<void> mend_changes();
  [[nodiscard]] Task<Status> make_room();
  [[nodiscard]] Task<Status> write_checkpoint();
  [[nodiscard]] Task<Status> read_checkpoint();
  [[nodiscard]] Task<Status> write_image(std::uint64_t first);
  [[nodiscard]] Task<Status> read_image_sectors(std::uint64_t first, std::uint64_t done, std::uint32_t count);
  [[nodiscard]] MediaStep image_step(MediaOp op, std::uint64_t first, std::uint64_t done, std::uint64_t count);

  MediaPort& media_;
  CpuPort& cpu_;
  RecordType type_;
  Table& table_;
  std::uint32_t sector_bytes_;
  ConventionalLayout layout_;
  Superblock superblock_;
  std::uint64_t piece_sectors_;
  std::uint64_t half_sectors_;
  std::vector<std::byte> image_;   // a checkpoint on its way
  std::uint64_t filled_ = 0;       // how much of it is not zero
  std::vector<std::byte> sector_;  // a change on its way
  std::uint64_t records_ = 0;      // changes since the checkpoint
  Status status_ = Status::ok;
  /// A sector among the changes that the boot could not read, and what is to be there: the copy of a change, or nothing.
  struct Unread {
    std::uint64_t sector;
    SectorHeader header;
    std::vector<std::byte> bytes;
  };
  std::vector<Unread> unread_;
  bool faulty_ = false;  // boot found a sector that cannot be read
  std::uint64_t sectors_written_ = 0;
};

}  // namespace tessera
