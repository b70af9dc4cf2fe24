#pragma once
// A workload as a trace source: the player cannot tell it from a recorded trace.
#include <cstdint>
#include <memory>
#include <string>

#include "base/units.hpp"
#include "stimuli/generators/workload_config.hpp"
#include "stimuli/generators/zbd_generator.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// A source of `config.requests` records, the same for the same configuration, seed and capacity. `name` is used in messages.
/// `capacity` (of the drive) gives the range where the configuration leaves it open; a stated range may exceed it, and is then
/// folded or refused as a trace's addresses are.
/// InputError if the parts of the configuration do not fit each other; the message names the key.
[[nodiscard]] std::unique_ptr<TraceSource> make_generator(const WorkloadConfig& config, const std::string& name, std::uint64_t seed,
                                                          Bytes capacity, const WorkloadZones& zones = {});

}  // namespace tessera
