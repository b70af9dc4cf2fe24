#include "firmware/caches/read_cache.hpp"

namespace tessera {

void ReadCacheConfig::describe(ParameterVisitor& visitor) {
  visitor.field("segments", segments, {0, 1024}, "segments of the read cache; 0 means no read cache");
  const UnusedWhere without_cache(visitor, segments == 0, "firmware.read_cache.segments is 0");
  visitor.field("segment_sectors", segment_sectors, {1, 65536}, "drive sectors per segment");
  visitor.field("keep_delivered", keep_delivered, "whether sectors stay in their segment after the host has read them");
  {
    const UnusedWhere given_up(visitor, !keep_delivered, "firmware.read_cache.keep_delivered is false");
    visitor.field("zero_latency", zero_latency,
                  "whether sectors in front of a read that misses, which pass under a head that has landed early, stay in its segment");
  }
  visitor.field("writes_end_segments", writes_end_segments, "whether a write empties every segment, not only those that hold its sectors");
  visitor.field("read_ahead", read_ahead, {0, 65536}, "drive sectors read beyond a read that missed, as far as the segment has room");
  const UnusedWhere without_read_ahead(visitor, read_ahead == 0, "firmware.read_cache.read_ahead is 0");
  visitor.field("read_ahead_step", read_ahead_step, {1, 65536}, "drive sectors of a step of it: what a step has brought can be served");
  visitor.enumeration("read_ahead_start", read_ahead_start, {"with_read", "after_read"},
                      "when the first step is queued: with the host's read, or when that read's data is in the DRAM");
  visitor.enumeration("read_ahead_on", read_ahead_on, {"any_read", "sequential_read"},
                      "which reads that miss begin a read-ahead: any, or only those that begin where a segment ends");
  visitor.field("extend_at_hit", extend_at_hit, "whether a hit extends the read-ahead, also after it has ended");
}

}  // namespace tessera
