#pragma once
// How many bits of a page read wrong. The rate of raw bit errors is a sum of four terms, of which three grow with the erases that the
// block has seen: after Liu, Yang and Wu ("Optimizing NAND flash-based SSDs via retention relaxation", FAST 2012; errors at once and
// errors that retention adds) and Cai et al. ("Read disturb errors in MLC NAND flash memory", DSN 2015; errors in proportion to the
// reads of a block). Each step of read retry leaves a share of them. Integers throughout: one seed gives one result everywhere.
#include <cstdint>

#include "base/random.hpp"
#include "base/units.hpp"
#include "nand/nand_config.hpp"

namespace tessera {

/// What a block went through.
struct PageAge {
  std::uint64_t erases = 0;
  std::uint64_t reads = 0;  ///< of the block since it was erased
  Picoseconds retention;    ///< since its first page was programmed
  /// Wrong bits that a subpage brought along when copybacks moved it here, mean, in units of 2^-32: they are in the cells, and no level of
  /// read retry leaves them out.
  std::uint64_t moved = 0;
};

class BitErrors {
 public:
  explicit BitErrors(const NandConfig& config) : config_(config) {}

  [[nodiscard]] bool any() const { return config_.ecc_bits != 0; }
  /// Codewords of a subpage.
  [[nodiscard]] std::uint64_t codewords() const;
  /// Mean number of wrong bits in the codewords of one subpage, in units of 2^-32, at a level of read retry.
  [[nodiscard]] std::uint64_t mean(const PageAge& age, std::uint32_t retry) const;
  /// Whether error correction fails in one codeword at least.
  [[nodiscard]] bool uncorrectable(const PageAge& age, std::uint32_t retry, RandomStream& random) const;

 private:
  const NandConfig& config_;
};

/// A number drawn from the Poisson distribution of this mean (in units of 2^-32).
[[nodiscard]] std::uint64_t poisson(std::uint64_t mean, RandomStream& random);

}  // namespace tessera
