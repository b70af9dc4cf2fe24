#pragma once
// Rows of bytes in erased flash, such as the out-of-band bytes of a block's pages: each is written once until all are erased. Of a row only
// the words (32 bits) that are not erased take room.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tessera {

class ErasedRows {
 public:
  static constexpr std::size_t longest = 4096;  ///< bytes of a row

  /// Whether no row was written since the last erase().
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// The room stays, for reuse.
  void erase();
  /// `row` of `rows`. The row that was written last may be written again at no cost of room.
  void write(std::uint32_t row, std::uint32_t rows, std::span<const std::byte> bytes);
  /// Fills `bytes`, with 0xff where nothing was written.
  void read(std::uint32_t row, std::span<std::byte> bytes) const;
  /// That the rows take.
  [[nodiscard]] std::size_t words() const { return size_; }

 private:
  void move_to(std::size_t room);

  // By row: where it is in words_ and, in the lowest bits, how many words of masks precede those that are not erased.
  std::vector<std::uint32_t> places_;
  std::unique_ptr<std::uint32_t[]> words_;
  std::size_t size_ = 0;    // of them, used
  std::size_t room_ = 0;    // of them, all
  std::uint32_t last_ = 0;  // row that was written last
};

}  // namespace tessera
