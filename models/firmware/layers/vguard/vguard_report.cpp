// Virtual Guard: its figures.
#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layers/vguard/vguard_layer.hpp"

namespace tessera {

void Vguard::report(MetricSet& metrics) const {
  const auto sectors = [&metrics](const char* name, std::uint64_t value, const char* what) {
    metrics.count(name, static_cast<double>(value), "sectors", what);
  };
  sectors("hit.write.cache", written_cached_, "sectors written to tracks that were in the cache");
  sectors("hit.read.cache", read_cached_, "sectors read from the cache");
  sectors("hit.read.media", read_in_place_, "sectors read from their bands");
  metrics.count("guard.count", static_cast<double>(guards_), "1", "tracks moved to the cache because the one in front was written");
  metrics.count("guard.put_back", static_cast<double>(put_back_), "1", "tracks written in place again");
  report_cleanings(metrics, cleanings_, "cleanings: bands whose cached tracks were put back");
  const Bytes bitmap((holds_data_.size() + 63) / 64 * 8);
  const Bytes tracks(track_by_slot_.size() * sizeof(Cached));
  metrics.add("meta.ram_bytes_actual", static_cast<double>((bitmap + slot_by_track_.bytes() + tracks + lists_.bytes()).value()), "B",
              "mapping memory that is really taken");
}

}  // namespace tessera
