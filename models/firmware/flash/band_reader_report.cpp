// Reads of bands and flash: its figures.
#include "firmware/flash/band_reader.hpp"

namespace tessera {

void BandReader::report(MetricSet& metrics) const {
  metrics.count("hit.read.flash", static_cast<double>(flash_sectors_), "sectors", "sectors read from the flash cache");
  metrics.count("hit.read.media", static_cast<double>(band_sectors_), "sectors", "sectors read from their bands");
}

}  // namespace tessera
