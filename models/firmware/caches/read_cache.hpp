#pragma once
// The drive's segmented read cache: a few segments, each holding one stretch of sectors. A segment grows with a host that reads on where
// the segment ends; any other read that misses takes the segment used least recently. After such a read the drive reads ahead. Writes go
// through and take the sectors they touch, or every segment, out of the cache.
//
// What drives do differently is a parameter: whether the first read-ahead is queued with the host's read or after it, whether one read is
// enough to begin or a sequential one is needed, whether a hit extends a read-ahead that has ended, whether delivered sectors stay.
//
// A read-ahead goes in steps, of which two are under way at once: the second is queued while the first is under the head, so that
// no turn is lost between them. Completed steps can be served, and a read whose sectors the read-ahead will come to is a hit that waits
// for them: with 32 sequential reads of the host under way each is one. Any other command that needs the platters ends it: steps under
// way are given up under the head, and none begins while such a command waits. A read that finds only its first sectors in a segment
// reads the others.
//
// With `read_ahead_until = limit` that holds for the first three reads of a stream alone. From the fourth on its read-ahead is given up for
// nobody: it ends where the segment has no room, at `read_ahead`, or with as many sectors as the stream has read so far. A read that finds
// no step for its sectors sends one at once, whatever is under way in the segment, so that the disk channel has all reads of all streams to
// choose from, as without a cache; how long the arm stays with one of them is the channel's to say.
//
// With `zero_latency` a read that takes a new segment keeps as well what lies before it on its track and passes under a head that has
// landed early, as far as the layer knows its tracks and the segment has room next to the first step of the read-ahead.
//
// With `adaptive` segmentation a segment that a stream of reads fills gets the memory of the one used least recently, and reads ahead so
// many times as far; another stream takes it back. With `pool = with_writes` the memory is the write cache's buffer: reads borrow segments
// in which nothing is unwritten, and a write takes the one used least recently where it finds no other room.
#include <deque>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "firmware/caches/read_segment.hpp"
#include "firmware/caches/segment_pool.hpp"
#include "firmware/layout/arm_shares.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// When the first step of a read-ahead is queued.
enum class ReadAheadStart : std::uint32_t {
  with_read,  ///< with the host's read that it follows, so that the next sector is not missed
  after_read  ///< when that read's data is in the DRAM
};

/// Which reads that need the platters begin a read-ahead.
enum class ReadAheadOn : std::uint32_t { any_read, sequential_read };

/// What ends the read-ahead of a stream, which are reads that come where a segment ends.
enum class ReadAheadUntil : std::uint32_t {
  next_command,  ///< any command that needs the platters
  limit          ///< only its own limits: reads of streams then go to the queue at once, next to what else waits there
};

enum class Segmentation : std::uint32_t { fixed, adaptive };

/// Whose memory the segments are.
enum class SegmentMemory : std::uint32_t { own, with_writes };

struct ReadCacheConfig {
  std::uint32_t segments = 0;  ///< 0: no cache
  std::uint32_t segment_sectors = 256;
  Segmentation segmentation = Segmentation::fixed;
  std::uint32_t largest_segment_sectors = 2048;
  SegmentMemory pool = SegmentMemory::own;
  std::uint32_t read_ahead = 128;
  std::uint32_t read_ahead_step = 8;
  ReadAheadStart read_ahead_start = ReadAheadStart::with_read;
  ReadAheadOn read_ahead_on = ReadAheadOn::any_read;
  ReadAheadUntil read_ahead_until = ReadAheadUntil::next_command;
  bool extend_at_hit = true;
  bool keep_delivered = true;
  bool zero_latency = false;
  bool writes_end_segments = false;

  void describe(ParameterVisitor& visitor);
  /// A sentence why the segments do not fit into a write cache of so many sectors, or nothing.
  [[nodiscard]] std::string problem(std::uint64_t write_cache_sectors) const;
};

class ReadCache final : public TranslationLayer, SegmentBorrower {
 public:
  /// `lender`: the drive's write cache, or null. `arms`: read-aheads of one arm give no way to commands of another.
  ReadCache(const ReadCacheConfig& config, const Ports& ports, TranslationLayer& inner, SegmentLender* lender = nullptr,
            ArmShares arms = {});

