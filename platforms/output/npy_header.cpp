#include "platforms/output/npy_header.hpp"

namespace tessera {

std::string npy_header(std::string_view fields, std::uint64_t records) {
  std::string text = "{'descr': [" + std::string(fields) + "], 'fortran_order': False, 'shape': (" + std::to_string(records) + ",), }";
  constexpr std::size_t preamble = 10;  // magic, version, length of the text
  constexpr std::size_t digits = 20;    // of the largest count: room to put it in later
  const std::size_t shortest = preamble + text.size() - std::to_string(records).size() + digits + 1;
  const std::size_t total = (shortest + 63) / 64 * 64;  // the format wants the data aligned to 64 bytes
  text.resize(total - preamble - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace tessera
