#pragma once
// SHA-256 (FIPS 180-4): what a file is, whatever its name. Two files with one digest are one file, also where somebody wants them not to
// be.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tessera {

class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  /// Of all that was added, as 64 hexadecimal digits in lower case. More may follow.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  static constexpr std::size_t block_bytes = 64;
  using State = std::array<std::uint32_t, 8>;

 private:
  State state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};  // FIPS 180-4, 5.3.3
  std::array<std::byte, block_bytes> rest_{};  ///< of the last block, as far as it was added
  std::uint64_t bytes_ = 0;
};

/// The compression function over whole blocks: in plain C++, and through the instructions that this processor may have.
namespace sha256 {
void compress_plainly(Sha256::State& state, std::span<const std::byte> blocks);
/// Nothing where the processor has no such instructions.
using Compress = void (*)(Sha256::State& state, std::span<const std::byte> blocks);
[[nodiscard]] Compress by_instructions();
extern const std::array<std::uint32_t, 64> constants;
}  // namespace sha256

}  // namespace tessera
