#include "stimuli/readers/content_hash.hpp"

#include <fstream>
#include <vector>

#include "base/error.hpp"

namespace tessera {

void ContentHash::add(std::span<const char> bytes) {
  constexpr std::uint64_t prime = 0x100000001b3;  // of FNV-1a, 64 bits
  for (const char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * prime;
}

std::string ContentHash::text() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::uint64_t rest = value_;
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, rest >>= 4) *digit = digits[rest & 0xf];
  return text;
}

ContentHash content_hash(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw input_error(path, 0, "the file cannot be opened for reading");
  std::vector<char> chunk(std::size_t{1} << 16);
  ContentHash hash;
  while (file) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    hash.add({chunk.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (file.bad()) throw input_error(path, 0, "the file cannot be read");
  hash.end();
  return hash;
}

}  // namespace tessera
