#include "processor/memory.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera::riscv {

void Memory::map(std::uint64_t base, std::span<std::byte> bytes, bool stored_to) {
  TESSERA_CHECK(base % page_bytes == 0, "a memory of the machine begins within a page");
  TESSERA_CHECK(!bytes.empty() && base + (bytes.size() - 1) >= base, "a memory of the machine is empty or passes the last address");
  const auto next = std::ranges::upper_bound(regions_, base, {}, &Region::base);
  TESSERA_CHECK(next == regions_.end() || next->base - base >= bytes.size(), "two memories of the machine overlap");
  TESSERA_CHECK(next == regions_.begin() || base - std::prev(next)->base >= std::prev(next)->bytes.size(),
                "two memories of the machine overlap");
  regions_.insert(next, {base, bytes, stored_to});
}

const Memory::Region* Memory::region_of(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(regions_, address, {}, &Region::base);
  if (next == regions_.begin()) return nullptr;
  const Region& region = *std::prev(next);
  return address - region.base < region.bytes.size() ? &region : nullptr;
}

std::span<std::byte> Memory::from(std::uint64_t address) const {
  const Region* const region = region_of(address);
  return region == nullptr ? std::span<std::byte>{} : region->bytes.subspan(address - region->base);
}

std::byte* Memory::find(std::uint64_t address, std::uint64_t bytes) const {
  const std::span<std::byte> found = from(address);
  return found.empty() || found.size() < bytes ? nullptr : found.data();
}

std::byte* Memory::find_to_store(std::uint64_t address, std::uint64_t bytes) const {
  const Region* const region = region_of(address);
  return region == nullptr || !region->stored_to ? nullptr : find(address, bytes);
}

}  // namespace tessera::riscv
