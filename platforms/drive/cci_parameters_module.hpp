#pragma once
// The parameters of a drive as those of SystemC-CCI (IEEE 1666.1), for platforms that are configured by it; the only file that needs it.
//
//   tessera::DriveConfig config = tessera::load_drive("common.toml", tessera::cci_presets("drive"), "imr-rmw");
//   tessera::DriveModule drive("drive", config, ...);
//   tessera::CciParameters parameters("parameters", drive);
//
// The names are the drive's and then a parameter's path, "drive.nand.dies"; the values are text as a description writes it. What the
// broker has as a preset reaches the drive by cci_presets(); afterwards the parameters are immutable. A global broker is to be registered
// before.
#include <cci_configuration>
#include <deque>
#include <string>
#include <systemc>
#include <vector>

#include "base/error.hpp"
#include "platforms/drive/drive_module.hpp"

namespace tessera {

/// The presets for a drive of this name, as overrides for load_drive(), which refuses those that are none of its parameters.
[[nodiscard]] inline std::vector<std::string> cci_presets(const std::string& drive) {
  std::vector<std::string> overrides;
  const cci::cci_broker_handle broker = cci::cci_get_global_broker(cci::cci_originator("tessera"));
  for (const cci::cci_name_value_pair& preset : broker.get_unconsumed_preset_values())
    if (preset.first.starts_with(drive + "."))
      overrides.push_back(preset.first.substr(drive.size() + 1) + "=" +
                          (preset.second.is_string() ? std::string(preset.second.get_string().c_str()) : preset.second.to_json()));
  return overrides;
}

class CciParameters : public sc_core::sc_module {
 public:
  using CciParameter = cci::cci_param<std::string, cci::CCI_IMMUTABLE_PARAM>;

  /// InputError where a preset did not reach the drive.
  CciParameters(sc_core::sc_module_name name, const DriveModule& drive) : sc_core::sc_module(name) {
    for (const Parameter& parameter : parameters_of(drive.config())) {
      const std::string value = value_text(parameter);
      parameters_.emplace_back(std::string(drive.name()) + "." + parameter.path(), value, parameter.doc, cci::CCI_ABSOLUTE_NAME);
      const CciParameter& made = parameters_.back();
      if (made.get_value() != value)
        throw InputError("the preset of " + made.name() + " is \"" + made.get_value() + "\"; the drive was built with \"" + value +
                         "\": give cci_presets(\"" + drive.name() + "\") to load_drive()");
    }
  }

 private:
  std::deque<CciParameter> parameters_;
};

}  // namespace tessera
