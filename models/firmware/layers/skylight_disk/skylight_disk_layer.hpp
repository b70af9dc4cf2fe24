#pragma once
// Skylight on a conventional buffer, as the Amphisbaena paper (section 6.1) compares itself with it; after A. Aghayev, M. Shafaei,
// P. Desnoyers, "Skylight - A Window on Shingled Disk Operation", ACM TOS 11(4), 2015.
//
// A hash assigns each shingled zone to one of the buffer's zones. Writes are appended to it, updates too; when it is full, all
// its valid sectors are written back, one write-back for each shingled zone among them, and it starts anew.
#include <memory>
#include <vector>

#include "firmware/zones/zone_buffer_layer.hpp"

namespace tessera {

enum class ZoneHash : std::uint32_t { multiplicative, modulo };

struct SkylightDiskConfig {
  ZoneConfig zones;
  Bytes buffer_zone{0};
  ZoneHash hash = ZoneHash::multiplicative;  // the paper names none

  /// Sectors of a buffer zone when the buffer has `buffer` sectors.
  [[nodiscard]] std::uint64_t buffer_zone_sectors(std::uint64_t buffer, std::uint32_t sector_bytes) const;
  void describe(ParameterVisitor& visitor);
};

class SkylightDisk final : public ZoneBufferLayer {
 public:
  SkylightDisk(const Ports& ports, const SkylightDiskConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  void report(MetricSet& metrics) const override;

  [[nodiscard]] std::uint32_t buffer_zones() const { return static_cast<std::uint32_t>(states_.size()); }
  [[nodiscard]] std::uint32_t buffer_zone_of(std::uint32_t zone) const;

 private:
  struct BufferZone {
    std::uint32_t head;   ///< slots given out since the last clean
    std::uint32_t epoch;  ///< cleans so far: the tag of its slots' records
  };

  [[nodiscard]] std::uint64_t guard_of(std::uint32_t zone) const override { return buffer_zone_of(zone); }
  [[nodiscard]] std::uint32_t largest_write() const override { return zone_slots_; }
  Task<Status> write_piece(ZoneRun run, DataSpan data, const Request& request) override;
  void released(std::uint32_t) override {}  // a slot is won back with its whole buffer zone
  void restore_space(std::vector<FoundSlot>& found, std::span<const std::uint32_t> unreadable) override;
  [[nodiscard]] std::uint64_t restore_unreadable(SlotOwners::Owner slot, const std::vector<FoundSlot>&) override {
    return states_.peek(slot.slot / zone_slots_).epoch;
  }
  Task<Status> restored(std::vector<FoundSlot>&, std::span<const std::uint32_t>) override { co_return Status::ok; }

  [[nodiscard]] Task<Status> append(ZoneRun run, DataSpan data, MediaClass priority);
  [[nodiscard]] Task<Status> clean(std::uint32_t buffer_zone);
  [[nodiscard]] std::uint32_t first_slot(std::uint32_t buffer_zone) const { return buffer_zone * zone_slots_; }

  ZoneHash hash_;
  std::uint32_t zone_slots_;
  DramArray<BufferZone> states_;
};

}  // namespace tessera
