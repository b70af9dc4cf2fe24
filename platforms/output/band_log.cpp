#include "platforms/output/band_log.hpp"

#include <cstdio>
#include <utility>

namespace tessera {

BandLog::BandLog(const std::filesystem::path& path, IntervalLength length, std::function<BandLevels()> look)
    : file_(path), length_(length), look_(std::move(look)) {
  file_.append("time_s,band,sectors,held,cached\n");
}

void BandLog::on_complete(const HostRequest&, Picoseconds at) {
  const LongTime now = rested_ + at;
  const bool due = length_.requests != 0 ? requests_ % length_.requests == 0 : now >= due_;
  ++requests_;
  if (!due) return;
  if (length_.requests == 0) due_ = LongTime(length_.time) * (now / LongTime(length_.time) + 1);
  look(now);
}

void BandLog::close(Picoseconds now) {
  look(rested_ + now);
  file_.close();
}

void BandLog::look(LongTime now) {
  BandLevels levels = look_();
  if (levels.empty()) return;
  before_.resize(levels.size());
  char line[120];
  for (std::size_t band = 0; band < levels.size(); ++band) {
    const BandLevel& level = levels[band];
    if (level == before_[band]) continue;
    const double seconds = now.in_picoseconds() / static_cast<double>(ps_per_second);
    const int length = std::snprintf(line, sizeof line, "%.12g,%zu,%u,%u,%u\n", seconds, band, level.sectors, level.held, level.cached);
    file_.append({line, static_cast<std::size_t>(length)});
  }
  before_ = std::move(levels);
}

}  // namespace tessera
