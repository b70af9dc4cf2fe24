#pragma once
// Bytes of one peer of a server: what came in and is not taken yet, and what is to be sent.
#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

class PeerBuffers {
 public:
  /// What is to be sent; sent() takes it off.
  [[nodiscard]] std::span<const std::byte> out() const { return std::span(out_).subspan(sent_); }
  void sent(std::size_t bytes);
  /// Bytes that are held for the peer, but those of requests with the drive.
  [[nodiscard]] std::size_t held() const { return in_.size() - taken_ + out().size(); }

 protected:
  PeerBuffers() = default;
  ~PeerBuffers() = default;
  PeerBuffers(PeerBuffers&&) = default;

  void came_in(std::span<const std::byte> bytes);
  [[nodiscard]] std::span<const std::byte> in() const { return std::span(in_).subspan(taken_); }
  void take(std::size_t bytes);
  /// What is appended is to be sent.
  [[nodiscard]] std::vector<std::byte>& to_send() { return out_; }

 private:
  std::vector<std::byte> in_, out_;
  std::size_t taken_ = 0;
  std::size_t sent_ = 0;
};

}  // namespace tessera
