#pragma once
// The segmented read cache of older drives: a few segments, each holding one stretch of sectors; a read that misses fills the
// segment used least recently, from its first sector on and `read_ahead` sectors beyond its last. Writes go through and take
// the sectors they touch out of the segments.
//
// A read-ahead goes in steps, of which two are on their way at once: the second is queued while the first is under the head, so that
// no turn is lost between them. What a step has brought is served from then on. A command that needs the platters ends all
// read-aheads: it waits for the steps that are on their way and no longer.
// Not modelled: segments that grow while the host reads sequentially; a read that waits for sectors that are being read ahead.
#include <vector>

#include "base/parameter.hpp"
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
  bool holds(LogicalRun run) override { return holding(run) != nullptr || inner_.holds(run); }
  bool absorbs(LogicalRun run) override { return inner_.absorbs(run); }
  Task<Status> flush() override { return inner_.flush(); }
  Task<Status> trim(LogicalRun run) override;
  void start_background() override { inner_.start_background(); }
  [[nodiscard]] bool idle() const override { return filling_ == 0 && inner_.idle(); }
  void prefill(std::uint64_t sectors) override { inner_.prefill(sectors); }
  void report(MetricSet& metrics) const override;

 private:
  struct Segment {
    LogicalRun run;           ///< held sectors; none when run.count is 0
    std::uint64_t used = 0;   ///< order of the last use
    LogicalSector next;       ///< that the read-ahead asks for;
    LogicalSector end;        ///< not that one any more
    std::uint32_t steps = 0;  ///< on their way: the segment may be read, but not refilled
    bool stale = false;       ///< written or trimmed while steps were on their way: it holds nothing when they have ended
    DataBuffer buffer;
  };
  [[nodiscard]] Segment* holding(LogicalRun run);
  [[nodiscard]] Segment* least_recent();
  void forget(LogicalRun run);
  void end_read_aheads();
  void read_ahead(Segment& segment);
  Task<void> fill(Segment& segment, LogicalRun step);

  ReadCacheConfig config_;
  Ports ports_;
  TranslationLayer& inner_;
  std::vector<Segment> segments_;
  std::uint64_t uses_ = 0;
  std::uint32_t filling_ = 0;  // steps on their way
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace tessera
