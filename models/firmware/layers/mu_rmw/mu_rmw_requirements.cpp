#include "firmware/layers/mu_rmw/mu_rmw_requirements.hpp"

#include "firmware/flash/oob.hpp"

namespace tessera::mu_rmw {

std::string check_flash(const MuRmwConfig& config, const FlashShape& shape) {
  const std::uint64_t image = std::uint64_t{config.slots} * config.slot_bytes + OobCodec::header_size;
  const std::uint64_t needed = config.paper ? image : image + config.ecc_bytes;
  if (config.slot_bytes == 3) return "slot_bytes must be 2 or 4";
  if (needed > shape.subpage_oob_bytes()) {
    return "a sub-table of " + std::to_string(config.slots) + " slots of " + std::to_string(config.slot_bytes) + " bytes takes " +
           std::to_string(needed) + " bytes of the out-of-band area with header" + (config.paper ? "" : " and error correction") + "; " +
           out_of_band_room(shape) + " (fewer slots, slot_bytes 2" +
           (config.paper ? ")" : ", or paper = true, which leaves error correction out)");
  }
  if (config.slot_bytes == 2 && shape.all_subpages() >= 0xffff)
    return "slots of 2 bytes name fewer than 65535 sectors in flash; there are " + std::to_string(shape.all_subpages());
  if (shape.all_subpages() >= OobCodec::no_page - 1)
    return "slots of 4 bytes cannot name " + std::to_string(shape.all_subpages()) + " sectors in flash";
  if (std::string unfit = config.checkpoint.problem(shape); !unfit.empty()) return unfit;
  if (config.erase_while_writing && !config.in_place())
    return "erase_while_writing needs merges in place: paper = true or crash_safe = false";
  if (shape.blocks < 2) return "mu-rmw needs at least two flash blocks";
  return {};
}

}  // namespace tessera::mu_rmw
