#pragma once
// Addresses. Each space has its own type, so that a host block, a logical sector, a place on the platter,
// a flash page and a DRAM byte cannot be mistaken for one another.
#include <compare>
#include <cstdint>

namespace tessera {

/// A position in a linear space: moves by plain counts, differs from its own kind by a plain count.
template <class Tag>
class Ordinal {
 public:
  using Rep = std::uint64_t;
  constexpr Ordinal() = default;
  constexpr explicit Ordinal(Rep value) : value_(value) {}

  [[nodiscard]] constexpr Rep value() const { return value_; }
  constexpr auto operator<=>(const Ordinal&) const = default;
  constexpr Ordinal& operator++() {
    ++value_;
    return *this;
  }
  constexpr Ordinal& operator+=(Rep n) {
    value_ += n;
    return *this;
  }
  friend constexpr Ordinal operator+(Ordinal a, Rep n) { return a += n; }
  friend constexpr Ordinal operator-(Ordinal a, Rep n) { return Ordinal(a.value_ - n); }
  friend constexpr Rep operator-(Ordinal a, Ordinal b) { return a.value_ - b.value_; }

 private:
  Rep value_ = 0;
};

using HostBlock = Ordinal<struct HostBlockTag>;          ///< 512 B block on the host's side (LBA)
using LogicalSector = Ordinal<struct LogicalSectorTag>;  ///< drive sector (4 KiB, or 512 B on old drives) before translation
using NandPage = Ordinal<struct NandPageTag>;            ///< flash page over all dies (firmware/ports/flash_port.hpp)
using NandBlock = Ordinal<struct NandBlockTag>;          ///< flash erase block over all dies
using DramAddress = Ordinal<struct DramAddressTag>;      ///< byte in the controller's DRAM

inline constexpr std::uint64_t host_block_bytes = 512;

/// A track: which recording surface, and how far in (0 = outermost).
struct PhysicalTrack {
  std::uint32_t surface = 0;
  std::uint32_t radius = 0;
  constexpr auto operator<=>(const PhysicalTrack&) const = default;
};

/// A sector on a track; index 0 is the first one after the track's own (skewed) start.
struct PhysicalSector {
  PhysicalTrack track;
  std::uint32_t index = 0;
  constexpr auto operator<=>(const PhysicalSector&) const = default;
};

/// `count` sectors of one track from `first` on, below the track's sectors; wraps at the track's end where it reaches beyond.
struct PhysicalRun {
  PhysicalTrack track;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  constexpr bool operator==(const PhysicalRun&) const = default;
};

/// Whether two runs of one track, of `sectors`, have a sector in common.
[[nodiscard]] constexpr bool share_sectors(const PhysicalRun& a, const PhysicalRun& b, std::uint32_t sectors) {
  const auto from = [sectors](std::uint32_t first, std::uint32_t to) { return to >= first ? to - first : to + sectors - first; };
  return from(a.first, b.first) < a.count || from(b.first, a.first) < b.count;
}

/// `count` logical sectors from `first` on.
struct LogicalRun {
  LogicalSector first;
  std::uint32_t count = 0;
  constexpr bool operator==(const LogicalRun&) const = default;
  [[nodiscard]] constexpr LogicalSector end() const { return first + count; }
};

/// `count` host blocks (512 B) from `first` on.
struct HostRun {
  HostBlock first;
  std::uint32_t count = 0;
  constexpr bool operator==(const HostRun&) const = default;
  [[nodiscard]] constexpr HostBlock end() const { return first + count; }
};

}  // namespace tessera
