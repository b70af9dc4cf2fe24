#include "firmware/flash/tag_checkpoint.hpp"

namespace tessera {

void TagCheckpointConfig::describe(ParameterVisitor& v, bool dumps) {
  v.field("checkpoint", region, {0, 1e12}, "conventional space for checkpoints of the pages' tags, which shorten recovery; 0: none");
  v.unused_where(region.value() == 0, "checkpoint is 0 B", [&] {
    v.field("checkpoint_every", every, {1, 1e12}, "pages programmed between two checkpoints");
    v.unused_where(!dumps, "bands are merged in place (paper, crash_safe)", [&] {
      v.field(
          "dump_tags", dump_tags,
          "the dump engine saves the tags that no checkpoint has yet, so that no older copy is taken for a page that becomes unreadable");
    });
  });
}

std::string TagCheckpointConfig::problem(const FlashShape& shape) const {
  constexpr std::uint32_t sector_bytes = 4096;
  const std::uint64_t needed = TableLog::least_sectors(shape.all_subpages() * sizeof(TagCheckpoint::Tag), sector_bytes) * sector_bytes;
  if (region.value() == 0 || region.value() >= needed) return {};
  return "checkpoint of " + std::to_string(region.value()) + " bytes cannot hold two checkpoints, each twice, of the tags of " +
         std::to_string(shape.all_subpages()) + " flash pages: they take " + std::to_string(needed) + " bytes (or 0, for none)";
}

}  // namespace tessera
