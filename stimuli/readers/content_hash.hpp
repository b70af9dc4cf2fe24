#pragma once
// What a file is, whatever its name: kept with every result, so that it can be traced to its input.
#include <cstdint>
#include <span>
#include <string>

#include "base/sha256.hpp"

namespace tessera {

/// SHA-256 over the raw (compressed) bytes of a file, taken as the file is read: a pipe can be read only once.
class ContentHash {
 public:
  void add(std::span<const char> bytes) { hash_.add(std::as_bytes(bytes)); }
  /// The file ended: the hash is that of the whole of it.
  void end() { complete_ = true; }
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::uint64_t bytes() const { return hash_.bytes(); }
  /// As 64 hexadecimal digits.
  [[nodiscard]] std::string text() const { return hash_.text(); }

 private:
  Sha256 hash_;
  bool complete_ = false;
};

/// Of a whole file; InputError if it cannot be read.
[[nodiscard]] ContentHash content_hash(const std::string& path);

}  // namespace tessera
