#include "bus/host_segments.hpp"

#include <algorithm>

namespace tessera {

bool gather(HostMemory& memory, const std::vector<HostSegment>& segments, std::span<std::byte> data) {
  std::size_t at = 0;
  return std::ranges::all_of(segments, [&](const HostSegment& segment) {
    const auto part = data.subspan(at, std::min<std::size_t>(segment.bytes, data.size() - at));
    at += part.size();
    return part.empty() || memory.read(segment.address, part);
  });
}

bool scatter(HostMemory& memory, const std::vector<HostSegment>& segments, std::span<const std::byte> data) {
  std::size_t at = 0;
  return std::ranges::all_of(segments, [&](const HostSegment& segment) {
    const auto part = data.subspan(at, std::min<std::size_t>(segment.bytes, data.size() - at));
    at += part.size();
    return segment.bucket || part.empty() || memory.write(segment.address, part);
  });
}

}  // namespace tessera
