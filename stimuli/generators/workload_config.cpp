#include "stimuli/generators/workload_config.hpp"

namespace tessera {

void ArrivalConfig::describe(ParameterVisitor& visitor) {
  visitor.enumeration("law", law, {"none", "fixed", "exponential", "normal", "table"},
                      "law of the gaps between requests; none: all at time 0, for a closed loop; table: by `gaps`");
  visitor.field("mean", mean, {0, 1e18}, "mean gap, idle gaps included");
  visitor.field("deviation", deviation, {0, 1e18}, "standard deviation of a gap (normal); gaps below 0 count as 0");
  visitor.field("burst_requests", burst_requests, {1, 1e9}, "mean length of a burst (geometric); 1: no bursts");
  visitor.field("idle_share", idle_share, {0, 1}, "share of the time that lies between bursts (exponential gaps)");
  visitor.table("gaps", gaps, {"percent", "microseconds"},
                "law table: so many percent of the gaps are no longer than this; evenly between two rows, and the last row is 100 percent");
}

void ZipfConfig::describe(ParameterVisitor& visitor) {
  visitor.field("items", items, {0, 1e10}, "distinct start addresses; 0: as many as the footprint has");
  visitor.field("exponent", exponent, {0, 10}, "of the rank: 0 is uniform");
  visitor.field("scatter", scatter, "spread the ranks over the footprint at random; else rank 1 is its lowest address");
}

void HotTracksConfig::describe(ParameterVisitor& visitor) {
  visitor.field("track", track, {512, 1e9}, "size of a track");
  visitor.field("tracks", tracks, {1, 1e6}, "number of hot tracks");
  visitor.field("share", share, {0, 1}, "share of the requests that goes to the hot tracks");
  visitor.field("exponent", exponent, {0, 10}, "Zipf exponent among the hot tracks: 0 is uniform");
  visitor.field("run_length", run_length, {1, 32}, "hot tracks side by side: 1 scattered, 8 to 32 clustered");
  visitor.field("neighbour_share", neighbour_share, {0, 1}, "share of the requests that goes to the tracks beside hot runs");
  visitor.field("drift_writes", drift_writes, {1, 1e9}, "writes from one drift to the next");
  visitor.field("drift_share", drift_share, {0, 1}, "share of the hot runs that moves to new places at each drift, the oldest first");
}

void UpdatesConfig::describe(ParameterVisitor& visitor) {
  visitor.field("share", share, {0, 1}, "share of the writes that goes to an address written before");
  visitor.field("large", large, {512, 1e10}, "size from which a write counts as large");
  visitor.field("large_share", large_share, {0, 1}, "the same share, of large writes: below `share`, size and heat are correlated");
  visitor.field("window", window, {1, 1e9}, "newest writes that updates and reads choose from: the longest update period, in writes");
  visitor.field("exponent", exponent, {0, 10}, "Zipf exponent of the recency rank: 0 chooses uniformly from the window");
  visitor.field("chunk", chunk, {512, 1e9}, "aligned pieces of the footprint that new addresses fill");
  visitor.field("chunk_starts", chunk_starts, {1, 1e6}, "start addresses that are ever written in a chunk, side by side");
  visitor.field("phase_writes", phase_writes, {0, 1e12}, "writes after which the older ones are forgotten; 0: never");
  visitor.field("set", set, {0, 1e12},
                "addresses written before the run that are updated at random, however long ago: long update periods; 0: none");
  visitor.field("set_share", set_share, {0, 1}, "share of the updates and reads that goes to the set; the others go by recency");
}

void WorkloadConfig::describe(ParameterVisitor& visitor) {
  visitor.field("limits", limits, "what is to be known about any result made from it");
  visitor.enumeration("law", law, {"sequential", "uniform", "zipf", "hot-tracks", "histogram", "offsets", "updates"},
                      "where requests start");
  visitor.enumeration("reads", reads, {"like-writes", "uniform"}, "where reads start: by the same law, or anywhere in the range");
  visitor.field("requests", requests, {1, 1e15}, "number of requests");
  visitor.field("write_share", write_share, {0, 1}, "share of the requests that write");
  visitor.field("first", first, {0, 1e18}, "lowest address");
  visitor.field("range", range, {0, 1e18}, "addresses from `first` on; 0: to the end of the drive");
  visitor.field("alignment", alignment, {512, 1e9}, "start addresses are multiples of this from `first` on");
  visitor.field("sequential_share", sequential_share, {0, 1},
                "share of the writes that start where the write before ended, whatever the law");
  visitor.field("read_sequential_share", read_sequential_share, {0, 1}, "the same of the reads");
  visitor.field(
      "extents", extents, {0, 1e6},
      "pieces of the range that requests fall into (law uniform, zipf, updates; hot-tracks: those beside the hot tracks); 0: all of it");
  visitor.field("extent", extent, {0, 1e18}, "size of such a piece");
  visitor.table("write_sizes", write_sizes, {"bytes", "weight"}, "sizes of writes; none: 4096 B");
  visitor.table("read_sizes", read_sizes, {"bytes", "weight"}, "sizes of reads; none: as writes");
  visitor.table("histogram", histogram, {"from", "to", "weight"}, "law histogram: parts of the range, as shares of it");
  visitor.field("offsets", offsets, "law offsets: file of `LBA,Frequency` lines, beside the workload's own file unless absolute");
  visitor.field("offset_unit", offset_unit, {1, 1e6}, "unit of the addresses in that file");
  visitor.section("arrivals", arrivals, "times between requests");
  visitor.section("zipf", zipf, "law zipf");
  visitor.section("hot", hot, "law hot-tracks");
  visitor.section("updates", updates, "law updates");
  visitor.enumeration("zonemode", zonemode, {"none", "zbd"},
                      "as fio's; zbd: the law chooses zones, writes go to their write pointers, a full zone is reset before it is written");
  visitor.section("zbd", zbd, "zonemode zbd");
}

}  // namespace tessera
