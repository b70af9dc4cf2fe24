#pragma once
// The header of a NumPy file of records (format 1.0, a structured array), written as a stream: the number of records is put in at the end.
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// `fields`: "('name', '<u8'), ..." as NumPy's `descr` lists them. The length does not depend on the number of records.
[[nodiscard]] std::string npy_header(std::string_view fields, std::uint64_t records);

}  // namespace tessera
