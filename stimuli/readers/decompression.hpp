#pragma once
// Compressed content as a stream of what was compressed. Each takes several streams one after another, and refuses one that breaks off.
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "stimuli/readers/byte_stream.hpp"

namespace tessera {

/// The compressed file, and how far it was read.
class PackedFile {
 public:
  /// `path` is the file's name in messages.
  PackedFile(std::string path, std::unique_ptr<ByteStream> bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {}

  std::size_t read(std::span<char> out) {
    const std::size_t got = bytes_->read(out);
    read_ += got;
    ended_ = got < out.size();
    return got;
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// "the gzip stream is damaged or cut off after N bytes of content, at byte M, the file's end (WHY)": decoders read ahead, so of damage
  /// within the file the place is a bound.
  [[nodiscard]] InputError damaged(const char* kind, std::uint64_t produced, const std::string& why) const {
    return input_error(path_, 0,
                       std::string("the ") + kind + " stream is damaged or cut off after " + std::to_string(produced) +
                           " bytes of content, " + (ended_ ? "at or before byte " : "before byte ") + std::to_string(read_) +
                           (ended_ ? ", the file's end (" : " of the file (") + why + ")");
  }

 private:
  std::string path_;
  std::unique_ptr<ByteStream> bytes_;
  std::uint64_t read_ = 0;
  bool ended_ = false;
};

[[nodiscard]] std::unique_ptr<ByteStream> bzip2_content(PackedFile file);
[[nodiscard]] std::unique_ptr<ByteStream> lz4_content(PackedFile file);

}  // namespace tessera
