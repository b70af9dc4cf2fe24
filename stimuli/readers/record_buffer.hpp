#pragma once
// A window over a stream of binary records of any length up to its capacity.
#include <cstdint>
#include <memory>
#include <vector>

#include "stimuli/readers/byte_stream.hpp"

namespace tessera {

class RecordBuffer {
 public:
  RecordBuffer(std::unique_ptr<ByteStream> bytes, std::size_t capacity) : bytes_(std::move(bytes)), buffer_(capacity) {}
  /// Whether `bytes` more are there; reads on where they are not in the window.
  bool holds(std::size_t bytes) {
    if (left() >= bytes) [[likely]]
      return true;
    return refill(bytes);
  }
  [[nodiscard]] const char* data() const { return buffer_.data() + at_; }
  [[nodiscard]] std::size_t left() const { return filled_ - at_; }        ///< bytes in the window
  [[nodiscard]] std::uint64_t position() const { return passed_ + at_; }  ///< of data(), from the stream's beginning
  void skip(std::size_t bytes) { at_ += bytes; }

 private:
  bool refill(std::size_t bytes);

  std::unique_ptr<ByteStream> bytes_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t passed_ = 0;  ///< bytes of the stream before the window
  bool ended_ = false;
};

}  // namespace tessera
