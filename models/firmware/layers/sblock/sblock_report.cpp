// sblock: its figures.
#include "firmware/layers/sblock/sblock_layer.hpp"
#include "firmware/layers/sblock/sblock_store.hpp"

namespace tessera::sblock {

namespace {
/// What the paper charges such designs (section III-C): 24 GB a TB. That is 12 bytes for each sector of 512 B, an account of logs
/// that place sectors one by one.
constexpr double paper_metadata_share = 24e9 / 1e12;
}  // namespace

void Sblock::report(MetricSet& metrics) const {
  report_buffer(metrics, store_->paper_metadata(), store_->metadata());
  store_->report(metrics);
}

void SblockStore::report(MetricSet& metrics) const {
  statistics_.report(metrics);
  metrics.add("layout.utilisation", utilisation_, "1", "share of the tracks that hold data: formula, S_reg / (S_reg + 2 kappa) (1 - beta)");
  metrics.count("log.sectors", static_cast<double>(open_.sectors_written()), "sectors", "sectors of the table's log and its checkpoints");
  metrics.add("meta.ram_bytes_sector_level", paper_metadata_share * static_cast<double>(user_bytes_), "B",
              "what the paper charges such designs: 24 GB a TB, the account of sectors placed one by one");
}

}  // namespace tessera::sblock
