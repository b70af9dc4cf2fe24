#include "firmware/caches/read_cache.hpp"

namespace tessera {

void ReadCacheConfig::describe(ParameterVisitor& visitor) {
  visitor.field("segments", segments, {0, 1024}, "segments of the read cache; 0 means no read cache");
  const UnusedWhere without_cache(visitor, segments == 0, "firmware.read_cache.segments is 0");
  visitor.field("segment_sectors", segment_sectors, {1, 65536}, "drive sectors per segment");
  visitor.enumeration("segmentation", segmentation, {"fixed", "adaptive"},
                      "adaptive: a segment that a stream of reads fills gets the memory of others that no stream uses");
  {
    const UnusedWhere fixed(visitor, segmentation == Segmentation::fixed, "firmware.read_cache.segmentation is fixed");
    visitor.field("largest_segment_sectors", largest_segment_sectors, {1, 4194304}, "drive sectors to which such a segment grows");
  }
  visitor.enumeration(
      "pool", pool, {"own", "with_writes"},
      "with_writes: the segments are parts of the write cache's buffer, where the drive has one, and a write takes them as it needs");
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
  visitor.enumeration("read_ahead_until", read_ahead_until, {"next_command", "limit"},
                      "what ends the read-ahead of a stream: any command that needs the platters, or only the room in its segment, "
                      "read_ahead and as much as the stream has read");
  visitor.field("extend_at_hit", extend_at_hit, "whether a hit extends the read-ahead, also after it has ended");
}

std::string ReadCacheConfig::problem(std::uint64_t write_cache_sectors) const {
  const std::uint64_t sectors = std::uint64_t{segments} * segment_sectors;
  if (pool == SegmentMemory::own || write_cache_sectors == 0 || sectors <= write_cache_sectors) return {};
  return "read_cache.pool = \"with_writes\": the segments have " + std::to_string(sectors) +
         " sectors, the buffer of write_cache.capacity " + std::to_string(write_cache_sectors) +
         "; expected no more segments than fit into it";
}

}  // namespace tessera
