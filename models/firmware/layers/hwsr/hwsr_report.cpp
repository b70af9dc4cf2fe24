// hwsr: its figures.
#include "firmware/layers/hwsr/hwsr_layer.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera::hwsr {

void Hwsr::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  report_read_modify_writes(metrics, rewrites_with_reads_, "read-modify-writes", "time in read-modify-writes of segments");
  const MergePart parts[] = {{"band_read", reading_, "reading what the segments held"},
                             {"copy", guarding_, "writing images of the segments to the journal"},
                             {"band_write", writing_, "writing the segments"}};
  report_merge_times(metrics, rewrites_with_reads_.total(), parts, "tables");
  count("rmw_free.count", rewrites_without_, "1", "rewrites of a segment that had nothing to read");
  count("segment.blocks_read", blocks_read_, "1", "blocks read to rewrite segments");
  count("segment.blocks_written", blocks_written_, "1", "blocks written to rewrite segments");
  metrics.add("segment.read_turns_mean", read_turns_.mean(), "1", "tracks that a read of the platters visits: about a turn each");
  metrics.add("layout.utilisation", WaveLayout::utilisation(hwsr_.region_tracks, hwsr_.overlap), "1",
              "data tracks over data and guard tracks: formula, T / (T + kappa/2)");
  metrics.add("layout.h_s_ratio", WaveLayout::h_s_ratio(hwsr_.region_tracks, hwsr_.overlap, hwsr_.spare), "1",
              "utilisation over that of an S-block disk with a spare share of beta: formula, 2 (T + 2 kappa) / ((2T + kappa) (1 - beta))");
  report_buffer(metrics, Bytes(0), Bytes((holds_data_.size() + 63) / 64 * 8));
}

}  // namespace tessera::hwsr
