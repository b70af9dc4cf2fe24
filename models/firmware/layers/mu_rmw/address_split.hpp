#pragma once
// Section III-B of the paper: how a logical sector number falls apart.
#include <cstdint>

#include "base/address.hpp"

namespace tessera::mu_rmw {

/// A logical sector as the concentrated address mapping sees it.
struct SplitAddress {
  std::uint32_t lbn = 0;  ///< logical band number
  std::uint32_t idx = 0;  ///< PPN_INDEX: which sub-table of the band
  std::uint32_t off = 0;  ///< SMT_OFF: which slot of the sub-table
};

/// P sectors a band, Q slots a sub-table, N = P / Q sub-tables a band (rounded up where Q does not divide P).
class AddressSplit {
 public:
  constexpr AddressSplit(std::uint32_t band_sectors, std::uint32_t slots)
      : p_(band_sectors), q_(slots), n_((band_sectors + slots - 1) / slots) {}

  [[nodiscard]] constexpr std::uint32_t p() const { return p_; }
  [[nodiscard]] constexpr std::uint32_t q() const { return q_; }
  [[nodiscard]] constexpr std::uint32_t n() const { return n_; }

  [[nodiscard]] constexpr SplitAddress operator()(LogicalSector lsn) const {
    const auto lbn = static_cast<std::uint32_t>(lsn.value() / p_);
    const auto bo = static_cast<std::uint32_t>(lsn.value() - std::uint64_t{lbn} * p_);
    const std::uint32_t idx = bo / q_;
    return {lbn, idx, bo - idx * q_};
  }

  /// First sector of a band.
  [[nodiscard]] constexpr LogicalSector band_start(std::uint32_t lbn) const { return LogicalSector(std::uint64_t{lbn} * p_); }
  /// The sector of a slot; the inverse of the split.
  [[nodiscard]] constexpr LogicalSector sector(const SplitAddress& at) const {
    return band_start(at.lbn) + std::uint64_t{at.idx} * q_ + at.off;
  }
  /// A mapping group is what one sub-table maps: groups are numbered over all bands.
  [[nodiscard]] constexpr std::uint64_t group(const SplitAddress& at) const { return std::uint64_t{at.lbn} * n_ + at.idx; }
  /// Sectors of sub-table `idx`; the last one of a band may be short.
  [[nodiscard]] constexpr std::uint32_t sectors_of(std::uint32_t idx) const { return idx + 1 < n_ ? q_ : p_ - idx * q_; }

 private:
  std::uint32_t p_, q_, n_;
};

}  // namespace tessera::mu_rmw
