#pragma once
// What the out-of-band bytes of a journal's sectors tell: the record that they are part of, and the ones in front of it, so that a record
// of which no sector can be read is known all the same.
#include <array>
#include <cstdint>
#include <optional>

#include "base/address.hpp"
#include "firmware/logs/log_record.hpp"

namespace tessera {

struct JournalRecord {
  /// As many as the bytes have room for. Appends overlap: the one in front may be torn by a cut that leaves this one whole, and names none.
  static constexpr std::size_t most_named = 3;
  using Named = std::array<LogicalRun, most_named>;

  std::uint64_t sequence = 0;  ///< of its first sector
  LogicalRun run;
  Named in_front{};  ///< runs of the records in front, the nearest first; from one of no sectors on: none
  std::uint64_t era = 0;
};

/// Of the log: data and a copy of the last sector.
[[nodiscard]] constexpr std::uint64_t sectors_in_journal(const LogicalRun& run) { return std::uint64_t{run.count} + 1; }

[[nodiscard]] SectorHeader encode(const JournalRecord& record);
/// Nothing where there is none.
[[nodiscard]] std::optional<JournalRecord> journal_record(const SectorHeader& header);

}  // namespace tessera
