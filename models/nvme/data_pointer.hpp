#pragma once
// The memory that a command's data lies in, as its PRP entries or its SGL name it (NVMe 1.4, 4.3 and 4.4).
#include <vector>

#include "nvme/nvme_links.hpp"
#include "nvme/nvme_wire.hpp"

namespace tessera::nvme {

struct Segment {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool bucket = false;  ///< read data that the host does not want
};

/// Where `bytes` of the command's data lie, in pages of `page` bytes. Lists are read from memory, which takes time.
[[nodiscard]] NvmeStatus find_data(HostMemory& memory, const NvmeCommand& command, std::uint32_t bytes, std::uint32_t page,
                                   std::vector<Segment>& segments);

[[nodiscard]] bool gather(HostMemory& memory, const std::vector<Segment>& segments, std::span<std::byte> data);
[[nodiscard]] bool scatter(HostMemory& memory, const std::vector<Segment>& segments, std::span<const std::byte> data);

}  // namespace tessera::nvme
