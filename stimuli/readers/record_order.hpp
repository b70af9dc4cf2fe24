#pragma once
// When the records of a file arrive, where the file is not in order of arrival or its clock is coarse.
#include <memory>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// At most one of `sort_time`, `sort_records` and `sort_all` is set; with the first two a record is given once the file is that far past
/// it.
struct RecordOrder {
  static constexpr std::size_t most_records = 4'000'000;  ///< in memory at once, some hundred bytes each

  Picoseconds sort_time;
  std::uint64_t sort_records = 0;
  bool completion_minus_response = false;  ///< times are of completion: arrivals come before them by the response
  bool sort_all = false;                   ///< the whole file, with a temporary file for what memory does not hold
  bool years = false;                      ///< records may come more than 213 days after the first: TraceRecord::spans

  [[nodiscard]] bool sorts() const { return sort_time.value() != 0 || sort_records != 0 || sort_all; }
  bool operator==(const RecordOrder&) const = default;
};

/// Spreads the records of one arrival time evenly over `resolution`: the k-th of n comes k/n of it later. A note says so.
[[nodiscard]] std::unique_ptr<TraceSource> spread_times(std::unique_ptr<TraceSource> inner, Picoseconds resolution);

}  // namespace tessera
