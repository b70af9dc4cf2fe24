#pragma once
// The consumer's own, in folders named as the library's.
inline constexpr int consumers_address_map = 1;
