#pragma once
// A name for what is in a file, kept in the run folder so that a result can be traced to its input.
#include <cstdint>
#include <span>
#include <string>

namespace tessera {

/// FNV-1a over the raw (compressed) bytes of a file, 64 bits, taken as the file is read: a pipe can be read only once.
class ContentHash {
 public:
  void add(std::span<const char> bytes);
  /// The file ended: the hash is that of the whole of it.
  void end() { complete_ = true; }
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::uint64_t value() const { return value_; }
  /// As 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;  // the offset basis of FNV-1a, 64 bits: Fowler, Noll, Vo
  bool complete_ = false;
};

/// Of a whole file; InputError if it cannot be read.
[[nodiscard]] ContentHash content_hash(const std::string& path);

}  // namespace tessera
