#include "firmware/cleaning_arms.hpp"

#include "firmware/translation_layer.hpp"

namespace tessera {

std::optional<std::uint32_t> CleaningArms::idle() const {
  if (where_ != CleaningArm::idle) return std::nullopt;
  std::uint32_t least = 0;
  bool alone = true;
  for (std::uint32_t arm = 1; arm < arms(); ++arm) {
    if (load_.of(arm) == load_.of(least)) alone = false;
    if (load_.of(arm) >= load_.of(least)) continue;
    least = arm;
    alone = true;
  }
  return alone && arms() > 1 ? std::optional(least) : std::nullopt;
}

/// Here and not in the list of layers, which an image of one layer does not have.
std::string LayerFactory::check_cleaning(CleaningArm, const DriveGeometry&) const {
  return "the layer " + name() + " does not choose the arm on which it cleans: leave it at any, or take media-cache, mu-rmw or tessera";
}

}  // namespace tessera
