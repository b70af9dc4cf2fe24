#include "stimuli/readers/content_hash.hpp"

#include <array>
#include <fstream>
#include <vector>

#include "base/error.hpp"

namespace tessera {

std::uint64_t content_hash(const std::string& path) {
  constexpr std::uint64_t offset_basis = 0xcbf29ce484222325;  // FNV-1a, 64 bits: Fowler, Noll, Vo
  constexpr std::uint64_t prime = 0x100000001b3;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw input_error(path, 0, "the file cannot be opened for reading");
  std::vector<char> chunk(std::size_t{1} << 16);
  std::uint64_t hash = offset_basis;
  while (file) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    for (std::streamsize i = 0; i < file.gcount(); ++i)
      hash = (hash ^ static_cast<unsigned char>(chunk[static_cast<std::size_t>(i)])) * prime;
  }
  if (file.bad()) throw input_error(path, 0, "the file cannot be read");
  return hash;
}

std::string content_hash_text(const std::string& path) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::uint64_t hash = content_hash(path);
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, hash >>= 4) *digit = digits[hash & 0xf];
  return text;
}

}  // namespace tessera
