#pragma once
// A flash page that cannot be read any more, from its first read on.
#include "nand/nand_config.hpp"

namespace tessera::test {

/// More reads than any test makes of a page.
inline void lose_page(NandConfig& nand, std::uint64_t page) {
  for (int nth = 1; nth <= 40; ++nth) nand.read_failures.push_back({static_cast<double>(page), static_cast<double>(nth)});
}

}  // namespace tessera::test
