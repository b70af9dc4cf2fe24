#pragma once
// The bytes of a file, decompressed on the way where its first bytes say that it is compressed.
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tessera {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `out` as far as the file goes: fewer bytes than asked for mean that the file ended. Damaged data and a compressed
  /// stream that breaks off are an InputError.
  virtual std::size_t read(std::span<char> out) = 0;
};

/// Plain, gzip, xz and zstd (several streams one after another as well), told apart by their magic numbers, not by name.
[[nodiscard]] std::unique_ptr<ByteStream> open_byte_stream(const std::string& path);

}  // namespace tessera
