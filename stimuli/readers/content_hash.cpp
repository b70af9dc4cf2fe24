#include "stimuli/readers/content_hash.hpp"

#include <fstream>
#include <vector>

#include "base/error.hpp"

namespace tessera {

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
