#pragma once
// What a synthetic workload is: the keys of stimuli/workloads/*.toml.
#include <cstdint>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "base/units.hpp"
#include "stimuli/generators/zbd_config.hpp"

namespace tessera {

/// Where requests start.
enum class AddressLaw : std::uint32_t {
  sequential,  ///< each where the last one ended; wraps at the end of the range
  uniform,     ///< any aligned address of the footprint
  zipf,        ///< rank r of `zipf.items` addresses with a probability proportional to r^-exponent
  hot_tracks,  ///< a few tracks take most of the requests
  histogram,   ///< a share of the requests for each part of the range
  offsets,     ///< the start addresses that a recorded histogram lists
  updates      ///< writes of recently written addresses, and new ones in clusters
};

/// Where reads start, if not where writes do.
enum class ReadLaw : std::uint32_t { like_writes, uniform };

enum class ArrivalLaw : std::uint32_t { none, fixed, exponential, normal, table };

struct ArrivalConfig {
  ArrivalLaw law = ArrivalLaw::none;
  Picoseconds mean{0};  ///< over all gaps, idle ones included
  Picoseconds deviation{0};
  std::uint32_t burst_requests = 1;
  double idle_share = 0;
  std::vector<NumberRow> gaps;  ///< percent, microseconds
  void describe(ParameterVisitor& visitor);
};

struct ZipfConfig {
  std::uint64_t items = 0;
  double exponent = 1.0;
  bool scatter = true;
  void describe(ParameterVisitor& visitor);
};

struct HotTracksConfig {
  Bytes track{2'097'152};
  std::uint32_t tracks = 100;
  double share = 0.8;
  double exponent = 0;
  std::uint32_t run_length = 1;
  double neighbour_share = 0;
  std::uint32_t drift_writes = 20'000;
  double drift_share = 0;
  void describe(ParameterVisitor& visitor);
};

struct UpdatesConfig {
  double share = 0.9;
  Bytes large{1'073'741'824};
  double large_share = 0.9;
  std::uint64_t window = 65'536;
  double exponent = 0;
  Bytes chunk{65'536};
  std::uint32_t chunk_starts = 1;
  std::uint64_t phase_writes = 0;
  std::uint64_t set = 0;
  double set_share = 0;
  void describe(ParameterVisitor& visitor);
};

/// One workload. Units: bytes for addresses and sizes; every address and size is a multiple of 512 B.
struct WorkloadConfig {
  std::string limits;  ///< what must be known about any result made from it
  AddressLaw law = AddressLaw::uniform;
  ReadLaw reads = ReadLaw::like_writes;
  std::uint64_t requests = 100'000;
  double write_share = 0.5;
  Bytes first{0};
  Bytes range{0};
  Bytes alignment{4096};
  double sequential_share = 0;
  double read_sequential_share = 0;
  std::uint32_t extents = 0;
  Bytes extent{0};
  std::vector<NumberRow> write_sizes;  ///< size (B), weight; empty: 4 KiB
  std::vector<NumberRow> read_sizes;   ///< empty: as write_sizes
  std::vector<NumberRow> histogram;    ///< from, to (shares of the range), weight
  std::string offsets;                 ///< file of law offsets
  Bytes offset_unit{512};              ///< of its addresses
  ArrivalConfig arrivals;
  ZipfConfig zipf;
  HotTracksConfig hot;
  UpdatesConfig updates;
  ZoneMode zonemode = ZoneMode::none;
  ZbdConfig zbd;

  void describe(ParameterVisitor& visitor);
};

}  // namespace tessera
