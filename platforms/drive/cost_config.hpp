#pragma once
// What a description says of prices: those of the parts that a layer needs, for a terabyte that the user gets.
#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

struct CostConfig {
  // What a large buyer paid for 16 TB drives: 0.014 $/GB (Backblaze, "The cost per gigabyte of hard drives over time", November 2022).
  // Their own DRAM is in that and counts again: 1.3 % for a GiB.
  double platters = 14;
  double dram = 3;     // assumption: of the order of contract prices of DDR4 in 2022 to 2024
  double flash = 0.1;  // assumption: of the order of those of TLC NAND

  void describe(ParameterVisitor& visitor) {
    visitor.field("platters", platters, {0, 1e9},
                  "price of what holds a TB that is recorded conventionally: platters, heads, mechanics, electronics");
    visitor.field("dram", dram, {0, 1e9}, "price of a GiB of DRAM; what the drive reserves counts");
    visitor.field("flash", flash, {0, 1e9}, "price of a GiB of flash; it counts where the layer or a flash cache uses it");
  }

  /// For a TB of the user's. `gain`: of capacity over the same platters recorded conventionally.
  [[nodiscard]] double per_user_tb(double user_bytes, double gain, Bytes reserved, Bytes used_flash) const {
    constexpr double gib = 1 << 30;
    const double memories = (dram * static_cast<double>(reserved.value()) + flash * static_cast<double>(used_flash.value())) / gib;
    return platters / gain + memories / (user_bytes * 1e-12);
  }
};

}  // namespace tessera
