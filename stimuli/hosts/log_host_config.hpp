#pragma once
// The parameters of the log-structured host, all ours but where a source is named.
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

/// How a zone to clean is chosen.
enum class LogCleaning : std::uint32_t {
  greedy,       ///< the fewest live sectors
  cost_benefit  ///< the largest (1 - u) * age / (1 + u); Rosenblum and Ousterhout, "The Design and Implementation of a Log-Structured File
                ///< System", 1992, section 3.5
};

struct LogHostConfig {
  double over_provisioning = 0.1;
  LogCleaning cleaning = LogCleaning::cost_benefit;
  Bytes write_buffer{std::uint64_t{12} << 20};  // as the write cache of the drive `common`, so that both hold back as much
  bool write_back = true;
  double dirty_limit = 0.5;
  Picoseconds write_delay{1'000'000'000'000};  // 1 s
  Bytes record{std::uint64_t{1} << 20};        // as the largest request of a Linux block queue by default (max_sectors_kb 1280)
  std::uint32_t writes_in_flight = 4;
  std::uint32_t clean_below = 4;
  std::uint32_t clean_idle_below = 8;
  Picoseconds idle_after{100'000'000'000};  // 100 ms
  Bytes checkpoint_every{0};

  void describe(ParameterVisitor& v) {
    v.field("over_provisioning", over_provisioning, {0, 1},
            "share of the zones' space that the application does not see, above 0 and below 1");
    v.enumeration("cleaning", cleaning, {"greedy", "cost-benefit"},
                  "choice of the zone to clean: the fewest live sectors, or the largest (1 - u) age / (1 + u)");
    v.field("write_buffer", write_buffer, {std::uint64_t{64} << 10, 1e12}, "host memory for written data that is not on the drive yet");
    v.field("write_back", write_back,
            "acknowledge from host memory: only FLUSH and FUA make durable; off: a write is acknowledged once it is on the platters");
    v.unused_where(!write_back, "write_back is false", [&] {
      v.field("dirty_limit", dirty_limit, {0, 0.9}, "share of the write buffer that may stay dirty until write_delay, or a FLUSH");
      v.field("write_delay", write_delay, {0, 1e15}, "longest time that data stays dirty");
    });
    v.field("record", record, {1024, 64e6}, "largest write to a zone: a header sector and the data that it names");
    v.field("writes_in_flight", writes_in_flight, {1, 32}, "writes of the application's zone that may be at the drive at once");
    v.field("clean_below", clean_below, {2, 1e6}, "free zones below which zones are cleaned whatever the application does");
    v.field("clean_idle_below", clean_idle_below, {0, 1e6}, "free zones below which zones are cleaned while the application is idle");
    v.field("idle_after", idle_after, {0, 1e15}, "time without a request after which the application counts as idle");
    v.field("checkpoint_every", checkpoint_every, {0, 1e15},
            "data written between two checkpoints of the map; 0: 32 times the size of a checkpoint");
  }
};

}  // namespace tessera
