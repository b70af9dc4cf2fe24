#pragma once
// Virtual Guard: M. Shafaei and P. Desnoyers, "Virtual Guard: A Track-Based Translation Layer for Shingled Disks", HotStorage 2017.
//
// A write to a shingled track goes in place. What it would destroy is the next track, so that one is moved to a cache of
// conventional tracks first; from then on its old place is a guard, and the written track can be overwritten freely. A track that
// is in the cache is written there.
#include <cstdint>
#include <memory>
#include <vector>

#include "base/metrics.hpp"
#include "firmware/layout/band_track_layout.hpp"
#include "firmware/layout/conventional_layout.hpp"
#include "firmware/locks/number_locks.hpp"
#include "firmware/logs/header_scan.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

struct VguardConfig {
  /// Of a slot: copies, so that one that cannot be read is no loss.
  static constexpr std::uint32_t records = 2;

  std::uint32_t band_tracks = 20;
  std::uint32_t cache_tracks = 0;

  void describe(ParameterVisitor& visitor);
  /// On each surface; 1 % of the drive where cache_tracks says nothing: the size of the cache is ours.
  [[nodiscard]] std::uint64_t cache_radii(const DriveGeometry& geometry) const;
};

class Vguard final : public TranslationLayer {
 public:
  Vguard(const Ports& ports, const VguardConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  [[nodiscard]] std::uint64_t user_sectors() const override { return layout_.sectors(); }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override { return read_in_order(run, data, nullptr); }
  Task<Status> read_early(LogicalRun run, DataSpan data, EarlySectors& early) override { return read_in_order(run, data, &early); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  Task<Status> flush() override;
  [[nodiscard]] bool idle() const override { return locks_.empty(); }
  void prefill(std::uint64_t sectors) override;
  void report(MetricSet& metrics) const override;

 private:
  /// `early`: null where nothing in front of the run is wanted.
  Task<Status> read_in_order(LogicalRun run, DataSpan data, EarlySectors* early);

  using Piece = BandTrackLayout::Piece;
  using Slot = std::uint32_t;
  static constexpr Slot none = DramHashMap::none;

  /// What a slot is taken for.
  struct Cached {
    std::uint64_t track;
    std::uint64_t holds;  ///< 1: the track is in it for good, as its record says; 0: perhaps on the way
    bool operator==(const Cached&) const = default;
  };
  static constexpr std::uint32_t records = VguardConfig::records;
  static constexpr Cached survives{0x7667'7561, 2};  // in the table after its last slot: it is that of the power cut

  /// What a boot finds of the slots' records.
  struct FoundRecords {
    static constexpr std::uint32_t at_once = HeaderScan::most / records;  ///< slots
    std::vector<Slot> unknown;                                            ///< neither copy can be read
    std::vector<Slot> not_twice;                                          ///< a copy cannot be read, or a cut came between the two
  };

  Task<Status> write_piece(Piece piece, DataSpan data, MediaClass priority);
  Task<Status> make_guard(std::uint64_t track);
  Task<Status> clean();
  Task<Status> clean_band(std::uint64_t band);
  Task<Status> put_back(std::uint64_t track);
  Task<Status> end_cleaning();

  // Tracks are numbered band by band: the layout's numbers go over the surfaces in turn.
  [[nodiscard]] std::uint64_t number_of(const Piece& piece) const { return piece.band * layout_.band_tracks() + piece.position; }
  [[nodiscard]] PhysicalRun whole(std::uint64_t track) const {
    const std::uint64_t band = track / layout_.band_tracks();
    return layout_.whole(layout_.track_at(band, static_cast<std::uint32_t>(track - band * layout_.band_tracks()))).run;
  }
  [[nodiscard]] bool has_next(std::uint64_t track) const { return (track + 1) % layout_.band_tracks() != 0; }
  [[nodiscard]] bool endangers_next(std::uint64_t track) const;
  [[nodiscard]] NumberRange reach_of(std::uint64_t track) const { return {track, track + (has_next(track) ? 2 : 1)}; }
  [[nodiscard]] Slot slot_of(std::uint64_t track) const;
  void take(Slot slot, std::uint64_t track);
  void hold(Slot slot, std::uint64_t track);
  void give_back(Slot slot);
  void add_slot_steps(MediaChain& chain, MediaOp op, Slot slot, std::uint32_t first, DataSpan data) const;
  [[nodiscard]] SectorHeader record_of(std::uint64_t track) const;
  [[nodiscard]] static SectorHeader no_record();
  [[nodiscard]] PhysicalRun record_place(Slot slot, std::uint32_t copy) const;
  void add_records(MediaChain& chain, Slot slot, SectorHeader& record) const;
  [[nodiscard]] Task<Status> run_to_records(MediaChain& chain, Slot slot, SectorHeader said);
  [[nodiscard]] Task<void> find_records(Slot first, FoundRecords& found);
  void restore(Slot slot, Cached cached);

  Ports ports_;
  BandTrackLayout layout_;
  ConventionalLayout cache_;
  std::uint32_t slot_sectors_;  // of the longest track, and its records
  Slot slots_;
  DramBitmap holds_data_;  // by track
  DramHashMap slot_by_track_;
  DramArray<Cached> track_by_slot_;  // dumped: asked at boot for the slots of which neither record can be read; after them `survives`
  DramLists lists_;                  // of slots: free, and used in the order of caching
  Slot free_slots_;
  Gauge free_gauge_;
  NumberLocks locks_;
  FifoMutex cleaning_;
  FifoMutex copying_;  // at copy_
  DataBuffer copy_;    // a track on its way to the cache or back

  std::uint64_t guards_ = 0;
  std::uint64_t put_back_ = 0;
  std::uint64_t written_cached_ = 0;  // sectors
  std::uint64_t read_cached_ = 0;
  std::uint64_t read_in_place_ = 0;
  DurationHistogram cleanings_;
};

}  // namespace tessera
