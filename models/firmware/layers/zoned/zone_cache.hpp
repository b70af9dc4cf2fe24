#pragma once
// A volatile write cache at sequential zones: what the host writes at a zone's pointer is acknowledged from the DRAM, and goes to the
// platters in the order of the zone in runs as large as there are.
//
// Data enters in the order of its zone, so that what a power cut takes lies at the zone's end, and what is here never waits for data that
// has no room. The buffer is cut into segments; each holds an aligned stretch of one zone. A zone is written when enough of it has
// gathered, when it is urged (FLUSH, FUA, CLOSE, FINISH), and in its turn while room is short or the host is idle. Alone it is written by
// whole tracks, which go from whatever sector comes first, so that a stream loses no turn between two chains.
//
// What cannot be written makes its zone read only. It stays here, where reads find it, until the power fails; every FLUSH says so. A
// buffer that is full of such data takes no more: writes then go to the platters before they are acknowledged.
#include <deque>
#include <vector>

#include "firmware/flash/band_layout.hpp"
#include "firmware/layers/zoned/zone_ledger.hpp"
#include "firmware/layers/zoned/zone_states.hpp"
#include "firmware/layers/zoned/zone_writer.hpp"
#include "firmware/layers/zoned/zoned_config.hpp"
#include "firmware/locks/room_queue.hpp"
#include "firmware/locks/wait_queue.hpp"

namespace tessera::zoned {

class ZoneCache {
 public:
  /// `config.write_cache` is at least two sectors. `writer` has what goes past the cache.
  ZoneCache(const Ports& ports, const ZonedConfig& config, const BandLayout& layout, ZoneStates& states, ZoneLedger& ledger,
            ZoneWriter& writer);

  /// An admitted write, or a part of one: here, or on the platters where it is `durable`, when it returns ok.
  [[nodiscard]] Task<Status> write(std::uint32_t zone, std::uint32_t first, DataSpan data, bool durable);
  /// What waits for sectors of the zone from `from` on ends: what lies in front of it does not come.
  void drop(std::uint32_t zone, std::uint32_t from);

  /// Sectors of the zone that are on the platters or here.
  [[nodiscard]] std::uint32_t entered(std::uint32_t zone);
  /// Sectors that are here, all of them between what is on the platters and entered().
  void read(std::uint32_t zone, std::uint32_t first, DataSpan data);
  /// Whether a write of so many sectors finds room at once.
  [[nodiscard]] bool has_room(std::uint32_t sectors) const { return sectors <= std::uint64_t{free_} * segment_sectors_; }

  /// What the zone has here is written as soon as may be.
  void urge(std::uint32_t zone);
  /// And on the platters on return, unless the zone has become read only.
  [[nodiscard]] Task<void> settle(std::uint32_t zone);
  /// Nothing of the zone is on its way to the platters on return, nor will be until release() or forget().
  [[nodiscard]] Task<void> hold(std::uint32_t zone);
  void release(std::uint32_t zone);
  /// What was held is of no use any more.
  void forget(std::uint32_t zone);
  /// Complete when all that was acknowledged before is on the platters.
  [[nodiscard]] Task<Status> flush();

  void start_background();
  /// Whether all that can be written is.
  [[nodiscard]] bool idle() const { return used_ == pinned_ && under_way_ == 0; }
  void report(MetricSet& metrics) const;

 private:
  using Index = DramLists::Index;
  enum List : std::uint32_t { free_list, gathering_list, due_list, lists };

  /// A zone with data here; all bits zero: none.
  struct Entry {
    std::uint32_t zone = 0;
    std::uint32_t entered = 0;  ///< sectors of the zone that are on the platters or here
    std::uint32_t urged = 0;    ///< sectors that are to be written as soon as may be
    std::uint32_t listed = 0;   ///< in gathering_list or due_list
    std::uint32_t busy = 0;     ///< a chain of it is under way
    std::uint32_t held = 0;
    std::uint32_t failure = 0;  ///< Status; not ok: it stays here
  };
  /// A write that is not its zone's turn yet.
  struct Early {
    std::uint32_t zone = 0;
    std::uint32_t first = 0;
    Status status = Status::ok;
    bool waits = true;
    DeviceWait wait{};
  };
  /// What a FLUSH waits for.
  struct Target {
    std::uint32_t zone = 0;
    std::uint32_t resets = 0;
    std::uint32_t end = 0;
  };
  /// What goes with the next chain of a zone.
  struct Run {
    std::uint32_t most = 0;
    bool whole_tracks = false;  ///< what is left of the last track waits for more
  };

