// The host with a log-structured merge tree: what it reports. Counts accumulate, so that a warm-up can be taken off.
#include "stimuli/hosts/lsm_host.hpp"

namespace tessera {

void LsmHost::report(MetricSet& metrics) const {
  report_host(metrics, counts_.host, commands_.sent(), cpu_.time(cpu_cost_, commands_.sent()), stalled_time());
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* what) {
    count_translation(metrics, name, value, unit, what);
  };
  count("sectors.log", counts_.log, "sectors", "of the application that the host wrote to its log");
  count("sectors.headers", counts_.log_headers, "sectors", "headers of the log, and what fills zones up");
  count("sectors.flushed", counts_.flushed, "sectors", "of tables that became files");
  count("sectors.compacted", counts_.compacted, "sectors", "that compactions wrote");
  count("sectors.index", counts_.index, "sectors", "of indexes and filters of files");
  count("sectors.moved", counts_.moved, "sectors", "that the host wrote again to clean zones");
  count("sectors.manifest", counts_.manifest, "sectors", "of the manifest");
  count("sectors.written",
        counts_.log + counts_.log_headers + counts_.flushed + counts_.compacted + counts_.index + counts_.moved + counts_.manifest,
        "sectors", "that the host wrote to the drive");
  count("sectors.lost", counts_.lost, "sectors", "that could not be read when they were to be moved");
  count("sectors.merged", counts_.read_to_merge, "sectors", "that compactions read");
  count("flushes", counts_.flushes, "1", "tables that became files");
  count("compactions", counts_.compactions, "1", "compactions");
  count("file_moves", counts_.file_moves, "1", "files that went to the next level as they were");
  count("collections", counts_.collections, "1", "zones that were collected");
  count("deletions.dropped", counts_.dropped, "1", "deletions that ended in the last level");
  count("reads.in_memory", counts_.in_memory, "sectors", "that reads found in host memory");
  count("reads.in_vain", counts_.in_vain, "1", "reads of files whose filters were wrong");
  count("recovery.records", counts_.replayed, "1", "records of the log that boots after power cuts read");
  metrics.add("translation.zones.free", static_cast<double>(zones_.free_zones()), "1", "free zones at the end");
  metrics.add("translation.zones.least_free", static_cast<double>(zones_.least_free()), "1", "fewest free zones at once");
  metrics.add("translation.zones.data", static_cast<double>(layout_.data_zones), "1", "zones for data");
  metrics.add("translation.files", static_cast<double>(tree_.files()), "1", "files at the end");
  metrics.add("translation.sectors.files", static_cast<double>(tree_.sectors()), "sectors", "that files take at the end");
  metrics.add("translation.sectors.files.peak", static_cast<double>(std::max(counts_.peak_sectors, tree_.sectors())), "sectors",
              "that files took at most");
  const double bytes = layout_.sector_bytes;
  const double tables = config_.memtables * static_cast<double>(layout_.memtable_sectors) * (bytes + lsm_entry_bytes);
  const double index = static_cast<double>(tree_.entries()) * layout_.index_bits / 8 + static_cast<double>(tree_.files()) * lsm_file_bytes;
  const double batches = 2 * static_cast<double>(layout_.batch_sectors) * bytes + layout_.record_sectors * bytes;
  metrics.add("translation.memory.tables", tables, "B", "host memory for written data, sorted");
  metrics.add("translation.memory.index", index, "B", "host memory for indexes and filters of all files");
  metrics.add("translation.memory.index.peak",
              static_cast<double>(std::max(counts_.peak_entries, tree_.entries())) * layout_.index_bits / 8, "B",
              "most of it in use at once");
  metrics.add("translation.memory.batches", batches, "B", "host memory for what compactions merge, and a record of the log");
  metrics.add("translation.memory", tables + index + batches + static_cast<double>(layout_.data_zones) * sizeof(LsmZone), "B",
              "host memory of the translation in all");
}

}  // namespace tessera
