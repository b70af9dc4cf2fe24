#pragma once
// Which host blocks held data before the simulation began.
#include <cstdint>

#include "base/address.hpp"
#include "base/content.hpp"

namespace tessera {

/// The first `blocks` of the drive are prefilled. Known by their marks are, of the aligned stretches of 1 MiB, the first, each
/// `every`-th after it, and the last.
struct PrefilledBlocks {
  static constexpr std::uint32_t stretch = 2048;  ///< blocks of 512 B
  std::uint64_t blocks = 0;
  std::uint64_t every = 1;

  [[nodiscard]] bool known(HostBlock block) const {
    const std::uint64_t number = block.value() / stretch;
    return block.value() < blocks && (number % every == 0 || number == (blocks - 1) / stretch);
  }
  /// What the block holds while nobody has written it: its mark, or `never_written` where that is not known.
  [[nodiscard]] Tag untouched(HostBlock block) const { return known(block) ? prefill_mark | block.value() : never_written; }
};

}  // namespace tessera
