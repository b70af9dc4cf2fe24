#pragma once
// Where each logical band lies, how much of it holds anything, and up to which age its cached pages are void: a table in DRAM, kept by a
// log on conventional tracks. Without a TRIM every band holds something to its end.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/logs/table_log.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class BandMap final : private TableLog::Table {
 public:
  /// `log`: conventional regions of at least least_log_sectors(); none: bands never move, hold all they ever did, and no log is kept. Of
  /// the `physical_bands`, those beyond `bands` are spares. `arms`: by physical band, where bands keep to their arm; each arm then has as
  /// many of the spares as any other, or one more. Empty: bands keep to none.
  BandMap(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint32_t bands, std::uint32_t physical_bands,
          std::uint32_t band_sectors, std::vector<std::uint32_t> arms = {});

  /// Sectors that the log of a table of `bands` entries needs at the least: room for one change a half.
  [[nodiscard]] static std::uint64_t least_log_sectors(std::uint64_t bands, std::uint32_t sector_bytes);

  [[nodiscard]] std::uint64_t physical(std::uint32_t band) const { return places_.read(band); }
  [[nodiscard]] std::uint64_t watermark(std::uint32_t band) const { return watermark_in(states_.peek(band)); }
  /// Sectors that may hold something, from the band's first on; what lies after them in its place is another band's, or destroyed. Nothing
  /// is looked up while no band is short of any.
  [[nodiscard]] std::uint32_t held(std::uint32_t band) const {
    return short_bands_ == 0 ? band_sectors_ : band_sectors_ - missing_in(states_.read(band));
  }
  /// The same, for whoever looks on.
  [[nodiscard]] std::uint32_t peek_held(std::uint32_t band) const { return band_sectors_ - missing_in(states_.peek(band)); }
  /// Of all bands.
  [[nodiscard]] std::uint64_t newest_watermark() const;
  /// A physical band that holds nothing of value, on the band's arm; the same one until commit() used it.
  [[nodiscard]] std::uint32_t spare(std::uint32_t band) const { return *spare_of(band); }
  /// That of a band's place; 0 where bands keep to none.
  [[nodiscard]] std::uint32_t arm_of(std::uint32_t band) const { return arms_.empty() ? 0 : arms_[places_.peek(band)]; }

  /// First boot: logical bands in physical order, no watermarks.
  [[nodiscard]] Task<Status> format();
  /// Boot after a power cut: the state of the last commit() that reached the platter.
  [[nodiscard]] Task<Status> recover();
  /// Band `band` lies on spare(band) from now on and holds `held` sectors, its old place is the last of the spares, and cached pages of it
  /// up to sequence number `watermark` are void. Durable on return; nothing has changed where the status is not ok. One at a time.
  [[nodiscard]] Task<Status> commit(std::uint32_t band, std::uint64_t watermark, std::uint32_t held);
  /// The same of a band that stays where it is.
  [[nodiscard]] Task<Status> shorten(std::uint32_t band, std::uint64_t watermark, std::uint32_t held);
  /// Not ok: a commit() failed, and its record may be there all the same (TableLog::status): no band may be written any more.
  [[nodiscard]] Status status() const { return log_ ? log_->status() : Status::ok; }

  /// Sectors of checkpoints and changes.
  [[nodiscard]] std::uint64_t sectors_written() const { return log_ ? log_->sectors_written() : 0; }
  [[nodiscard]] Bytes bytes() const { return Bytes(places_.size() * (sizeof(std::uint32_t) + sizeof(std::uint64_t))); }

 private:
  static constexpr std::uint64_t entry_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  /// Of a state, the rest is the sectors that the band lacks: pages programmed in the life of any flash, and bands of 64 GiB.
  static constexpr std::uint32_t watermark_bits = 40;

  [[nodiscard]] static std::uint64_t watermark_in(std::uint64_t state) { return state & ((std::uint64_t{1} << watermark_bits) - 1); }
  [[nodiscard]] static std::uint32_t missing_in(std::uint64_t state) { return static_cast<std::uint32_t>(state >> watermark_bits); }
  [[nodiscard]] std::uint64_t state_of(std::uint64_t watermark, std::uint32_t held) const;

  [[nodiscard]] std::uint64_t image_bytes() const override { return places_.size() * entry_bytes; }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(const TableLog::Words& words, std::span<const std::byte>) override;
  void reset();
  void change(std::uint32_t band, std::uint32_t place, std::uint64_t state);
  void collect_spares();
  [[nodiscard]] std::vector<bool> last_of_each_arm() const;
  [[nodiscard]] std::vector<std::uint32_t>::const_iterator spare_of(std::uint32_t band) const;

  std::uint32_t physical_bands_;
  std::uint32_t band_sectors_;
  std::vector<std::uint32_t> arms_;
  DramArray<std::uint32_t> places_;  // by logical band: four bytes an entry
  DramArray<std::uint64_t> states_;
  std::uint32_t short_bands_ = 0;
  std::vector<std::uint32_t> spares_;
  std::optional<TableLog> log_;
};

}  // namespace tessera
