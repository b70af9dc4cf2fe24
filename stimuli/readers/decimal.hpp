#pragma once
// Numbers of trace files, read exactly: no floating point, no silent wrap-around.
#include <cstdint>
#include <string_view>

namespace tessera {

/// Time as a file tells it, from an origin of the file's own (the year 1601 in MSR traces): too far for 64 bits of picoseconds.
using TraceTime = unsigned __int128;

enum class NumberFault : std::uint8_t { none, malformed, negative, overflow };

/// Unsigned decimal integer; leaves `value` alone on a fault.
[[nodiscard]] NumberFault parse_unsigned(std::string_view text, std::uint64_t& value);

/// Unsigned hexadecimal integer, with or without 0x.
[[nodiscard]] NumberFault parse_hexadecimal(std::string_view text, std::uint64_t& value);

/// Decimal number with an optional fraction ("22.810"), times `ps_per_unit`; what is below a picosecond is cut off.
[[nodiscard]] NumberFault parse_time(std::string_view text, std::uint64_t ps_per_unit, TraceTime& value);

/// Picoseconds of "s", "ms", "us", "ns", "ps" or "100ns"; 0 for any other name.
[[nodiscard]] std::uint64_t ps_per_unit(std::string_view unit);
inline constexpr const char* time_unit_names = "s, ms, us, 100ns, ns or ps";

}  // namespace tessera
