#pragma once
// Addresses of a drive that has several logical units, each a range of its bytes.
#include <memory>
#include <vector>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// How records name a unit.
enum class LunOf : std::uint8_t {
  address,  ///< by an address on the whole drive; what goes over the end of a unit becomes two requests
  volume    ///< volume n, in order of first appearance, is unit n: addresses begin at the unit's start
};

/// `ends`: of each unit, ascending. InputError at a record of a volume for which there is no unit.
[[nodiscard]] std::unique_ptr<TraceSource> address_units(std::unique_ptr<TraceSource> inner, std::vector<Bytes> ends, LunOf by);

}  // namespace tessera
