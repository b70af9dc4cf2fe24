#pragma once
// A drive-managed shingled disk as sold, after what was published of the Seagate Archive family: A. Aghayev, M. Shafaei, P. Desnoyers,
// "Skylight - A Window on Shingled Disk Operation", ACM TOS 11(4), 2015; M. Shafaei, M. H. Hajkazemi, P. Desnoyers, A. Aghayev, "Modeling
// Drive-Managed SMR Performance", ACM TOS 13(4), 2017.
//
// Writes go to a circular log, as packets that several small ones share. A bounded map says what of the log is the newest copy; after so
// many writes it is written down. When map or log is full, the bands of what lies longest in the log are merged, and written up to the last
// sector that holds something: in place, or to a spare one. Long writes after all that a band holds go to it directly.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "firmware/layers/home_layer.hpp"
#include "firmware/layers/media_cache/band_store.hpp"
#include "firmware/layers/media_cache/band_zones.hpp"
#include "firmware/layers/media_cache/extent_map.hpp"
#include "firmware/layers/media_cache/map_checkpoint.hpp"
#include "firmware/layers/media_cache/merge_area.hpp"
#include "firmware/layers/media_cache/packet_log.hpp"
#include "firmware/layers/media_cache/room_on_credit.hpp"
#include "firmware/layout/following_trims.hpp"
#include "firmware/locks/number_locks.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/tables/scratch_pool.hpp"

namespace tessera::media_cache {

class MediaCache final : public HomeLayer {
 public:
  /// `zones`: those that the host sees; null where it sees none.
  MediaCache(const Ports& ports, const MediaCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
             BandZones* zones = nullptr);

