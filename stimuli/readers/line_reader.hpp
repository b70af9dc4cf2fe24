#pragma once
// Lines of a text of any length through one buffer.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/readers/byte_stream.hpp"

namespace tessera {

class LineReader {
 public:
  explicit LineReader(const std::string& path);
  /// Of a file that is open already; `path` is its name in messages.
  LineReader(std::string path, std::unique_ptr<ByteStream> bytes);
  /// The next line without its end (LF or CRLF; the last line may have none), valid until the next call; false at the end of
  /// the file. A line longer than `max_line` bytes is an InputError.
  bool next(std::string_view& line);
  [[nodiscard]] std::uint64_t number() const { return number_; }  ///< of the last line, from 1
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Whether the last line was the file's last and had no end.
  [[nodiscard]] bool unfinished() const { return unfinished_; }

  static constexpr std::size_t max_line = std::size_t{1} << 16;

 private:
  void refill();

  std::string path_;
  std::unique_ptr<ByteStream> bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< first byte not yet handed out
  std::size_t end_ = 0;    ///< end of what was read
  bool ended_ = false;
  bool unfinished_ = false;
  std::uint64_t number_ = 0;
};

}  // namespace tessera
