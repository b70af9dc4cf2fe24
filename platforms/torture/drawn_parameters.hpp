#pragma once
// What a campaign draws of the parameters that a drive declares, whatever they are: a parameter that is declared tomorrow is drawn
// tomorrow. One that is not drawn has a reason here.
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "platforms/description/listing.hpp"

namespace tessera {

/// Of a parameter's values: an end of its range, next to the value that it has, smaller or larger by a factor, or one of its names.
enum class ValueClass : std::uint8_t { lowest, highest, below, above, smaller, larger, named };

struct DrawnClass {
  ValueClass value = ValueClass::named;
  std::string fixed;  ///< the value, where the class has just one; "" where one is drawn of it
};

/// Why a campaign draws no value of the parameter by itself; "" where it does.
[[nodiscard]] std::string why_undrawn(const Parameter& parameter);

/// Overrides, path=value, of up to two parameters of the layer's own.
[[nodiscard]] std::vector<std::string> draw_own_sizes(const std::vector<Parameter>& parameters, const std::string& layer,
                                                      RandomStream& random);
/// Of one to four of those that the layer may have to do with, its own left out: at an end of their range, next to their value, or a
/// multiple of it.
[[nodiscard]] std::vector<std::string> draw_parameters(const std::vector<Parameter>& parameters, const std::string& layer,
                                                       RandomStream& random);

/// Of what a layer may have to do with, the parameters that a campaign draws.
[[nodiscard]] std::vector<const Parameter*> drawn_for(const std::vector<Parameter>& parameters, const std::string& layer);
/// Whether it is one of the layer's own, or of the host that translates for it.
[[nodiscard]] bool is_own(const Parameter& parameter);
/// The classes of values other than the one that it has, no two of them with the same single value.
[[nodiscard]] std::vector<DrawnClass> classes_of(const Parameter& parameter);
/// A value of the class.
[[nodiscard]] std::string value_of(const Parameter& parameter, const DrawnClass& one, RandomStream& random);

}  // namespace tessera
