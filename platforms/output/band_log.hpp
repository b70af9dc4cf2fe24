#pragma once
// bands.csv: how full each band of the layer was in the course of a run.
#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/long_time.hpp"
#include "firmware/band_levels.hpp"
#include "platforms/output/intervals.hpp"
#include "platforms/output/output_file.hpp"
#include "stimuli/player/request_observer.hpp"

namespace tessera {

/// Columns: time_s,band,sectors,held,cached (BandLevel says what they mean). The bands are looked at when the first request completes and
/// then with the first one that completes behind the end of each interval; a line stands for a band of which the look before said
/// something else.
class BandLog final : public RequestObserver {
 public:
  /// `look`: how full the bands are now; none while the drive is without power.
  BandLog(const std::filesystem::path& path, IntervalLength length, std::function<BandLevels()> look);

  void on_complete(const HostRequest& request, Picoseconds now) override;
  [[nodiscard]] bool failed() const { return file_.failed(); }
  /// Looks a last time, at `now`, and closes; throws OutputError.
  void close(Picoseconds now);
  /// `by` passes that later instants leave out.
  void rest(Picoseconds by) { rested_ += by; }

 private:
  void look(LongTime now);

  OutputFile file_;
  IntervalLength length_;
  std::function<BandLevels()> look_;
  BandLevels before_;
  LongTime rested_;  // counted in `due_`
  LongTime due_;
  std::uint64_t requests_ = 0;
};

}  // namespace tessera
