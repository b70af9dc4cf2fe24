#pragma once
#include <cstdint>

#include "base/parameter.hpp"

namespace tessera {

/// How hard the firmware tries before it gives a sector up. The retry counts are those of the read-write error recovery mode page (01h) of
/// SCSI drives as usually delivered: 11 for reads, 5 for writes (Seagate's product manuals).
struct DefectsConfig {
  std::uint32_t read_retries = 11;
  std::uint32_t write_retries = 5;
  std::uint32_t relocate_after = 4;

  void describe(ParameterVisitor& visitor);
};

}  // namespace tessera
