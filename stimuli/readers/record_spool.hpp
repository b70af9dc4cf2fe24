#pragma once
// A trace of any length in order of arrival: sorted runs in a temporary file, merged.
#include <cstdint>
#include <memory>
#include <vector>

#include "stimuli/readers/raw_record.hpp"

namespace tessera {

/// Memory stays below some 100 MB up to 10^9 records; the temporary file has 64 bytes for each record past the first run.
class RecordSpool {
 public:
  static constexpr std::size_t run_records = 500'000;

  /// `run` is how many records are sorted in memory at once.
  explicit RecordSpool(std::size_t run = run_records);
  ~RecordSpool();
  RecordSpool(const RecordSpool&) = delete;
  RecordSpool& operator=(const RecordSpool&) = delete;

  /// `from` is where the record was found. Think times are not kept: they hold in the file's order only.
  void add(const RawRecord& raw, RecordPlace from);
  /// No more records are added.
  void finish();
  /// The earliest record that is left; of several at one time, the first in the file. False at the end.
  bool next(RawRecord& raw, RecordPlace& from);

 private:
  struct Entry;
  struct Run;

  void write_run();
  void refill(Run& run);

  const std::size_t run_;
  std::vector<Entry> entries_;
  std::vector<Run> runs_;          ///< in the file
  std::vector<std::size_t> heap_;  ///< of the runs that are not empty, the earliest record in front
  std::uint64_t added_ = 0;
  std::size_t given_ = 0;  ///< of `entries_`, where all are in memory
  int descriptor_ = -1;
};

}  // namespace tessera
