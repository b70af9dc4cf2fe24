#pragma once
// The data buffers that somebody may name by their address in the drive's DRAM.
#include <cstdint>
#include <map>
#include <optional>

#include "base/data_buffer.hpp"

namespace tessera {

class BufferDirectory {
 public:
  /// The buffer may be named until as many let_go().
  void hold(DataBuffer& buffer) {
    const auto [at, is_new] = by_address_.try_emplace(buffer.address().value(), Held{&buffer, 0});
    TESSERA_CHECK(at->second.buffer == &buffer, "two buffers at one address of the DRAM");
    ++at->second.holders;
  }
  void let_go(const DataBuffer& buffer) {
    const auto at = by_address_.find(buffer.address().value());
    TESSERA_CHECK(at != by_address_.end(), "a buffer that nobody holds is let go");
    if (--at->second.holders == 0) by_address_.erase(at);
  }

  /// `sectors` from `address` on; nothing where no buffer holds them all, or the address is not that of a sector.
  [[nodiscard]] std::optional<DataSpan> find(DramAddress address, std::uint64_t sectors) const {
    auto at = by_address_.upper_bound(address.value());
    if (at == by_address_.begin()) return std::nullopt;
    DataBuffer& buffer = *(--at)->second.buffer;
    const std::uint64_t offset = address.value() - at->first;
    const std::uint64_t bytes = buffer.shape().sector_bytes;
    const std::uint64_t first = offset / bytes;
    if (offset % bytes != 0 || first >= buffer.sectors() || sectors > buffer.sectors() - first) return std::nullopt;
    return DataSpan{&buffer, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(sectors)};
  }

 private:
  struct Held {
    DataBuffer* buffer;
    unsigned holders;
  };
  std::map<std::uint64_t, Held> by_address_;
};

}  // namespace tessera
