// Moves of tracks: its figures.
#include "firmware/interlaced/track_mover.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

void TrackMover::report(MetricSet& metrics) const {
  report_cleaning_times(metrics, moves_, "cleanings");  // tracks move as the layer learns: their clock is its intervals
  metrics.count("move.sectors", static_cast<double>(sectors_written_), "sectors", "sectors written by moves of tracks, backups included");
  metrics.count("move.failed_writes", static_cast<double>(failed_writes_), "1", "writes of moved tracks that failed");
  metrics.count("log.sectors", static_cast<double>(log_.sectors_written()), "sectors", "sectors of the merge log and its checkpoints");
}

}  // namespace tessera
