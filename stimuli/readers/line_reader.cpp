#include "stimuli/readers/line_reader.hpp"

#include <cstring>

#include "base/error.hpp"

namespace tessera {

LineReader::LineReader(const std::string& path) : LineReader(path, open_byte_stream(path)) {}

LineReader::LineReader(std::string path, std::unique_ptr<ByteStream> bytes)
    : path_(std::move(path)), bytes_(std::move(bytes)), buffer_(4 * max_line) {}

void LineReader::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t wanted = buffer_.size() - end_;
  const std::size_t got = bytes_->read({buffer_.data() + end_, wanted});
  end_ += got;
  ended_ = got < wanted;
}

bool LineReader::next(std::string_view& line) {
  const char* start = buffer_.data() + begin_;
  const auto* stop = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
  if (stop == nullptr && !ended_) {
    refill();
    start = buffer_.data();
    stop = static_cast<const char*>(std::memchr(start, '\n', end_));
  }
  if (stop == nullptr && begin_ == end_) return false;
  ++number_;
  std::size_t length = stop != nullptr ? static_cast<std::size_t>(stop - start) : end_ - begin_;
  if (length > max_line)
    throw input_error(path_, number_, "the line is longer than " + std::to_string(max_line) + " bytes: not a text trace");
  unfinished_ = stop == nullptr;
  begin_ += length + (unfinished_ ? 0 : 1);
  if (length > 0 && start[length - 1] == '\r') --length;
  line = {start, length};
  if (number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);  // the byte-order mark of UTF-8
  return true;
}

}  // namespace tessera
