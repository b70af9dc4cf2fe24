#pragma once
// First phase of the classification (section 5.1.1): small writes are likely to be updated soon.
#include <algorithm>
#include <cstdint>

#include "firmware/ports/cpu_port.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::amphisbaena {

class HotWrite {
 public:
  /// `as_printed`: equation (1) divides by WINDOW_LENGTH although fewer writes have been seen, so that nothing is hot at first.
  HotWrite(MemoryPort& memory, CpuPort& cpu, std::uint32_t window, bool as_printed)
      : cpu_(cpu), as_printed_(as_printed), sizes_(memory, MemoryCategory::metadata, window, "sizes of the last writes") {}

  /// Adds a write of `sectors` to the window. Whether it is hot: not larger than the mean, itself included.
  bool add(std::uint32_t sectors) {
    cpu_.array();
    std::uint32_t& oldest = sizes_.write(seen_ % sizes_.size());
    sum_ += sectors;
    sum_ -= oldest;
    oldest = sectors;
    ++seen_;
    return sectors * divisor() <= sum_;
  }
  /// Hot_Write_threshold of equation (1), as a fraction.
  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  [[nodiscard]] std::uint64_t divisor() const { return as_printed_ ? sizes_.size() : std::min(seen_, sizes_.size()); }

  [[nodiscard]] Bytes bytes() const { return Bytes(sizes_.size() * sizeof(std::uint32_t)); }

 private:
  CpuPort& cpu_;
  bool as_printed_;
  DramArray<std::uint32_t> sizes_;  // ring
  std::uint64_t sum_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace tessera::amphisbaena