  [[nodiscard]] std::uint64_t user_sectors() const override { return bands_.user_sectors(); }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override { return read_as(MediaClass::host, run, data); }
  Task<Status> read_behind(LogicalRun run, DataSpan data) override { return read_as(MediaClass::background, run, data); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  /// What all of a track, or the log, holds of it is a hole of the map (media_cache_trims.cpp): durable on return. Where there is no room
  /// for it nothing changes.
  Task<Status> trim(LogicalRun run) override;
  [[nodiscard]] LogicalRun first_held(LogicalRun run) override;
  /// A completed write is on the platter.
  Task<Status> flush() override { co_return Status::ok; }
  void start_background() override;
  [[nodiscard]] bool idle() const override { return queue_.empty() && leaders_ == 0 && !cleaning_now_; }
  void prefill(std::uint64_t sectors) override { bands_.prefill(sectors); }
  void report(MetricSet& metrics) const override;
  [[nodiscard]] std::vector<ReadDoubt> in_doubt() const override { return doubts_; }
  [[nodiscard]] BandLevels band_levels() const override { return band_levels_with({}); }
  [[nodiscard]] BandLevels band_levels_with(const std::vector<LogicalSector>& cached_in_front) const override;
  void report_work(MetricSet& metrics) const override;
  [[nodiscard]] Bytes paper_map_bytes() const override { return Bytes(std::uint64_t{map_limit_} * 16); }
  [[nodiscard]] Bytes map_bytes() const override { return map_.bytes() + bands_.bytes(); }

  // Where a host sees zones (media_cache_zones.cpp)
  /// What log and bands hold of the zone is of no use any more: durable on return.
  [[nodiscard]] Task<Status> reset(LogicalRun zone) override;
  /// Whether the log holds anything of `run`.
  [[nodiscard]] bool caches(LogicalRun run);
  /// Boot: bands hold what the zones say, once these know it.
  void restore_used();
  /// The first sectors of `run` that the log does not hold side by side; none: it holds all.
  [[nodiscard]] LogicalRun first_uncached(LogicalRun run);
  /// Boot, after restore_used(): nobody knows what `run` holds. Reads of it fail until it is written; durable on return.
  [[nodiscard]] Task<Status> lose(LogicalRun run);
  /// Boot, then, too: of packets that a cut may have ended nobody knows what they brought (FoundPacket::proven). Reads of it fail until it
  /// is written; durable on return.
  [[nodiscard]] Task<Status> lose_unproven();

  /// For tests: what stands where.
  [[nodiscard]] const ExtentMap& map() const { return map_; }
  [[nodiscard]] const BandStore& bands() const { return bands_; }
  [[nodiscard]] const PacketLog& log() const { return log_; }

 private:
  /// A write, until all of it is on the platter. Whoever waits with one may lead: take what waits longest,
  /// with what goes with it, to the log or to its band.
  struct Pending {
    LogicalRun run;
    DataSpan data;
    MediaClass priority = MediaClass::host;
    bool alone = false;       ///< not from the write cache: shares no packet
    bool small = false;       ///< it lies in one band, and two such fit a packet
    std::uint32_t begun = 0;  ///< sectors that are on their way, from the first on
    std::uint32_t done = 0;
    std::uint32_t passed = 0;  ///< streams that began while it waited
    Status status = Status::ok;

    [[nodiscard]] LogicalSector next() const { return run.first + begun; }
    [[nodiscard]] std::uint32_t left() const { return run.count - begun; }
    [[nodiscard]] bool complete() const { return done == run.count || (!ok(status) && done == begun); }
  };
  struct Part {
    Pending* pending = nullptr;
    LogicalRun run;
    DataSpan data;
  };
  /// Sectors of the log on their way to a place in the buffer.
  struct Collected {
    Extent extent;
    std::uint32_t at = 0;
  };
  /// Of the bands of a packet.
  using BandLocks = std::array<std::optional<NumberLocks::Lock>, Packet::most_runs>;
  /// What one packet takes.
  struct Batch {
    std::array<Part, Packet::most_runs> parts{};
    std::uint32_t count = 0;
    bool unread = false;  ///< its packet could not be read back, and there was no room for another
  };
  /// A part of what goes to a band directly.
  struct Stream {
    Band band;
    LogicalRun run;
    std::vector<Part> parts;
  };

  /// What a merge writes, and where to.
  struct Merge {
    Band band;
    LogicalRun run{};
    bool to_spare = false;
  };

  /// What it shows to a policy, and its own one: the bands of what lies longest in the log, once the host is idle.
  class Cleaning final : public CleaningView, public CleaningPolicy {
   public:
    explicit Cleaning(MediaCache& of) : of_(of) {}
    [[nodiscard]] bool needed() const override { return of_.cleaning_class_ != MediaClass::background; }
    [[nodiscard]] CleaningLevels levels() const override;
    [[nodiscard]] std::uint64_t units() const override { return of_.bands_.bands(); }
    [[nodiscard]] bool cleanable(std::uint64_t number) const override { return of_.map_.holds(number); }
    void find(std::vector<CleaningUnit>& found) const override;

    [[nodiscard]] bool cleans_ahead() const override { return of_.config_.idle_cleaning == IdleCleaning::on; }
    [[nodiscard]] Picoseconds when(const CleaningView& view) override;
    [[nodiscard]] std::uint64_t choose(const CleaningView& view) override;

   private:
    MediaCache& of_;
    std::uint32_t passed_over_ = 0;  // cleanings in a row that did not take the oldest band
  };

  /// What cleanings of bands spend their time on.
  struct MergeTimes {
    Picoseconds band_read;
    Picoseconds log_read;
    Picoseconds copy;
    Picoseconds band_write;
    [[nodiscard]] Picoseconds sum() const { return band_read + log_read + copy + band_write; }
    MergeTimes& operator+=(const MergeTimes& more) {
      band_read += more.band_read;
      log_read += more.log_read;
      copy += more.copy;
      band_write += more.band_write;
      return *this;
    }
  };

  // Writes
  [[nodiscard]] Task<Status> carry_out(Pending& pending);
  [[nodiscard]] Pending* candidate(std::uint32_t others) const;
  [[nodiscard]] bool shares(const Pending& pending) const;
  [[nodiscard]] Task<Status> use_log(std::optional<FifoMutex::Lock>& use);
  [[nodiscard]] Task<void> lead();
  [[nodiscard]] Task<void> lead_beside();
  [[nodiscard]] Part begin(Pending& pending, std::uint32_t count, WriteWay way);
  [[nodiscard]] std::uint32_t stream_length(const Pending& front) const;
  void select_stream(const Pending& front, std::uint32_t length, Stream& stream);
  [[nodiscard]] Batch select_batch(Pending& front);
  [[nodiscard]] Task<void> lock_bands(const Packet& packet, NumberLocks& of, LockMode mode, BandLocks& locks);
  [[nodiscard]] Task<Status> write_packet(Batch& batch);
  [[nodiscard]] bool has_image(const Band& band) const;
  [[nodiscard]] Task<bool> write_stream(const Stream& stream);
  void end(std::span<const Part> parts, Status status);
  void fail_all(Status status);
  [[nodiscard]] Task<Status> write_marked(LogicalRun run, DataSpan data, MediaClass priority);
  [[nodiscard]] Task<Status> read_singly(const MediaChain& ended, LogicalSector first);
  [[nodiscard]] bool met_destroyed(const MediaChain& ended) const;
  void clear_destroyed(LogicalSector first, DataSpan data);
  void drop_void();
  void note_unproven(const FoundPacket& packet);

  // TRIM (media_cache_trims.cpp)
  [[nodiscard]] Packet select_trimmed(LogicalRun run, LogicalSector& at);
  [[nodiscard]] LogicalRun new_hole(const Band& band, LogicalRun run, std::int64_t& entries);
  [[nodiscard]] Task<bool> write_trimmed(LogicalRun run, LogicalSector& at);
  [[nodiscard]] Task<Status> record_in_band(LogicalRun run, std::optional<FifoMutex::Lock>& use);
  /// Runs that a packet without data can say something of.
  [[nodiscard]] std::uint32_t most_said() const { return std::min(Packet::most_runs, log_.most_sectors() - 1); }
  void enter_hole(LogicalRun run, std::uint64_t position);
  void give_up_end(const Band& band);
  void restore_holes();
  [[nodiscard]] LogicalSector held_end(const Band& band) const;
  [[nodiscard]] LogicalSector written_end(const Band& band);
  [[nodiscard]] Task<Status> read_band(const Band& band, LogicalRun run, DataSpan data, const MediaClass& priority);
  [[nodiscard]] LogicalRun first_needed(const Band& band, LogicalRun run) const;

  // Room
  [[nodiscard]] std::uint64_t tail() const;
  [[nodiscard]] std::int64_t entries_left() const;
  [[nodiscard]] std::int64_t log_left() const;
  [[nodiscard]] bool map_full() const { return entries_left() <= 0; }
  [[nodiscard]] bool log_full() const { return log_left() < 0; }
  [[nodiscard]] bool checkpoint_due() const;
  /// Whether one more packet may be written before the next checkpoint.
  [[nodiscard]] bool another_fits() const { return !log_full() && !wraps_round(); }
  [[nodiscard]] bool wraps_round() const { return wraps_round_to(std::min(durable_tail_, checkpoint_.log().head)); }
  [[nodiscard]] bool wraps_round_to(std::uint64_t kept_from) const;
  /// Whether packets may follow one that is written now: cleanings alone give room where the log is full of what it holds.
  [[nodiscard]] bool checkpoint_helps() const { return !wraps_round_to(tail()); }
  /// Whether a cleaning gives any room: holes are cleaned only where the map is full of them.
  [[nodiscard]] bool cleanable() const { return map_.logged() != 0 || (map_.holes() != 0 && map_full()); }
  [[nodiscard]] bool has_room() const { return !map_full() && !log_full() && !checkpoint_due(); }
  [[nodiscard]] Task<Status> make_room();
  [[nodiscard]] Task<Status> await_step();
  [[nodiscard]] Task<void> clean_stepwise();
  [[nodiscard]] Task<void> let_in();
  void forgive_room();
  [[nodiscard]] Task<Status> checkpoint();

  // Cleaning
  [[nodiscard]] Task<Status> clean(MediaClass priority);
  [[nodiscard]] Task<Status> clean_band(Band band, const MediaClass& priority);
  [[nodiscard]] Status select_merge(Merge& merge);
  [[nodiscard]] Task<Status> merge_whole(const Merge& merge, const MediaClass& priority, MergeTimes& times);
  // A phase at a time (media_cache_phases.cpp)
  [[nodiscard]] std::uint32_t kept_sectors(const Band& band) const { return (config_.head_width - 1) * band.track_sectors; }
  [[nodiscard]] bool by_phases(const Merge& merge) const;
  [[nodiscard]] Task<Status> merge_phases(const Merge& merge, bool first_is_ready, const MediaClass& priority, MergeTimes& times);
  [[nodiscard]] Task<Status> prepare_phase(const Merge& merge, LogicalRun part, std::uint32_t here, const MediaClass& priority,
                                           MergeTimes& times);
  [[nodiscard]] Task<Status> finish_phase(const Merge& merge, LogicalRun part, std::uint32_t kept, const MediaClass& priority,
                                          MergeTimes& times);
  [[nodiscard]] Task<Status> write_copy(const Merge& merge, const MediaClass& priority, MergeTimes& times);
  [[nodiscard]] Task<Status> write_part(const Merge& merge, LogicalRun part, const MediaClass& priority, MergeTimes& times);
  [[nodiscard]] Task<Status> take_copy(const Merge& merge, const MediaClass& priority, MergeTimes& times);
  void expect_merge(const Merge& merge);
  [[nodiscard]] std::uint32_t forget_merged(const Merge& merge);
  [[nodiscard]] Task<Status> collect(LogicalRun run, std::uint32_t at, const MediaClass& priority, MergeTimes& times);
  void select_collected(LogicalRun run, std::uint32_t at);
  [[nodiscard]] Task<Status> read_collected(const MediaClass& priority);
  [[nodiscard]] Task<Status> write_home(const Band& band, LogicalRun run, const MediaClass& priority, MergeTimes& times);
  [[nodiscard]] std::uint32_t phase_sectors(const Band& band) const;
  // What stays in the log (media_cache_moves.cpp)
  [[nodiscard]] bool stays(const Extent& extent);
  [[nodiscard]] Task<Status> move_oldest();
  [[nodiscard]] Task<Status> append(Packet& packet);
  [[nodiscard]] Packet select_move();
  [[nodiscard]] Task<void> enter_moved(const Packet& packet);
  [[nodiscard]] Task<void> clean_when_idle();
  void begin_cleaning_ahead();
  [[nodiscard]] Task<void> clean_ahead();
  [[nodiscard]] bool used_above(std::uint32_t percent) const;

  [[nodiscard]] Task<Status> read_as(MediaClass priority, LogicalRun run, DataSpan data);
  [[nodiscard]] Task<Status> read_piece(MediaClass priority, const Band& band, LogicalRun run, DataSpan data);
  [[nodiscard]] Task<Status> restore_map();
  [[nodiscard]] Task<Status> restore_image();
  [[nodiscard]] Task<Status> go_on_with(LogicalRun image);
  [[nodiscard]] PhysicalRun band_place(LogicalRun run) const;
  void forget(const Extent& extent);
  void enter(const Extent& extent);
  void show_levels();

  static constexpr std::uint32_t most_passing = 16;  // streams: a tenth of a second each at most
  static constexpr std::uint32_t most_leaders = 2;   // so that one packet follows another without a turn in between

  MediaCacheConfig config_;
  Ports ports_;
  BandZones* zones_;
  std::uint32_t packet_sectors_;
  std::uint32_t sector_blocks_;
  std::uint32_t least_packet_;
  std::uint32_t synced_share_;
  std::uint32_t stream_sectors_;
  std::uint32_t map_limit_;
  std::uint32_t reserve_;
  BandStore bands_;
  ExtentMap map_;
  PacketLog log_;
  MapCheckpoint checkpoint_;
  std::optional<MergeArea> merge_area_;  // of merges in place
  DataBuffer buffer_;                    // of merges and streams

  NumberLocks writers_;  // of bands: shared by writes, alone by cleaning and streams
  NumberLocks readers_;  // of bands: shared by reads, alone where cleaning does not let them in
  FifoMutex log_use_;    // shared by packets on their way, alone by checkpoints
  FifoMutex cleaning_;
  Cleaning shown_{*this};
  CleaningPolicy& policy_;
  NumberLocks zone_writes_;  // by the end of their zone: so that marks lie side by side
  FifoMutex stream_order_;   // until they have their band: streams as they were selected
  FifoMutex buffer_use_;     // shared by streams, alone by a merge
  WaitQueue progress_;       // of writes
  WaitQueue room_;           // what a step of a merge gave
  WaitQueue cached_;         // of clean_when_idle()

  std::vector<Pending*> queue_;  // not all of it on its way, in order of arrival
  FollowingTrims trims_;
  std::set<LogicalSector> trimmed_bands_;  // since the boot, by first sector: the next one may find holes there that are none any more
  std::uint32_t finding_nothing_ = 0;      // tasks that wait for room while there is nothing left to merge
  std::uint32_t leaders_ = 0;
  std::vector<std::uint64_t> on_their_way_;      // positions of packets
  LogicalSector stream_end_{~std::uint64_t{0}};  // of the last one
  std::uint32_t streams_now_ = 0;
  std::array<bool, most_leaders> half_in_use_{};  // of the buffer, by streams
  ScratchPool<Stream> streams_;
  std::uint64_t durable_tail_ = 0;  // as a packet or a checkpoint on the platter says it
  std::uint64_t shares_since_ = 0;  // of packets, since the last checkpoint
  std::uint32_t extents_since_ = 0;
  bool hole_ = false;                               // no packet before the next checkpoint
  RoomOnCredit entries_;                            // of the map
  RoomOnCredit log_room_;                           // sectors of the log
  std::uint32_t runs_now_ = 0;                      // of packets on their way
  std::uint64_t merging_from_ = ~std::uint64_t{0};  // oldest place in the log that a merge under way reads
  Picoseconds step_begun_;
  LogicalRun carried_{};            // of the band in hand: destroyed there, and in the merge area's newest image
  Status unfinished_ = Status::ok;  // of a merge that failed with such: no other may follow before the next boot
  bool stepping_ = false;
  Status step_status_ = Status::ok;
  bool cleaning_now_ = false;
  MediaClass cleaning_class_ = MediaClass::background;  // of the cleaning under way: raised by whoever waits for it
  bool cleaning_ahead_ = false;
  bool idle_failed_ = false;
  bool ahead_failed_ = false;
  std::uint64_t log_used_ = 0;  // sectors from the tail to the head, as shown last
  std::uint64_t images_done_ = 0;
  std::vector<Extent> unproven_;      // that the boot found
  std::vector<ReadDoubt> doubts_;     // of these
  std::vector<Extent> extents_;       // of the band in hand
  std::vector<Collected> collected_;  // of a phase, or of what is moved
  ScratchPool<std::vector<Extent>> found_;

  Gauge extents_gauge_{ports_.cpu, {"media_cache.extents", "1", "extents of the map of the media cache"}, 0};
  Gauge log_gauge_{ports_.cpu, {"media_cache.log_sectors", "1", "sectors of the log from the oldest that is needed to its head"}, 0};
  DurationHistogram cleanings_;
  DurationHistogram band_cleanings_;
  DurationHistogram checkpoints_;
  MergeTimes merge_times_;  // of all bands that were cleaned
  Tally dirty_bands_;       // when a cleaning began
  std::uint64_t packets_ = 0;
  std::uint64_t shared_packets_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t phases_ = 0;
  std::uint64_t collected_extents_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t idle_cleanings_ = 0;
  std::uint64_t band_moves_ = 0;
  std::uint64_t turns_ = 0;  // of cleaning: bands that were merged, or what was moved in their place
  std::uint64_t moves_ = 0;
  std::uint64_t moved_ = 0;
  std::uint64_t streamed_ = 0;
  std::uint64_t stream_writes_ = 0;
  std::uint64_t read_log_ = 0;
  std::uint64_t read_bands_ = 0;
};

}  // namespace tessera::media_cache
