#pragma once
// The plain memories of the machine, by address: what a load finds without asking anybody. What lies in none of them is a device's.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::riscv {

inline constexpr unsigned page_bits = 12;
inline constexpr std::uint64_t page_bytes = std::uint64_t{1} << page_bits;

class Memory {
 public:
  /// `bytes` appear from `base` on, the start of a page. Regions do not overlap; what was mapped stays.
  void map(std::uint64_t base, std::span<std::byte> bytes) { map(base, bytes, true); }
  /// As map(), of bytes that are loaded and fetched, and not stored to: a store there meets no memory.
  void map_read_only(std::uint64_t base, std::span<std::byte> bytes) { map(base, bytes, false); }

  /// The bytes from `address` to its region's end; none where no region holds it.
  [[nodiscard]] std::span<std::byte> from(std::uint64_t address) const;
  /// Where these bytes are; null where not all of them lie in one region.
  [[nodiscard]] std::byte* find(std::uint64_t address, std::uint64_t bytes) const;
  /// As find(), for a store.
  [[nodiscard]] std::byte* find_to_store(std::uint64_t address, std::uint64_t bytes) const;

 private:
  struct Region {
    std::uint64_t base;
    std::span<std::byte> bytes;
    bool stored_to;
  };
  void map(std::uint64_t base, std::span<std::byte> bytes, bool stored_to);
  [[nodiscard]] const Region* region_of(std::uint64_t address) const;

  std::vector<Region> regions_;  // by base
};

}  // namespace tessera::riscv
