#pragma once
// The collection of a victim zone, chunk by chunk in the order of the zone (section 5.3, "the LFB cleanup"): at the end of each chunk
// is a checkpoint, where the collection stops if a write waits that may update the victim. What was not collected stays in the buffer.
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/layers/amphisbaena/amphisbaena_config.hpp"
#include "firmware/layers/amphisbaena/blocked_writes.hpp"
#include "firmware/layers/amphisbaena/chunk_space.hpp"
#include "firmware/layers/amphisbaena/stale_records.hpp"
#include "firmware/zones/victims.hpp"
#include "firmware/zones/zone_store.hpp"

namespace tessera::amphisbaena {

class ChunkCollection final : public VictimSource {
 public:
  ChunkCollection(HostPort& host, BufferRegion& buffer, const ChunkSpace& chunks, const ZoneStore& store, StaleRecords& stale,
                  const BlockedWrites& blocked, AbortScope scope)
      : host_(host), buffer_(buffer), chunks_(chunks), store_(store), stale_(stale), blocked_(blocked), scope_(scope) {}

  /// All chunks of `zone`; the caller holds it alone. `in_hand`: of the write that the cleaning is for, which does not wait.
  void begin(std::uint32_t zone, HostTag in_hand);

  /// Slots of the victims, as many as offsets().
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slots_; }
  [[nodiscard]] std::size_t chunks_collected() const { return parts_.size(); }
  [[nodiscard]] bool aborted() const { return aborted_; }
  /// Whether it stopped for a write of one of its blocks; else for another one to the zone (AbortScope::zone).
  [[nodiscard]] bool aborted_by_update() const { return aborted_by_update_; }

  [[nodiscard]] std::span<const std::uint32_t> offsets() const override { return offsets_; }
  [[nodiscard]] Task<Status> fetch(std::uint32_t first, DataSpan into) override;
  /// The records of the victims' frames are void from now on, and so are all that are out of date.
  [[nodiscard]] std::span<const std::byte> note() override;
  /// Fills another note with frames that had no room in the last; false when there are none.
  [[nodiscard]] bool continue_note();
  /// The notes are in the log.
  void settle();

 private:
  /// The victims of one chunk: up to index `end` of offsets_.
  struct Part {
    std::uint32_t frame;
    std::uint32_t first_offset;
    std::size_t end;
  };
  [[nodiscard]] Task<Status> read_victims(std::size_t end, std::uint32_t first, DataSpan into);
  [[nodiscard]] bool write_waits() const;
  void stop_behind(std::size_t part);
  [[nodiscard]] StaleRecords::Run records_of(const Part& part) const {
    return {part.frame * chunks_.chunk_sectors(), chunks_.chunk_sectors(), until_};
  }
  void add_frames();

  HostPort& host_;
  BufferRegion& buffer_;
  const ChunkSpace& chunks_;
  const ZoneStore& store_;
  StaleRecords& stale_;
  const BlockedWrites& blocked_;
  AbortScope scope_;

  std::uint32_t zone_ = 0;
  HostTag in_hand_ = no_host_tag;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> slots_;
  std::vector<SlotRun> runs_;
  std::size_t next_ = 0;   // victim to be read
  std::size_t part_ = 0;   // that it is in
  std::size_t noted_ = 0;  // parts whose frames are in a note
  std::uint64_t until_ = 0;
  bool aborted_ = false;
  bool aborted_by_update_ = false;
};

}  // namespace tessera::amphisbaena
