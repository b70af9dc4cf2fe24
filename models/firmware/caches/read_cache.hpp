#pragma once
// The segmented read cache of older drives: a few segments, each holding one stretch of sectors and growing with a host that reads on where
// it ends; any other read that misses takes the segment used least recently. Behind each such read the drive reads ahead. Writes go
// through and take the sectors they touch out of the segments.
//
// A read-ahead goes in steps, of which two are on their way at once: the second is queued while the first is under the head, so that
// no turn is lost between them. What a step has brought is served from then on, and a read whose sectors are next is a hit that waits for
// them while the read-ahead goes on. Any other command that needs the platters ends it, and what is on its way is given up under the head.
// A read that finds only its first sectors in a segment that rests there reads the others. Not modelled: the place of a segment that the
// write cache would take.
#include <vector>

#include "base/parameter.hpp"
#include "firmware/caches/read_segment.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

struct ReadCacheConfig {
  std::uint32_t segments = 0;  ///< 0: no cache
  std::uint32_t segment_sectors = 256;
  std::uint32_t read_ahead = 128;
  std::uint32_t read_ahead_step = 8;

  void describe(ParameterVisitor& visitor);
};

class ReadCache final : public TranslationLayer {
 public:
  ReadCache(const ReadCacheConfig& config, const Ports& ports, TranslationLayer& inner);

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
  void start_background() override { inner_.start_background(); }
  [[nodiscard]] bool idle() const override { return filling_ == 0 && inner_.idle(); }
  void prefill(std::uint64_t sectors) override { inner_.prefill(sectors); }
  void report(MetricSet& metrics) const override;

 private:
  struct Segment {
    explicit Segment(DataBuffer&& buffer) : held(std::move(buffer)) {}
    ReadSegment held;
    std::uint64_t used = 0;   ///< order of the last use
    LogicalSector next;       ///< that the read-ahead asks for;
    LogicalSector end;        ///< not that one any more
    std::uint32_t steps = 0;  ///< on their way: the segment may be read, but not refilled
    bool stale = false;       ///< written or trimmed while steps were on their way: it holds nothing when they have ended
  };
  [[nodiscard]] Segment* reaching(LogicalSector sector);
  [[nodiscard]] bool has(LogicalSector sector);
  [[nodiscard]] Segment* least_recent();
  void forget(LogicalRun run);
  void end_read_aheads();
  void begin_read_ahead(Segment& segment, LogicalRun behind);
  void read_ahead(Segment& segment);
  Task<void> fill(Segment& segment, LogicalRun step);
  void step_ended(Segment& segment);
  void serve(Segment& segment, LogicalRun run, DataSpan data);
  Task<Status> read_on(Segment& segment, LogicalRun run, DataSpan data);
  Task<Status> read_anew(LogicalRun run, DataSpan data);

  ReadCacheConfig config_;
  Ports ports_;
  TranslationLayer& inner_;
  std::vector<Segment> segments_;
  WaitQueue steps_ended_;
  std::uint64_t uses_ = 0;
  std::uint32_t filling_ = 0;  // steps on their way
  std::uint64_t hits_ = 0;
  std::uint64_t partial_hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace tessera
