// Backup region: its figures.
#include "firmware/backup/backup_region.hpp"

namespace tessera {

void BackupRegion::report(MetricSet& metrics) const {
  std::uint64_t sectors = 0;
  std::uint64_t voids = 0;
  for (const Place& place : places_) {
    sectors += place.slot.sectors_written();
    voids += place.slot.voids();
  }
  metrics.count("backup.sectors", static_cast<double>(sectors), "sectors", "sectors written to the backup region");
  metrics.count("backup.voids", static_cast<double>(voids), "1", "backup records that were voided");
  metrics.count("backup.waits", static_cast<double>(waits_), "1", "writes that waited for a backup slot");
}

}  // namespace tessera