  [[nodiscard]] std::uint64_t user_sectors() const override { return inner_.user_sectors(); }
  Task<Status> format() override { return inner_.format(); }
  Task<Status> recover() override { return inner_.recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  bool holds(LogicalRun run) override;
  bool absorbs(LogicalRun run) override { return inner_.absorbs(run); }
  void received(LogicalRun run) override { inner_.received(run); }
  [[nodiscard]] bool streams_writes() const override { return inner_.streams_writes(); }
  /// Not where segments hold what the write leaves out.
  bool takes_parts(LogicalRun run, std::uint32_t head, std::uint32_t tail) override;
  Task<Status> flush() override { return inner_.flush(); }
  Task<Status> trim(LogicalRun run) override;
  [[nodiscard]] LogicalRun first_held(LogicalRun run) override { return inner_.first_held(run); }
  Task<Status> reset(LogicalRun zone) override;
  void start_background() override { inner_.start_background(); }
  [[nodiscard]] bool idle() const override { return filling_ == 0 && inner_.idle(); }
  void prefill(std::uint64_t sectors) override { inner_.prefill(sectors); }
  void report(MetricSet& metrics) const override;

 private:
  struct Segment {
    [[nodiscard]] bool free() const { return steps == 0 && !held.pieces().empty(); }
    /// Whether a read from `sector` on would find it here, now or when the read-ahead under way has come to it.
    [[nodiscard]] bool reaches(LogicalSector sector) const { return held.reaches(sector, steps != 0 ? end : held.end()); }
    ReadSegment held;
    std::vector<LogicalSector> waiting;  ///< first sectors of reads that wait for steps
    LogicalSector asked;                 ///< these reads end there at the latest,
    LogicalSector delivered;             ///< those that were served there,
    LogicalSector began;                 ///< and the first of all began here
    std::uint64_t used = 0;              ///< order of the last use
    LogicalSector next;                  ///< that the read-ahead asks for;
    LogicalSector end;                   ///< not that one any more
    LogicalSector from;                  ///< the first that the read under way may bring in front of what is held
    LogicalSector kept_from;             ///< sectors before it are the host's alone: they need no room where delivered ones are given up
    std::uint32_t steps = 0;             ///< under way, the host's read among them: the segment may be read, but not refilled
    std::uint32_t reads = 0;             ///< of these, what the inner layer has in hand
    std::uint32_t followed = 0;          ///< reads that came where it ended, or to what was read ahead
    bool reading = false;                ///< a read of the host that the segment grows by is under way
    std::vector<LogicalRun> gaps;        ///< steps that were given up in front of others which have not ended: none begins until they have
    bool broken = false;                 ///< a step failed: those after it are of no use, and none begins until all have ended
    bool stale = false;                  ///< written or trimmed while steps were under way: it holds nothing when they have ended
  };
  [[nodiscard]] Segment* reaching(LogicalSector sector);
  [[nodiscard]] bool has(LogicalSector sector);
  [[nodiscard]] Segment* least_recent();
  [[nodiscard]] Segment* segment_for_stream();
  [[nodiscard]] bool comes_free(LogicalRun command) const;
  [[nodiscard]] Segment* without_memory();
  [[nodiscard]] Segment* without_stream(const Segment* but);
  bool give_back_one() override;
  [[nodiscard]] bool borrow(Segment& segment);
  void shrink(Segment& segment);
  void widen(Segment& segment);
  [[nodiscard]] bool looks_ahead_at_once() const { return config_.read_ahead_on == ReadAheadOn::any_read; }
  /// Whether the inner layer has commands of the host in hand, other than reads that the segment grows by.
  [[nodiscard]] bool others_wait(const Segment& segment) const { return below_[arm_of(segment)] > segment.waiting.size(); }
  [[nodiscard]] std::size_t arm_of(const Segment& segment) const { return arms_.of(segment.held.end()); }
  /// Whether its read-ahead goes on next to other commands.
  [[nodiscard]] bool is_stream(const Segment& segment) const {
    return config_.read_ahead_until == ReadAheadUntil::limit && segment.followed != 0;
  }
  /// Whether it reads ahead for nobody yet while others wait. Ours: three reads in a row are no stream yet.
  [[nodiscard]] bool is_lasting(const Segment& segment) const { return is_stream(segment) && segment.followed >= 3; }
  static void restart(Segment& segment, LogicalSector first);
  void join(Segment& segment, LogicalRun run);
  void leave(Segment& segment, LogicalRun run);
  [[nodiscard]] LogicalSector floor_of(const Segment& segment) const;
  /// Whether steps of a read-ahead are under way: the host's own read reads into the host's buffer.
  [[nodiscard]] static bool reads_ahead(const Segment& segment) { return segment.steps > (segment.reading ? 1U : 0U); }
  void forget(LogicalRun run);
  void end_read_aheads(LogicalRun command);
  void extend_read_ahead(Segment& segment, LogicalRun after);
  [[nodiscard]] std::uint64_t room(const Segment& segment) const;
  void read_ahead(Segment& segment);
  Task<void> fill(Segment& segment, LogicalRun step);
  void begin_again(Segment& segment, LogicalSector first);
  static void give_up(Segment& segment);
  static void take_back(Segment& segment, LogicalRun step);
  [[nodiscard]] static bool broken(const Segment& segment) { return segment.broken || !segment.gaps.empty(); }
  void step_ended(Segment& segment);
  void serve(Segment& segment, LogicalRun run, DataSpan data);
  void take_in(Segment& segment, LogicalRun run, DataSpan data);
  Task<Status> read_below(LogicalRun run, DataSpan data, EarlySectors* early = nullptr);
  [[nodiscard]] EarlySectors room_in_front(Segment& segment, LogicalRun run);
  Task<Status> read_without_segment(LogicalRun run, DataSpan data);
  Task<Status> read_on(Segment& segment, LogicalRun run, DataSpan data, bool looks_ahead);

  ReadCacheConfig config_;
  Ports ports_;
  TranslationLayer& inner_;
  ArmShares arms_;
  SegmentLender* lender_;
  std::deque<DataBuffer> memory_;  // own
  std::vector<Segment> segments_;
  std::vector<bool> borrowed_;  // of the lender's parts
  std::uint32_t next_part_ = 0;
  WaitQueue steps_ended_;
  std::uint64_t uses_ = 0;
  std::uint32_t filling_ = 0;         // steps of read-aheads under way
  std::vector<std::uint32_t> below_;  // by arm: commands of the host that the inner layer has in hand
  std::uint64_t hits_ = 0;
  std::uint64_t partial_hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t early_sectors_ = 0;
  std::uint64_t widened_ = 0;
  std::uint64_t given_to_writes_ = 0;
};

}  // namespace tessera
