#pragma once
// From the words of the command line to the stream of requests that a drive gets.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "stimuli/readers/content_hash.hpp"
#include "stimuli/readers/record_order.hpp"
#include "stimuli/readers/sector_adaptation.hpp"
#include "stimuli/readers/side_by_side.hpp"
#include "stimuli/readers/time_scale.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

struct TraceOptions {
  std::string path;                    ///< plain, gz, xz, zstd, bz2 or lz4
  std::string format;                  ///< NAME or NAME:ARGUMENT (stimuli/readers/trace_format.hpp); empty = by content
  std::string volume;                  ///< as `describe` prints it, or its number; empty = all
  std::uint64_t skip = 0;              ///< requests left out at the start
  std::optional<std::uint64_t> limit;  ///< requests after `skip`
  TimeScale time_scale;                ///< 2 = twice as slow
  std::uint64_t passes = 1;            ///< how often the trace is played; above 1 it loops
  bool in_time = false;                ///< each pass has to take time
  Bytes drift;                         ///< added to every address from one pass to the next; usually wants `fold`
  bool own_spaces = false;             ///< volumes have addresses of their own and are told apart later (unit_addresses.hpp)
  bool fold = false;                   ///< wrap addresses at the drive's end instead of refusing them
  SectorAdaptation adapt = SectorAdaptation::none;
  RecordOrder order;            ///< sorted, and where arrivals come from
  Picoseconds spread;           ///< records of one arrival time are spread over this; 0 = left together
  std::optional<Bytes> zones;   ///< as TraceReading::zones
  ContentHash* hash = nullptr;  ///< takes the bytes of the file as they are read, for a file that can be read only once
};

/// The chosen part of a trace, addresses and sizes as in the file: what `describe` looks at. The first record arrives at 0.
[[nodiscard]] std::unique_ptr<TraceSource> open_trace(const TraceOptions& options);

/// How far each volume of the whole file reaches, whatever part is chosen; as far as the file can be read, for what is wrong behind that is
/// told by who plays it. InputError where the file can be read only once.
[[nodiscard]] VolumeExtents extents_of(const TraceOptions& options);

/// The first form, fit for a drive of `capacity` (a multiple of 512 B) with sectors of `sector` (4 KiB, or 512 B on old drives):
/// every record lies inside the drive and is whole 512 B blocks. Several volumes lie side by side.
[[nodiscard]] std::unique_ptr<TraceSource> open_trace(const TraceOptions& options, Bytes capacity, Bytes sector);

/// The blocks of a record from the second form of open_trace.
[[nodiscard]] HostRun host_run(const TraceRecord& record);

}  // namespace tessera
