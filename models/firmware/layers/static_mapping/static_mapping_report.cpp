// Static mappings: its figures.
#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layers/static_mapping/static_mapping_layer.hpp"

namespace tessera::static_mapping {

void StaticMapping::report(MetricSet& metrics) const {
  const auto war = [](const WriteCount& counted) {
    return counted.writes == 0 ? std::nullopt : std::optional(static_cast<double>(counted.requests) / static_cast<double>(counted.writes));
  };
  metrics.add("war.mean", war(all_), "1", "media requests a host write, each part of it inside one track counted apart: 1 + 2 |H|");
  metrics.add("war.update_mean", war(updates_), "1", "the same over writes of tracks that held data");
  report_read_modify_writes(metrics, rmws_, "updates that rewrote tracks behind their own",
                            "time in read-modify-writes, from their backup slot to the last rewrite");
  metrics.count("rmw_free.count", static_cast<double>(all_.writes - rmws_.count()), "1", "writes that found no data behind their track");
  backup_.report(metrics);
  metrics.count("log.sectors", static_cast<double>(allocation_.record_writes()), "sectors",
                "sectors written to record which tracks are in use");
  const Bytes bits((layout_.tracks() + 7) / 8);
  report_mapping_memory(metrics, bits, allocation_.bytes());
  metrics.add("capacity.space_gain", space_gain(config_.band_tracks, config_.head_width), "1",
              "gain of the bands alone, the random access zone left out: SG = W N / (N + W - 1)");
}

}  // namespace tessera::static_mapping