  [[nodiscard]] Index find(std::uint32_t zone);
  [[nodiscard]] std::uint64_t key(std::uint32_t zone, std::uint32_t sector) const;
  [[nodiscard]] DataSpan together(std::uint32_t zone, std::uint32_t first, std::uint32_t most);
  [[nodiscard]] DataSpan take(std::uint32_t zone, std::uint32_t first, std::uint32_t most);
  [[nodiscard]] Index take_segment(std::uint32_t zone, std::uint32_t first);
  void give_back(std::uint32_t zone, std::uint32_t first, std::uint32_t end);
  [[nodiscard]] Index entry_for(std::uint32_t zone);
  void note_entered(Index index, std::uint32_t entered);
  [[nodiscard]] bool fails(Index entry) const { return !ok(static_cast<Status>(entries_.peek(entry).failure)); }

  [[nodiscard]] bool is_busy(std::uint32_t zone);
  [[nodiscard]] Task<Status> failure_of(std::uint32_t zone);
  [[nodiscard]] Task<Status> enter(std::uint32_t zone, std::uint32_t first, DataSpan data);
  void enlist(Index entry);
  void take_out(Index entry);
  void drop_empty(Index entry);
  void wake_early(std::uint32_t zone, std::uint32_t first);
  void end_early(std::uint32_t zone, std::uint32_t from, Status status);
  void wake_writers();
  [[nodiscard]] bool is_over(const Target& target);
  [[nodiscard]] Task<void> wait_for(Target target);

  [[nodiscard]] bool full_of_failures() const { return pinned_ == segments_.size(); }
  [[nodiscard]] bool short_of_room() const { return free_ * 4 < segments_.size() || !writers_.empty(); }
  [[nodiscard]] bool host_idle() const;
  [[nodiscard]] Index next();
  void wake_worker();
  [[nodiscard]] Task<void> write_loop(std::uint32_t worker);
  [[nodiscard]] Task<void> watch_idle();
  [[nodiscard]] Task<void> write_out(Index index);
  [[nodiscard]] Task<Status> log_active(std::uint32_t zone);
  [[nodiscard]] Run next_run(const Entry& entry, std::uint32_t written);
  [[nodiscard]] Task<Status> write_chain(Index index);
  void fail(Index index, Status status);

  Ports ports_;
  const BandLayout& layout_;
  ZoneStates& states_;
  ZoneLedger& ledger_;
  ZoneWriter& writer_;
  Picoseconds idle_after_;
  std::uint32_t segment_sectors_;
  std::uint32_t free_;      ///< segments
  std::uint32_t most_;      ///< sectors of a chain
  std::uint32_t gathered_;  ///< sectors at which a zone is due
  DataBuffer buffer_;
  DramArray<std::uint8_t> segments_;  ///< 1: in use
  DramHashMap segment_of_;
  DramLists free_segments_;
  DramArray<Entry> entries_;
  DramHashMap entry_of_;
  DramLists lists_;
  std::uint32_t used_ = 0;    ///< segments
  std::uint32_t pinned_ = 0;  ///< of used ones, those of zones that cannot be written
  Status failure_ = Status::ok;
  std::vector<Early*> early_;  // no more than the host has tags, twice where they stream
  RoomQueue writers_;          // without room
  WaitQueue progress_;
  WaitQueue activity_;  // of watch_idle()
  FifoMutex logging_;
  std::deque<WaitQueue> work_;  // of each worker
  std::vector<std::uint32_t> asleep_;
  std::uint32_t under_way_ = 0;
  Gauge sectors_gauge_;
  std::uint64_t sectors_ = 0;

  std::uint64_t room_waits_ = 0;
  std::uint64_t read_hits_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t past_ = 0;
};

}  // namespace tessera::zoned
