#pragma once
// Amphisbaena: C. Zhang, F. Yu, S. Nie, W. Tang, F. Liu, S. Liu, W. Wu, "Amphisbaena: A Novel Persistent Buffer Management Strategy to
// Improve SMR Disk Performance", Applied Sciences 14(2), 630, 2024.
//
// The conventional buffer has two parts: blocks that are likely to be written again soon are in the high-frequency buffer (HFB), block by
// block; the others in the low-frequency buffer (LFB), in chunks of their zones. Blocks leave the HFB for the LFB, and the LFB for
// their zones. What goes where is decided by role_lists.hpp, which zone is written back by victim_weight.hpp.
#include <memory>
#include <optional>
#include <vector>

#include "firmware/layers/amphisbaena/block_space.hpp"
#include "firmware/layers/amphisbaena/chunk_collection.hpp"
#include "firmware/layers/amphisbaena/chunk_space.hpp"
#include "firmware/layers/amphisbaena/hot_write.hpp"
#include "firmware/layers/amphisbaena/role_lists.hpp"
#include "firmware/layers/amphisbaena/stale_records.hpp"
#include "firmware/layers/amphisbaena/victim_ranking.hpp"
#include "firmware/layers/amphisbaena/victim_weight.hpp"
#include "firmware/zones/zone_buffer_layer.hpp"

namespace tessera::amphisbaena {

class Amphisbaena final : public ZoneBufferLayer, private SlotRecords {
 public:
  Amphisbaena(const Ports& ports, const AmphisbaenaConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  Task<Status> format() override;
  Task<Status> recover() override;
  void report(MetricSet& metrics) const override;

  /// For tests.
  [[nodiscard]] const RoleLists& roles() const { return roles_; }
  [[nodiscard]] const BlockSpace& blocks() const { return blocks_; }
  [[nodiscard]] const ChunkSpace& chunks() const { return chunks_; }

 private:
  /// Of a slot's record: which part of the buffer it belongs to.
  enum Part : std::uint64_t { low_frequency = 0, high_frequency = 1 };
  /// Space that a write needs.
  struct Room {
    std::uint32_t blocks = 0;
    std::uint32_t frames = 0;
    [[nodiscard]] bool none() const { return blocks == 0 && frames == 0; }
  };
  using Roles = std::vector<Role>;

  Amphisbaena(const Ports& ports, const AmphisbaenaConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
              std::unique_ptr<StaleRecords> stale);

  [[nodiscard]] std::uint64_t guard_of(std::uint32_t zone) const override { return zone; }
  [[nodiscard]] std::uint32_t largest_write() const override;
  [[nodiscard]] bool predicts_hot(std::uint32_t sectors) override;
  Task<Status> write_piece(ZoneRun run, DataSpan data, const Request& request) override;
  void released(std::uint32_t slot) override;
  void stored(std::uint32_t slot) override { stale_->overwritten(slot); }
  [[nodiscard]] Task<void> abandoned(std::uint32_t zone, std::span<const Placement> placements) override;
  void restore_space(std::vector<FoundSlot>& found, std::span<const std::uint32_t>) override;
  [[nodiscard]] std::uint64_t void_until(std::uint32_t slot) const override;
  [[nodiscard]] bool may_hold(std::uint32_t slot, std::uint64_t sequence) const override { return stale_->counts(slot, sequence); }
  [[nodiscard]] std::uint64_t restore_unreadable(SlotOwners::Owner slot, const std::vector<FoundSlot>& found) override;
  Task<Status> restored(std::vector<FoundSlot>& found, std::span<const std::uint32_t> unreadable) override;

  [[nodiscard]] Bytes paper_bytes() const;

  // Writes: layer.cpp
  [[nodiscard]] Room room_for(ZoneRun run, bool hot, Roles& roles);
  [[nodiscard]] bool fits(Room needed) const { return blocks_.free_slots() >= needed.blocks && chunks_.free_frames() >= needed.frames; }
  [[nodiscard]] Placement place(LogicalSector block, std::uint32_t old, Role was, bool hot);
  [[nodiscard]] Placement place_in_chunk(std::uint32_t zone, std::uint32_t offset);

  // The two cleanups, by whoever holds space_: cleanup.cpp
  [[nodiscard]] Task<Status> make_room(Room needed, HostTag in_hand);
  [[nodiscard]] Task<Status> clean_chunks(HostTag in_hand);
  [[nodiscard]] Task<Status> free_frame(HostTag in_hand);
  void weigh_changed_zones();
  [[nodiscard]] VictimZone victim_of(std::uint32_t zone) const;
  [[nodiscard]] Task<Status> log_stale_records(std::uint32_t zone);
  enum class Leaving : std::uint8_t { filtered, any };
  [[nodiscard]] Task<Status> evict_block(LogicalSector block, Leaving which, HostTag in_hand);
  [[nodiscard]] Task<Status> move_to_chunk(std::uint32_t zone, std::uint32_t chunk);
  void stay_in_slot(LogicalSector block, std::uint32_t slot);
  void collect_group(LogicalSector block, bool alone);

  // Sizes of the two buffers
  [[nodiscard]] Task<Status> review(HostTag in_hand);
  [[nodiscard]] std::uint32_t chunks_for(std::uint64_t ghost_hits) const;
  [[nodiscard]] Task<Status> take_chunks(std::uint32_t count, HostTag in_hand);
  [[nodiscard]] Task<Status> return_chunks(HostTag in_hand);
  [[nodiscard]] Task<Status> return_frame(std::uint32_t frame, HostTag in_hand);
  void show_sizes();

  AmphisbaenaConfig config_;
  std::uint32_t frames_;
  std::unique_ptr<StaleRecords> stale_;
  HotWrite hot_;
  ChunkSpace chunks_;
  BlockSpace blocks_;
  RoleLists roles_;
  VictimRanking ranking_;
  BlockedWrites blocked_;
  ChunkCollection collection_;
  FifoMutex space_;    // whoever waits for space, in order of arrival
  DataBuffer moving_;  // a chunk
  Gauge hfb_gauge_;
  Gauge lfb_gauge_;
  ScratchPool<Roles> role_scratch_;
  std::vector<LogicalSector> group_;  // leaves the HFB together, ascending
  SlotOwners::Slots group_slots_;
  std::vector<SlotRun> group_runs_;

  std::uint64_t requests_ = 0;  // writes of the host
  bool review_due_ = false;
  std::uint64_t period_ghost_hits_ = 0;

  std::uint64_t hits_hfb_ = 0;  // sectors, as all below
  std::uint64_t hits_lfb_ = 0;
  std::uint64_t ghost_hits_ = 0;
  std::uint64_t shadow_hits_ = 0;
  std::uint64_t moved_ = 0;
  std::uint64_t collected_sectors_ = 0;
  std::uint64_t aborted_by_update_ = 0;  // collections
  std::uint64_t aborted_by_zone_ = 0;
  std::uint64_t collected_ = 0;
  std::uint64_t taken_ = 0;  // chunks
  std::uint64_t returned_ = 0;
  std::uint64_t periods_ = 0;
  std::uint64_t periods_short_ = 0;
};

}  // namespace tessera::amphisbaena
