#include "processor/memory.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera::riscv {

void Memory::map(std::uint64_t base, std::span<std::byte> bytes) {
  TESSERA_CHECK(base % page_bytes == 0, "a memory of the machine begins within a page");
  TESSERA_CHECK(!bytes.empty() && base + (bytes.size() - 1) >= base, "a memory of the machine is empty or passes the last address");
  const auto next = std::ranges::upper_bound(regions_, base, {}, &Region::base);
  TESSERA_CHECK(next == regions_.end() || next->base - base >= bytes.size(), "two memories of the machine overlap");
  TESSERA_CHECK(next == regions_.begin() || base - std::prev(next)->base >= std::prev(next)->bytes.size(),
                "two memories of the machine overlap");
  regions_.insert(next, {base, bytes});
}

std::span<std::byte> Memory::from(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(regions_, address, {}, &Region::base);
  if (next == regions_.begin()) return {};
  const Region& region = *std::prev(next);
  const std::uint64_t offset = address - region.base;
  return offset < region.bytes.size() ? region.bytes.subspan(offset) : std::span<std::byte>{};
}

std::byte* Memory::find(std::uint64_t address, std::uint64_t bytes) const {
  const std::span<std::byte> found = from(address);
  return found.empty() || found.size() < bytes ? nullptr : found.data();
}

}  // namespace tessera::riscv
