#pragma once
// The pieces of the platform's memory that a command's data lies in.
#include <vector>

#include "bus/host_controller.hpp"

namespace tessera {

struct HostSegment {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool bucket = false;  ///< read data that the host does not want
};

/// False where the platform refuses an access.
[[nodiscard]] bool gather(HostMemory& memory, const std::vector<HostSegment>& segments, std::span<std::byte> data);
[[nodiscard]] bool scatter(HostMemory& memory, const std::vector<HostSegment>& segments, std::span<const std::byte> data);

}  // namespace tessera
