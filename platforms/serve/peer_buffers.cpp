#include "platforms/serve/peer_buffers.hpp"

namespace tessera {

namespace {

/// A buffer that was large once and is not needed is given back.
constexpr std::size_t kept_capacity = 1U << 20U;

}  // namespace

void PeerBuffers::came_in(std::span<const std::byte> bytes) {
  if (taken_ > in_.size() / 2) {
    in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  in_.insert(in_.end(), bytes.begin(), bytes.end());
}

void PeerBuffers::take(std::size_t bytes) {
  taken_ += bytes;
  if (taken_ < in_.size()) return;
  taken_ = 0;
  in_.clear();
  if (in_.capacity() > kept_capacity) in_.shrink_to_fit();
}

void PeerBuffers::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ <= out_.size() / 2) return;
  out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent_));
  sent_ = 0;
  if (out_.empty() && out_.capacity() > kept_capacity) out_.shrink_to_fit();
}

}  // namespace tessera
