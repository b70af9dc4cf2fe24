#pragma once
// Compressed content as a stream of what was compressed. Each takes several streams one after another, and refuses one that breaks off.
#include <memory>
#include <string>

#include "base/error.hpp"
#include "stimuli/readers/byte_stream.hpp"

namespace tessera {

/// `path` is the file's name in messages.
[[nodiscard]] std::unique_ptr<ByteStream> bzip2_content(const std::string& path, std::unique_ptr<ByteStream> file);
[[nodiscard]] std::unique_ptr<ByteStream> lz4_content(const std::string& path, std::unique_ptr<ByteStream> file);

/// "the gzip stream is damaged or cut off after N bytes of content (WHY)"
[[nodiscard]] inline InputError damaged_stream(const std::string& path, const char* kind, std::uint64_t produced, const std::string& why) {
  return input_error(
      path, 0,
      std::string("the ") + kind + " stream is damaged or cut off after " + std::to_string(produced) + " bytes of content (" + why + ")");
}

}  // namespace tessera
