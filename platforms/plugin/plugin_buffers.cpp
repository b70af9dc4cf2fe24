#include "platforms/plugin/plugin_buffers.hpp"

#include <string>

#include "base/firmware_fault.hpp"

namespace tessera {

DataSpan PluginBuffers::find(const tessera_data& data) const {
  if (data.sectors == 0) return {};
  if (const auto span = BufferDirectory::find(DramAddress(data.address), data.sectors)) return *span;
  throw FirmwareFault("names " + std::to_string(data.sectors) + " sectors of data at address " + std::to_string(data.address) +
                      ", which no buffer of its own or of a command under way holds");
}

tessera_data PluginBuffers::name(const DataSpan& span) {
  if (span.buffer == nullptr) return {0, 0};
  return {span.buffer->address().value() + std::uint64_t{span.first} * span.buffer->shape().sector_bytes, span.count};
}

}  // namespace tessera
