#pragma once
// The state of each zone that must outlive a power cut: where it lies, how far it is written, and up to which age its copies in
// the buffer are void. A table in DRAM, kept by a log (firmware/logs/table_log.hpp).
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "firmware/logs/table_log.hpp"
#include "firmware/tables/dram_table.hpp"

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

class ZoneMap final : private TableLog::Table {
 public:
  /// `log`: conventional regions of at least least_log_sectors(); none: zones never move and nothing is kept. Of the `places`,
  /// those beyond `zones` are spares.
  ZoneMap(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint32_t zones, std::uint32_t places,
          ZoneNotes* notes);

  /// Sectors that the log needs at the least.
  [[nodiscard]] static std::uint64_t least_log_sectors(std::uint64_t zones, std::uint64_t note_bytes, std::uint32_t sector_bytes) {
    return TableLog::least_sectors(zones * sizeof(ZoneState) + note_bytes, sector_bytes);
  }

  [[nodiscard]] std::uint32_t zones() const { return static_cast<std::uint32_t>(states_.size()); }
  [[nodiscard]] const ZoneState& state(std::uint32_t zone) const { return states_.read(zone); }
  /// For tests, without a charge.
  [[nodiscard]] const ZoneState& peek(std::uint32_t zone) const { return states_.peek(zone); }
  /// A place that holds nothing of value; the same one until a commit() used it.
  [[nodiscard]] std::uint32_t spare() const { return spares_.front(); }
  /// The highest watermark of all zones.
  [[nodiscard]] std::uint64_t newest_watermark() const;

  /// First boot: zones in physical order, nothing written unless prefilled.
  [[nodiscard]] Task<Status> format();
  /// Boot after a power cut: the states of the last commit() that reached the platter. Without a log every zone counts as written
  /// up to `zone_sectors`.
  [[nodiscard]] Task<Status> recover(std::uint32_t zone_sectors);
  /// `zone` has this state from now on; if its place is spare(), the old place is the last of the spares. Durable on return
  /// where there is a log; nothing has changed where the status is not ok. `note`: at most a sector. One at a time.
  [[nodiscard]] Task<Status> commit(std::uint32_t zone, ZoneState state, std::span<const std::byte> note);
  /// Not ok: a commit() failed, and its record may be there all the same (TableLog::status): no zone may be written any more.
  [[nodiscard]] Status status() const { return log_ ? log_->status() : Status::ok; }
  /// Used state, before format().
  void prefill(std::uint32_t zone, std::uint32_t write_pointer) { states_.peek(zone).write_pointer = write_pointer; }

  /// Sectors of checkpoints and changes.
  [[nodiscard]] std::uint64_t sectors_written() const { return log_ ? log_->sectors_written() : 0; }
  [[nodiscard]] Bytes bytes() const { return Bytes(states_.size() * sizeof(ZoneState)); }

 private:
  void publish();
  [[nodiscard]] std::uint64_t image_bytes() const override;
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(const TableLog::Words& words, std::span<const std::byte> sector) override;
  void collect_spares();

  ZoneNotes* notes_;
  std::uint32_t places_;
  DramArray<ZoneState> states_;
  Gauge written_;  // by zone
  std::vector<std::uint32_t> spares_;
  std::optional<TableLog> log_;
};

}  // namespace tessera
