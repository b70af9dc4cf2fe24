#pragma once
// P and Q over the members of a row: P is the exclusive or of the data, Q the sum of g^column times the data over GF(2^8) with the
// polynomial x^8 + x^4 + x^3 + x^2 + 1 and g = 2 (H. P. Anvin, "The mathematics of RAID-6", 2004: that of Linux md).
//
// It works on kept content (base/content.hpp), bytes or tags alike: either is bytes to it. A block that was never written is zero.
#include <cstdint>
#include <vector>

#include "base/content.hpp"

namespace tessera {

using Content = std::vector<std::byte>;

/// By member: data columns first, then P and Q as far as the array has them. All are of one size.
using RowContent = std::vector<Content>;

void add_to(ContentSpan sum, ConstContentSpan addend);
/// sum += g^column * addend.
void add_scaled(ContentSpan sum, ConstContentSpan addend, std::uint32_t column);

/// Fills in parity member `columns` + k from the data.
void encode(RowContent& row, std::uint32_t columns, std::uint32_t parity);

/// Fills in the data columns that are missing, at most as many as there are parity members that are not; parity stays as it is.
void recover(RowContent& row, std::uint32_t columns, const std::vector<bool>& missing);

}  // namespace tessera
