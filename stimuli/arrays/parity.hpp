#pragma once
// Parity over the members of a row, in GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 and g = 2. One or two parity members are P,
// the exclusive or of the data, and Q, the sum of g^column times the data (H. P. Anvin, "The mathematics of RAID-6", 2004: that of Linux
// md). Of three and more the first is P and the others have factors of a Cauchy matrix, of which every square part can be inverted (J.
// Bloemer et al., "An XOR-based erasure-resilient coding scheme", ICSI TR-95-048, 1995): data and parity members are 256 at most.
//
// It works on kept content (base/content.hpp), bytes or tags alike: either is bytes to it. A block that was never written is zero.
#include <cstdint>
#include <vector>

#include "base/content.hpp"

namespace tessera {

using Content = std::vector<std::byte>;

/// By member: data columns first, then parity. All are of one size.
using RowContent = std::vector<Content>;

void add_to(ContentSpan sum, ConstContentSpan addend);
/// What a data column counts in a parity member, of so many.
[[nodiscard]] std::uint8_t parity_factor(std::uint32_t parities, std::uint32_t parity, std::uint32_t column);
/// sum += factor * addend.
void add_scaled(ContentSpan sum, ConstContentSpan addend, std::uint8_t factor);

/// Fills in parity member `columns` + k from the data.
void encode(RowContent& row, std::uint32_t columns, std::uint32_t parity);

/// Fills in the data columns that are missing, at most as many as there are parity members that are not; parity stays as it is.
void recover(RowContent& row, std::uint32_t columns, const std::vector<bool>& missing);

}  // namespace tessera
