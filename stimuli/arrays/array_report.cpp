// What the host of an array reports.
#include "stimuli/arrays/array_host.hpp"

namespace tessera {

void ArrayHost::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* description) {
    metrics.add(name, static_cast<double>(value), "1", description);
  };
  count("array.commands", counts_.commands, "commands sent to the drives");
  if (layout_.has_parity()) {
    count("array.writes.whole_row", counts_.whole_rows, "writes of parts of a row that needed no reads");
    count("array.writes.read_modify", counts_.read_modifies, "writes that read old data and old parity");
    count("array.writes.reconstruct", counts_.reconstructs, "writes that read the data which stays");
    count("array.writes.decode", counts_.decodes, "writes that computed missing data first");
    count("array.writes.no_parity", counts_.without_parity, "writes of rows whose parity was all missing");
  }
  count("array.reads.degraded", counts_.degraded_reads, "parts of reads that were computed from the other drives");
  count("array.unreadable", counts_.unreadable, "parts of reads for which too much was missing");
  if (layout_.redundant()) {
    count("array.errors.read", counts_.read_errors, "reads that drives failed");
    count("array.errors.write", counts_.write_errors, "writes and FLUSHes that drives failed");
    count("array.errors.rewritten", counts_.rewritten, "sectors that were written again after a read error");
    count("array.bad_blocks", bad_.ranges(), "places that no drive reads until a write of them succeeds, at the end");
  }
  if (config_.scrub.enabled) {
    count("array.scrub.rows", counts_.rows_compared, "rows that the scrub compared");
    count("array.scrub.differing", counts_.rows_differing, "of these, rows whose parity or copies did not fit the data");
  }
  if (config_.journal.place != JournalPlace::none) {
    count("array.journal.records", counts_.journal_records, "writes of rows that went through the journal");
    metrics.add("array.journal.bytes", static_cast<double>(counts_.journal_bytes), "B", "new data and parity in its records");
    count("array.journal.replayed", counts_.rows_replayed, "records that were written to their rows again after a power cut");
  }
  count("array.doubt.rows", counts_.rows_in_doubt, "rows whose write a power cut ended between data and parity, or between copies");
  count("array.doubt.put_right", counts_.rows_put_right, "of these, rows whose parity or copies were made to fit the data");
  count("array.doubt.left", counts_.rows_left_wrong,
        "of these, rows with a drive missing: data of it that nobody wrote to may be lost (the write hole)");
  const double seconds = static_cast<double>(counts_.parity_bytes) / static_cast<double>(config_.cpu.parity_rate.value());
  metrics.add("array.cpu.parity", seconds, "s", "processor time for P and Q, at array.cpu.parity_rate");
  metrics.add("array.cpu.commands", config_.cpu.command * counts_.commands, "processor time for commands, at array.cpu.command each");
  count("array.memory.parity_bytes", counts_.parity_bytes, "bytes that went through host memory for P and Q");
  if (rebuilds_.empty()) return;
  Picoseconds time;
  Bytes bytes;
  bool all = true;
  for (const RebuildRecord& record : rebuilds_) {
    all = all && record.ended != Picoseconds(0);
    if (record.ended != Picoseconds(0)) time += record.ended - record.began;
    bytes += record.bytes;
  }
  count("array.rebuild.rows_lost", counts_.rows_lost,
        "rows of which a rebuild could not make some sector anew: the host gets an error there");
  metrics.add("array.rebuild.bytes", static_cast<double>(bytes.value()), "B", "written to spares by rebuilds");
  const double rebuild_seconds = static_cast<double>(time.value()) * 1e-12;
  metrics.add("array.rebuild.time", all ? std::optional(rebuild_seconds) : std::nullopt, "s",
              "from the start of each rebuild to its end, in sum; undefined where one did not end");
  metrics.add("array.rebuild.rate",
              all && rebuild_seconds > 0 ? std::optional(static_cast<double>(bytes.value()) / rebuild_seconds) : std::nullopt, "B/s",
              "written to spares per second of rebuild");
}

}  // namespace tessera
