#include "platforms/plugin/plugin_buffers.hpp"

#include <string>

#include "platforms/plugin/firmware_fault.hpp"

namespace tessera {

void PluginBuffers::hold(DataBuffer& buffer) {
  const auto [at, is_new] = by_address_.try_emplace(buffer.address().value(), Held{&buffer, 0});
  TESSERA_CHECK(at->second.buffer == &buffer, "two buffers at one address of the DRAM");
  ++at->second.holders;
}

void PluginBuffers::let_go(const DataBuffer& buffer) {
  const auto at = by_address_.find(buffer.address().value());
  TESSERA_CHECK(at != by_address_.end(), "a buffer that nobody holds is let go");
  if (--at->second.holders == 0) by_address_.erase(at);
}

DataSpan PluginBuffers::find(const tessera_data& data) const {
  if (data.sectors == 0) return {};
  auto at = by_address_.upper_bound(data.address);
  if (at != by_address_.begin()) {
    DataBuffer& buffer = *(--at)->second.buffer;
    const std::uint64_t offset = data.address - at->first;
    const std::uint64_t bytes = buffer.shape().sector_bytes;
    const std::uint64_t first = offset / bytes;
    if (offset % bytes == 0 && first < buffer.sectors() && data.sectors <= buffer.sectors() - first)
      return {&buffer, static_cast<std::uint32_t>(first), data.sectors};
  }
  throw FirmwareFault("names " + std::to_string(data.sectors) + " sectors of data at address " + std::to_string(data.address) +
                      ", which no buffer of its own or of a command under way holds");
}

tessera_data PluginBuffers::name(const DataSpan& span) {
  if (span.buffer == nullptr) return {0, 0};
  return {span.buffer->address().value() + std::uint64_t{span.first} * span.buffer->shape().sector_bytes, span.count};
}

}  // namespace tessera
