#pragma once
// Fluid and Fluid_loop, as the Amphisbaena paper (section 6.1) compares itself with them; after F. Wu, B. Li, D. H. Du, "FluidSMR:
// Adaptive Management for Hybrid SMR Drives", ACM TOS 17(4), 2021.
//
// The buffer is a circular log of sectors. Buffered sectors are updated in place, others are appended at the head. When there is no room,
// the zone of the sector at the tail is written back with all its sectors in the log, or a segment of the log leaves. Fluid_loop appends
// the sectors of hot zones at the head again instead.
#include <optional>

#include "firmware/layers/fluid/slot_log.hpp"
#include "firmware/layers/fluid/zone_heat.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/zones/zone_buffer_layer.hpp"

namespace tessera::fluid {

class Fluid final : public ZoneBufferLayer {
 public:
  Fluid(const Ports& ports, const FluidConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  void report(MetricSet& metrics) const override;

 private:
  [[nodiscard]] std::uint64_t guard_of(std::uint32_t zone) const override { return zone; }
  [[nodiscard]] std::uint32_t largest_write() const override { return std::max<std::uint32_t>(1, (buffer_.slots() - reserve_) / 2); }
  Task<Status> write_piece(ZoneRun run, DataSpan data, const Request& request) override;
  void released(std::uint32_t slot) override { log_.release(slot); }
  // Of a segment not all copies of a zone leave, but the oldest: what counts is their position in the log.
  [[nodiscard]] bool leaves(std::uint32_t slot) const override { return segment_ == 0 || log_.position_of(slot) <= segment_end_; }
  [[nodiscard]] std::uint64_t age(const SlotRecord& record) const override {
    return segment_ == 0 ? ZoneBufferLayer::age(record) : record.tag;
  }
  [[nodiscard]] std::uint64_t void_up_to() const override { return segment_ == 0 ? ZoneBufferLayer::void_up_to() : segment_end_; }
  void restore_space(std::vector<FoundSlot>& found, std::span<const std::uint32_t> unreadable) override;
  // Where segments leave, positions count, and a name has none.
  [[nodiscard]] bool may_hold(std::uint32_t, std::uint64_t) const override { return segment_ == 0; }
  [[nodiscard]] std::uint64_t restore_unreadable(SlotOwners::Owner slot, const std::vector<FoundSlot>&) override {
    return log_.restore_position(slot.slot, segment_ == 0 ? 0 : store_.watermark(store_.zone_of(slot.sector)));
  }
  Task<Status> restored(std::vector<FoundSlot>& found, std::span<const std::uint32_t>) override;

  [[nodiscard]] std::uint32_t slots_needed(const SlotOwners::Slots& held) const;
  void place(const SlotOwners::Slots& held, Placements& placements);
  [[nodiscard]] Task<Status> make_room(std::uint32_t needed);
  [[nodiscard]] bool segment_is_leaving() const { return !log_.empty() && log_.position_of(log_.oldest()) <= segment_end_; }
  [[nodiscard]] Task<Status> clean_oldest();
  [[nodiscard]] Task<Status> requeue(std::uint32_t slot);

  Update update_;
  std::uint64_t segment_;  // slots; 0: zones leave whole
  std::uint32_t reserve_;
  std::uint32_t most_requeued_;  // in a row
  SlotLog log_;
  std::optional<ZoneHeat> heat_;   // Fluid_loop's
  FifoMutex space_;                // whoever waits for slots, in order of arrival
  WaitQueue written_;              // a sector was written to its slot
  DataBuffer moving_;              // one sector
  std::uint64_t segment_end_ = 0;  // last position of the segment that is leaving, or left last
  std::uint32_t requeued_in_row_ = 0;
  std::uint64_t requeued_ = 0;
};

}  // namespace tessera::fluid
