#include "stimuli/readers/record_buffer.hpp"

#include <cstring>

namespace tessera {

bool RecordBuffer::refill(std::size_t bytes) {
  if (!ended_) {
    std::memmove(buffer_.data(), data(), left());
    passed_ += at_;
    filled_ -= at_;
    at_ = 0;
    const std::size_t wanted = buffer_.size() - filled_;
    const std::size_t got = bytes_->read({buffer_.data() + filled_, wanted});
    filled_ += got;
    ended_ = got < wanted;
  }
  return left() >= bytes;
}

}  // namespace tessera
