#include "bus/transactions_module.hpp"

#include <cstring>

namespace tessera {

namespace {

/// Calls move(kept, bytes, count) for each host block: what is kept of it are its first bytes.
template <class Move>
void each_block(DataBuffer& buffer, tlm::tlm_generic_payload& payload, Move move) {
  const std::size_t kept = kept_per_block(buffer.shape().mode);
  const ContentSpan content = buffer.content(0, buffer.sectors());
  auto* bytes = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  for (std::size_t block = 0; block * host_block_bytes < payload.get_data_length(); ++block)
    move(content.data() + block * kept, bytes + block * host_block_bytes, kept);
}

}  // namespace

DataSpan PlainDataExtension::take(tlm::tlm_generic_payload& payload, SectorShape shape) {
  auto* own = payload.get_extension<PlainDataExtension>();
  if (own != nullptr) own->taken = false;
  if (payload.get_data_ptr() == nullptr) return {};
  own = &attach<PlainDataExtension>(payload);
  own->taken = true;
  own->buffer.reset(DramAddress(0), payload.get_data_length() / shape.sector_bytes, shape);
  if (payload.is_write())
    each_block(own->buffer, payload, [](std::byte* kept, const std::byte* bytes, std::size_t count) { std::memcpy(kept, bytes, count); });
  return own->buffer.all();
}

void PlainDataExtension::give_back(tlm::tlm_generic_payload& payload) {
  auto* own = payload.get_extension<PlainDataExtension>();
  if (own == nullptr || !own->taken || !payload.is_read()) return;
  std::memset(payload.get_data_ptr(), 0, payload.get_data_length());
  each_block(own->buffer, payload, [](const std::byte* kept, std::byte* bytes, std::size_t count) { std::memcpy(bytes, kept, count); });
}

}  // namespace tessera
