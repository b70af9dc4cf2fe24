#pragma once
// Defect management: what the drive does about sectors that cannot be read or written. It lies below every layer and none knows of it.
//
// - A read that failed is repeated sector by sector. A sector that came back late is moved to a spare; one that never does is marked lost
// in
//   the buffer, answers with a media error, and is pending: the next write to it is read back, and where that fails goes to a spare.
// - A write that failed is repeated; the sector that stopped it goes to a spare.
// - A run that contains bad sectors is carried out in parts, in its own order and with its header in the last one: a header that is on
//   the platter still proves that the whole run is.
// - A sector that the factory moved is read and written where it lies; where that place fails it goes to a spare like any other.
// - A move counts once the table that says so is durable. Where a write needs a spare and none is left, the drive is read-only from then
// on.
#include <array>
#include <cstdint>

#include "base/geometry.hpp"
#include "base/metrics.hpp"
#include "firmware/defects/defect_table.hpp"
#include "firmware/defects/defects_config.hpp"
#include "firmware/defects/factory_remaps.hpp"
#include "firmware/defects/spare_layout.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class DefectManager final : public MediaSupervisor {
 public:
  /// The geometry's SpareLayout must be usable; the manager takes over its media port's errors.
  DefectManager(const DefectsConfig& config, const Ports& ports, const DriveGeometry& geometry);
  ~DefectManager() override;
  DefectManager(const DefectManager&) = delete;
  DefectManager& operator=(const DefectManager&) = delete;

  /// Boot after a power cut, before anything else: reads the table.
  Task<Status> load();
  /// The drive takes no more writes from the host.
  [[nodiscard]] bool read_only() const { return table_.read_only(); }

  void look_up(const MediaChain& chain) override;
  [[nodiscard]] bool concerns(const MediaChain& chain) const override;
  [[nodiscard]] Task<Status> carry_out(MediaChain& chain) override;

  /// What came of the chains that were watched.
  struct Found {
    std::uint64_t recovered = 0;   ///< sectors that came back late
    std::uint64_t moved = 0;       ///< of these
    std::uint64_t unreadable = 0;  ///< sectors that never came, and of which that was not known
  };
  /// `chain`, a read into a buffer, is for the sake of what it finds: what comes back late is moved, whatever the sector holds. Null: none.
  void watch(const MediaChain* chain) { watched_ = chain; }
  [[nodiscard]] const Found& found() const { return found_; }

  /// Adds the metrics `defects.*`.
  void report(MetricSet& metrics) const;

 private:
  /// Sectors [first, first + count) of a step that are carried out as one: good ones, or one that is bad or moved.
  struct Part {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t spare = Defect::in_place;
    std::uint32_t pending = 0;                ///< as Defect::pending
    const PhysicalSector* factory = nullptr;  ///< where the factory moved it
    [[nodiscard]] std::uint32_t end() const { return first + count; }
  };
  static constexpr std::uint32_t most_parts = MediaChain::max_steps / 2;  // a part may be written and read back

  [[nodiscard]] std::uint64_t key_of(const MediaStep& step, std::uint32_t offset) const;
  /// What is known of a sector: one of them, or both.
  struct Known {
    const Defect* defect = nullptr;
    const FactoryRemap* factory = nullptr;
    [[nodiscard]] bool any() const { return defect != nullptr || factory != nullptr; }
    [[nodiscard]] std::uint64_t sector() const { return defect != nullptr ? defect->sector : factory->sector; }
  };
  [[nodiscard]] Known first_known(std::uint64_t first, std::uint64_t end) const;
  [[nodiscard]] Known next_known(const MediaStep& step, std::uint32_t from, std::uint32_t& offset) const;
  [[nodiscard]] Part next_part(const MediaStep& step, std::uint32_t from, std::uint32_t grain) const;
  [[nodiscard]] MediaStep step_of(const MediaStep& step, const Part& part) const;

  Task<Status> carry_out_rest(MediaChain& chain);
  Task<void> find_content(MediaStep& again);
  Task<Status> read_until_it_comes(MediaStep again, std::uint32_t most, std::uint32_t& reads);
  Task<Status> carry_out_step(MediaStep step);
  Task<void> look_for_table();
  Task<Status> recover(MediaStep step, Part part);
  Task<Status> recover_marked(MediaStep step, Part part);
  Task<Status> read_again(MediaStep step, std::uint32_t offset);
  Task<Status> write_again(MediaStep step, std::uint32_t offset);
  Task<Status> run_single(MediaStep step, bool verify);
  void deliver(const MediaStep& step, std::uint32_t offset);
  Task<Status> relocate(std::uint64_t sector, MediaStep content);
  Task<void> note_pending(std::uint64_t sector);
  void take_hope(std::uint64_t sector);
  void note_verified(std::uint64_t sector);
  Task<void> end_writing();
  void event(const char* kind, std::uint64_t sector);
  void arm() { armed_ = !table_.empty() || !remaps_.empty(); }

  DefectsConfig config_;
  Ports ports_;
  SpareLayout layout_;
  FactoryRemaps remaps_;
  DefectTable table_;
  bool started_ = false;        // the table was loaded or begun
  DataBuffer sector_;           // one sector under recovery
  std::span<std::byte> bytes_;  // as firmware's own bytes
  SectorHeader header_{};
  const MediaChain* watched_ = nullptr;
  bool watching_ = false;  // it is carried out
  Found found_;

  std::uint64_t retries_ = 0;
  std::uint64_t recovered_ = 0;
  std::uint64_t uncorrectable_ = 0;
  std::uint64_t write_faults_ = 0;
  std::uint64_t relocations_ = 0;
};

}  // namespace tessera
