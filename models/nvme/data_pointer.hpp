#pragma once
// The memory that a command's data lies in, as its PRP entries or its SGL name it (NVMe 1.4, 4.3 and 4.4).
#include <vector>

#include "bus/host_segments.hpp"
#include "nvme/nvme_wire.hpp"

namespace tessera::nvme {

/// Where `bytes` of the command's data lie, in pages of `page` bytes. Lists are read from memory, which takes time.
[[nodiscard]] Outcome find_data(HostMemory& memory, const NvmeCommand& command, std::uint32_t bytes, std::uint32_t page,
                                std::vector<HostSegment>& segments);

}  // namespace tessera::nvme
