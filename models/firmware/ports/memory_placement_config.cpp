#include "firmware/ports/memory_placement.hpp"

namespace tessera {

void MemoryPlacement::describe(ParameterVisitor& visitor) {
  const auto place = [&](MemoryCategory category, const char* what) {
    visitor.enumeration(to_string(category), places[static_cast<std::size_t>(category)], {"dram", "tcm"}, what);
  };
  place(MemoryCategory::metadata, "the firmware's tables");
  place(MemoryCategory::merge_buffer, "buffers and tables of merges, read-modify-writes and moves");
  place(MemoryCategory::write_cache, "slots of the write cache, or of the layer's write buffer");
  place(MemoryCategory::read_cache, "segments of the read cache");
  place(MemoryCategory::host_buffer, "the host's data on its way (host.buffer) and the staging buffer (controller.staging_buffer)");
  place(MemoryCategory::descriptors, "rings of commands and completions, which devices reach over the bus");
  place(
      MemoryCategory::code,
      "the firmware's code (controller.code.*); in the DRAM it is fetched only with a controller.code_cache. Of a firmware image (--elf), "
      "whose code lies where it is linked: its heap");
}

}  // namespace tessera
