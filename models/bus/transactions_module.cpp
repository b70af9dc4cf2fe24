#include "bus/transactions_module.hpp"

#include <array>
#include <cstring>

#include "base/byte_enables.hpp"

namespace tessera {

namespace {

/// Calls move(kept, count, first) for each host block: what is kept of it are its first bytes, the first of which is the payload's `first`.
template <class Move>
void each_block(DataBuffer& buffer, const tlm::tlm_generic_payload& payload, Move move) {
  const std::size_t kept = kept_per_block(buffer.shape().mode);
  const ContentSpan content = buffer.content(0, buffer.sectors());
  for (std::size_t block = 0; block * host_block_bytes < payload.get_data_length(); ++block)
    move(content.data() + block * kept, kept, block * host_block_bytes);
}

}  // namespace

DataSpan PlainDataExtension::take(tlm::tlm_generic_payload& payload, SectorShape shape) {
  auto* own = payload.get_extension<PlainDataExtension>();
  if (own != nullptr) own->taken = false;
  if (payload.get_data_ptr() == nullptr) return {};
  own = &attach<PlainDataExtension>(payload);
  own->taken = true;
  own->buffer.reset(DramAddress(0), payload.get_data_length() / shape.sector_bytes, shape);
  if (payload.is_write()) {
    if (!enables_of(payload).all(0, payload.get_data_length()))
      each_block(own->buffer, payload, [](std::byte* kept, std::size_t count, std::size_t) { std::memset(kept, 0xff, count); });
    merge(payload);
  }
  return own->buffer.all();
}

void PlainDataExtension::merge(tlm::tlm_generic_payload& payload) {
  each_block(payload.get_extension<PlainDataExtension>()->buffer, payload, [&](std::byte* kept, std::size_t count, std::size_t first) {
    enables_of(payload).copy(kept, payload.get_data_ptr() + first, count, first);
  });
}

void PlainDataExtension::give_back(tlm::tlm_generic_payload& payload) {
  auto* own = payload.get_extension<PlainDataExtension>();
  if (own == nullptr || !own->taken || !payload.is_read()) return;
  each_block(own->buffer, payload, [&](const std::byte* kept, std::size_t count, std::size_t first) {
    std::array<std::byte, host_block_bytes> block{};
    std::memcpy(block.data(), kept, count);
    enables_of(payload).copy(payload.get_data_ptr() + first, block.data(), block.size(), first);
  });
}

}  // namespace tessera
