#pragma once
// Extents of a linear space whose lives overlap, such as buffers in a memory: no two that are held at once share a unit.
//
// Next fit: an extent lies behind the one that was taken last, or as close behind it as there is room, around the end of the space. Extents
// that end in the order in which they began move through the space as in a ring; others leave gaps, of which each serves what fits it. One
// bit a unit says whether it is held.
#include <cstdint>
#include <optional>
#include <vector>

namespace tessera {

class ExtentAllocator {
 public:
  explicit ExtentAllocator(std::uint64_t units) : units_(units), words_(units / 64 + 1) {}

  /// Where an extent of `length` units, above 0, begins; nothing where no gap has room for it.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t length);
  /// These units, of an extent, are held no more.
  void give_back(std::uint64_t begin, std::uint64_t length);
  void clear();

  [[nodiscard]] std::uint64_t held() const { return held_; }
  [[nodiscard]] std::uint64_t units() const { return units_; }

 private:
  [[nodiscard]] std::optional<std::uint64_t> last_held(std::uint64_t begin, std::uint64_t end) const;

  std::uint64_t units_;
  std::vector<std::uint64_t> words_;  // a bit a unit
  std::uint64_t held_ = 0;
  std::uint64_t next_ = 0;  // where the last one taken ends
};

}  // namespace tessera
