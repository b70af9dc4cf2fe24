#pragma once
// What a campaign draws of the parameters that a drive declares, whatever they are: a parameter that is declared tomorrow is drawn
// tomorrow. One that is not drawn has a reason here.
#include <string>
#include <vector>

#include "base/random.hpp"
#include "platforms/description/listing.hpp"

namespace tessera {

/// Why a campaign draws no value of the parameter by itself; "" where it does.
[[nodiscard]] std::string why_undrawn(const Parameter& parameter);

/// Overrides, path=value, of up to two parameters of the layer's own.
[[nodiscard]] std::vector<std::string> draw_own_sizes(const std::vector<Parameter>& parameters, const std::string& layer,
                                                      RandomStream& random);
/// Of one to four of all those that the layer may have to do with: at an end of their range, next to their value, or a multiple of it.
[[nodiscard]] std::vector<std::string> draw_parameters(const std::vector<Parameter>& parameters, const std::string& layer,
                                                       RandomStream& random);

}  // namespace tessera
