#pragma once
// The state of each zone that must outlive a power cut: where it lies, how far it is written, and up to which age its copies in
// the buffer are void. A table in DRAM, kept by a log on conventional tracks.
//
// The log region is two superblocks and two halves. A half is a checkpoint of everything, then one sector for each change
// since. When a half is full, the other one gets a checkpoint and then the superblock of the next generation, which makes it
// the one that counts.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/layout/conventional_layout.hpp"
#include "firmware/shared/dram_table.hpp"
#include "firmware/shared/superblock.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

struct ZoneState {
  std::uint32_t place = 0;          ///< physical zone
  std::uint32_t write_pointer = 0;  ///< sectors that are written, padding included
  std::uint64_t watermark = 0;      ///< copies in the buffer up to this sequence number are void
};

/// What a layer keeps in the log beside the zones' states: a note rides in the sector of a change and is durable with it.
class ZoneNotes {
 public:
  virtual ~ZoneNotes() = default;
  /// Size of the layer's part of a checkpoint.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  virtual void save(std::span<std::byte> image) const = 0;
  virtual void load(std::span<const std::byte> image) = 0;
  /// At recovery, for each change since the checkpoint, in order: the sector with the note, zeros behind it.
  virtual void replay(std::uint32_t zone, std::span<const std::byte> note) = 0;
};

class ZoneMap {
 public:
  /// `log`: conventional regions of at least least_log_sectors(); none: zones never move and nothing is kept. Of the `places`,
  /// those beyond `zones` are spares.
  ZoneMap(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint32_t zones, std::uint32_t places,
          ZoneNotes* notes);

  /// Sectors that the log needs at the least: room for one change a half.
  [[nodiscard]] static std::uint64_t least_log_sectors(std::uint64_t zones, std::uint64_t note_bytes, std::uint32_t sector_bytes);

  [[nodiscard]] std::uint32_t zones() const { return static_cast<std::uint32_t>(states_.size()); }
  [[nodiscard]] const ZoneState& state(std::uint32_t zone) const { return states_.read(zone); }
  /// A place that holds nothing of value; the same one until a commit() used it.
  [[nodiscard]] std::uint32_t spare() const { return spares_.front(); }

  /// First boot: zones in physical order, nothing written unless prefilled.
  [[nodiscard]] Task<Status> format();
  /// Boot after a power cut: the states of the last commit() that reached the platter. Without a log every zone counts as full.
  [[nodiscard]] Task<Status> recover(std::uint32_t zone_sectors);
  /// `zone` has this state from now on; if its place is spare(), the old place is the last of the spares. Durable on return
  /// where there is a log; nothing has changed where the status is not ok. `note`: at most a sector.
  [[nodiscard]] Task<Status> commit(std::uint32_t zone, const ZoneState& state, std::span<const std::byte> note);
  /// Used state, before format().
  void prefill(std::uint32_t zone, std::uint32_t write_pointer) { states_.peek(zone).write_pointer = write_pointer; }

  /// Sectors of checkpoints and changes.
  [[nodiscard]] std::uint64_t sectors_written() const { return sectors_written_; }
  [[nodiscard]] Bytes bytes() const { return Bytes(states_.size() * sizeof(ZoneState)); }

 private:
  static constexpr std::uint64_t superblocks = 2;

  [[nodiscard]] bool logged() const { return superblock_.has_value(); }
  [[nodiscard]] std::uint64_t half(std::uint64_t generation) const { return superblocks + generation % 2 * half_sectors_; }
  [[nodiscard]] std::uint64_t records_in_half() const { return half_sectors_ - image_.size() / sector_bytes_; }
  [[nodiscard]] PhysicalRun record_place(std::uint64_t record) const;
  void reset();
  void collect_spares();
  [[nodiscard]] bool replay(const SectorHeader& header);
  [[nodiscard]] Task<Status> write_checkpoint();
  [[nodiscard]] Task<Status> read_checkpoint();
  [[nodiscard]] Task<Status> transfer_image(MediaOp op, std::uint64_t first);

  MediaPort& media_;
  ZoneNotes* notes_;
  std::uint32_t sector_bytes_;
  std::uint32_t places_;
  DramArray<ZoneState> states_;  // by zone
  std::vector<std::uint32_t> spares_;
  std::optional<ConventionalLayout> layout_;
  std::optional<Superblock> superblock_;
  std::uint64_t half_sectors_ = 0;
  std::vector<std::byte> image_;   // a checkpoint on its way
  std::vector<std::byte> record_;  // the sector of a change on its way
  std::uint64_t records_ = 0;      // changes since the checkpoint
  std::uint64_t sectors_written_ = 0;
};

}  // namespace tessera
