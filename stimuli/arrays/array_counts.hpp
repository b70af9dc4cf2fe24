#pragma once
// What an array's host has counted.
#include <cstdint>
#include <optional>

#include "base/units.hpp"
#include "stimuli/arrays/array_layout.hpp"

namespace tessera {

struct ArrayCounts {
  std::uint64_t whole_rows = 0;  ///< writes of parts of a row by WriteWay
  std::uint64_t read_modifies = 0;
  std::uint64_t reconstructs = 0;
  std::uint64_t decodes = 0;
  std::uint64_t without_parity = 0;
  std::uint64_t trimmed_bytes = 0;    ///< data of TRIMs that went to the drives
  std::uint64_t untrimmed_bytes = 0;  ///< and of those that ended at the array
  std::uint64_t degraded_reads = 0;   ///< parts of reads that were computed from the other drives
  std::uint64_t unreadable = 0;       ///< parts that could not
  std::uint64_t parity_bytes = 0;     ///< that went through the computation of P or Q
  std::uint64_t commands = 0;
  std::uint64_t read_errors = 0;   ///< reads that drives failed
  std::uint64_t write_errors = 0;  ///< writes and FLUSHes that drives failed
  std::uint64_t rewritten = 0;     ///< sectors written again after a read error
  std::uint64_t rows_compared = 0;
  std::uint64_t rows_differing = 0;   ///< of these, by the scrub
  std::uint64_t rows_lost = 0;        ///< of which a rebuild could not make some sector anew
  std::uint64_t journal_records = 0;  ///< written to the journal
  std::uint64_t journal_bytes = 0;    ///< of new data and parity in them
  std::uint64_t rows_replayed = 0;    ///< from the journal after a power cut
  std::uint64_t rows_in_doubt = 0;    ///< written as the power failed
  std::uint64_t rows_put_right = 0;   ///< of these, parity or copies made anew from the data
  std::uint64_t rows_left_wrong = 0;  ///< of these, with a drive missing: what it held may be lost, the write hole

  /// What befell rows and drives, which no warm-up leaves out, without what requests and commands did.
  [[nodiscard]] ArrayCounts of_rows() const {
    ArrayCounts rows;
    rows.read_errors = read_errors;
    rows.write_errors = write_errors;
    rows.rewritten = rewritten;
    rows.rows_compared = rows_compared;
    rows.rows_differing = rows_differing;
    rows.rows_lost = rows_lost;
    rows.rows_replayed = rows_replayed;
    rows.rows_in_doubt = rows_in_doubt;
    rows.rows_put_right = rows_put_right;
    rows.rows_left_wrong = rows_left_wrong;
    return rows;
  }
};

/// Of rows that were compared.
struct RowAudit {
  std::uint64_t differing = 0;   ///< parity or copies do not fit the data
  std::uint64_t incomplete = 0;  ///< a member was missing or could not be read
};

/// A rebuild, from the failure on.
struct RebuildRecord {
  DriveSlot slot;
  std::optional<std::uint32_t> spare;  ///< none: on spare places
  Picoseconds failed_at;
  Picoseconds began;
  Picoseconds ended;  ///< 0: it did not
  Bytes bytes;        ///< written
};

}  // namespace tessera
