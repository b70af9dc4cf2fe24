#pragma once
// The parameters that a layer or policy of a library declares, with their values.
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "platforms/plugin/tessera_firmware.h"

namespace tessera {

class PluginParameters {
 public:
  /// InputError, which begins with "firmware " and `owner`, for one that is incomplete or has a bad name.
  PluginParameters(const std::string& owner, const tessera_parameter* parameters, std::uint32_t count);

  void describe(ParameterVisitor& visitor);
  [[nodiscard]] const std::vector<tessera_value>& values() const { return values_; }

 private:
  const tessera_parameter* parameters_;
  std::vector<tessera_value> values_;
};

}  // namespace tessera
