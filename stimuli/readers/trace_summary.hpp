#pragma once
// What a trace is like: the figures by which papers characterise their workloads.
#include <boost/json/object.hpp>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// Counts are exact; ratios are taken from them when printed. Blocks are 4 KiB, zones 256 MiB, each volume a space of its own.
/// Papers differ in what an update is, so there are three: writes that touch any block written before, writes all of whose
/// blocks were written before, and writes to such a block as a share of all block writes.
struct TraceSummary {
  static constexpr std::uint64_t block_bytes = 4096;
  static constexpr std::uint64_t zone_bytes = std::uint64_t{256} << 20;

  struct Volume {
    std::string name;
    std::uint64_t requests = 0;
  };

  std::uint64_t requests = 0;  ///< reads, writes, flushes and trims
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t flushes = 0;
  std::uint64_t trims = 0;
  Picoseconds duration;  ///< first arrival to last
  Picoseconds longest_gap;
  std::uint64_t thinks = 0;  ///< requests behind the first with a think time
  Picoseconds think_time;    ///< the sum of these
  Bytes bytes_read;
  Bytes bytes_written;
  Bytes bytes_trimmed;
  std::uint64_t touched_blocks = 0;  ///< read or written
  std::uint64_t written_blocks = 0;
  std::uint64_t block_writes = 0;          ///< blocks of all writes, repeats included
  std::uint64_t updated_block_writes = 0;  ///< those to a block written before
  std::uint64_t updates_any = 0;           ///< writes
  std::uint64_t updates_all = 0;           ///< writes
  Bytes lowest_written;
  Bytes highest_written;  ///< end of the highest write in any volume
  std::uint64_t written_zones = 0;
  Bytes largest_request;
  Bytes highest_address;             ///< end of the highest request in any volume
  std::uint64_t successions = 0;     ///< reads and writes that follow another one on their volume
  std::uint64_t sequential = 0;      ///< those that start where the one before ended
  unsigned __int128 seek_bytes = 0;  ///< sum of the distances between such ends and starts
  std::uint64_t split_sectors = 0;   ///< requests that are not whole 512 B sectors
  std::vector<Volume> volumes;       ///< in order of first appearance
  std::vector<std::string> notes;    ///< of the source

  /// For each, undefined where nothing was counted.
  [[nodiscard]] std::optional<double> write_share() const;
  [[nodiscard]] std::optional<double> update_any_share() const;
  [[nodiscard]] std::optional<double> update_all_share() const;
  [[nodiscard]] std::optional<double> update_block_share() const;
  [[nodiscard]] std::optional<double> sequential_share() const;
  [[nodiscard]] std::optional<double> mean_seek_sectors() const;
  [[nodiscard]] std::optional<double> mean_interarrival_ms() const;
  [[nodiscard]] std::optional<double> mean_think_ms() const;  ///< undefined where the trace does not tell
  [[nodiscard]] std::optional<double> mean_write_sectors() const;
  [[nodiscard]] std::optional<double> mean_write_sectors_aligned() const;  ///< after rounding outwards to 4 KiB
  [[nodiscard]] std::optional<double> mean_read_sectors() const;
};

/// Reads `source` to its end. Memory grows with the footprint (at worst some 77 bytes a block, dense areas 77 bytes per 64
/// blocks), not with the length.
[[nodiscard]] TraceSummary describe(TraceSource& source);

/// One figure a line, with its unit.
void print(const TraceSummary& summary, std::ostream& out);

/// {"requests": ..., "duration_s": ...}: the same figures by name; null where undefined.
[[nodiscard]] boost::json::object to_json(const TraceSummary& summary);

}  // namespace tessera
