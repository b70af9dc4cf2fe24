#pragma once
// A name for what is in a file, kept in the run folder so that a result can be traced to its input.
#include <cstdint>
#include <string>

namespace tessera {

/// FNV-1a over the raw (compressed) bytes of the file, 64 bits; InputError if it cannot be read.
[[nodiscard]] std::uint64_t content_hash(const std::string& path);

/// As 16 hexadecimal digits.
[[nodiscard]] std::string content_hash_text(const std::string& path);

}  // namespace tessera
