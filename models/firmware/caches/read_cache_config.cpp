#include "firmware/caches/read_cache.hpp"

namespace tessera {

void ReadCacheConfig::describe(ParameterVisitor& visitor) {
  visitor.field("segments", segments, {0, 1024}, "segments of the read cache; 0 means no read cache");
  const UnusedWhere without_cache(visitor, segments == 0, "firmware.read_cache.segments is 0");
  visitor.field("segment_sectors", segment_sectors, {1, 65536}, "drive sectors a segment");
  visitor.field("read_ahead", read_ahead, {0, 65536}, "drive sectors read beyond a read that missed, as far as the segment has room");
  const UnusedWhere without_read_ahead(visitor, read_ahead == 0, "firmware.read_cache.read_ahead is 0");
  visitor.field("read_ahead_step", read_ahead_step, {1, 65536}, "drive sectors of a step of it: what a step has brought can be served");
}

}  // namespace tessera
