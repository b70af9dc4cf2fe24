#pragma once
// The parameters of a drive as those of SystemC-CCI (IEEE 1666.1), for platforms that are configured by it; the only file that needs it.
//
//   tessera::DriveConfig config = tessera::load_drive("common.toml", tessera::cci_presets("drive"), "imr-rmw");
//   tessera::DriveModule drive("drive", config, ...);
//   tessera::CciParameters parameters("parameters", drive);
//
// The names are the drive's and then a parameter's path, "drive.nand.dies". Switches are `bool`, whole numbers and quantities std::uint64_t
// (the metadata `unit` says of what: "B", "rpm"), times sc_time, other numbers double; choices, texts and tables are text as a description
// writes them. A preset may be of that type or the text of a description: 4 or "4", sc_time(1.3, SC_MS) or "1.3 ms".
//
// What the broker has as a preset reaches the drive by cci_presets(); afterwards the parameters are immutable. A global broker is to be
// registered before. SystemC-CCI 1.0.2 is the first whose headers compile as C++20.
#include <algorithm>
#include <cci_configuration>
#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/timeline_module.hpp"
#include "platforms/description/quantity.hpp"
#include "platforms/drive/drive_module.hpp"

namespace tessera {

/// CCI asks for another call inside the hierarchy, where an originator is not named.
[[nodiscard]] inline cci::cci_broker_handle cci_broker() {
  if (sc_core::sc_get_current_object() != nullptr) return cci::cci_get_broker();
  return cci::cci_get_global_broker(cci::cci_originator("tessera"));
}

/// A preset as a description writes the value of this parameter.
[[nodiscard]] inline std::string cci_preset_text(const cci::cci_value& preset, const Parameter& parameter) {
  if (preset.is_string()) return preset.get_string().c_str();
  if (parameter.kind != ParameterKind::quantity) return preset.to_json();
  sc_core::sc_time time;
  if (parameter.dimension == Dimension::time && preset.is_list() && preset.try_get(time)) return to_text(from_sc_time(time));
  std::uint64_t amount = 0;
  return preset.try_get(amount) ? print_quantity(parameter.dimension, amount) : preset.to_json();
}

/// The presets for a drive of this name, as overrides for load_drive(), which refuses those that are none of its parameters.
[[nodiscard]] inline std::vector<std::string> cci_presets(const std::string& drive) {
  const std::vector<Parameter> known = parameters_of(DriveConfig());
  std::vector<std::string> overrides;
  for (const cci::cci_name_value_pair& preset : cci_broker().get_unconsumed_preset_values()) {
    if (!preset.first.starts_with(drive + ".")) continue;
    const std::string path = preset.first.substr(drive.size() + 1);
    const auto parameter = std::ranges::find(known, path, &Parameter::path);
    overrides.push_back(path + "=" + cci_preset_text(preset.second, parameter == known.end() ? Parameter() : *parameter));
  }
  return overrides;
}

class CciParameters : public sc_core::sc_module {
 public:
  template <class Value>
  using CciParameter = cci::cci_param<Value, cci::CCI_IMMUTABLE_PARAM>;

  /// InputError where a preset did not reach the drive.
  CciParameters(sc_core::sc_module_name name, const DriveModule& drive) : sc_core::sc_module(name), drive_(drive.name()) {
    for (const Parameter& parameter : parameters_of(drive.config())) show(parameter);
  }

 private:
  void show(const Parameter& parameter) {
    const std::string text = value_text(parameter);
    switch (parameter.kind) {
      case ParameterKind::boolean: return add(parameter, text == "true");
      case ParameterKind::count: return add(parameter, std::uint64_t{std::stoull(text)});
      case ParameterKind::real: return add(parameter, std::stod(text));
      case ParameterKind::quantity: {
        const std::uint64_t amount = read_quantity(parameter.dimension, text).amount;
        if (parameter.dimension == Dimension::time) return add(parameter, to_sc_time(Picoseconds(amount)));
        add(parameter, amount);
        return std::get<std::deque<CciParameter<std::uint64_t>>>(parameters_)
            .back()
            .add_metadata("unit", cci::cci_value(std::string(base_unit(parameter.dimension))));
      }
      default: return add(parameter, text);
    }
  }
  template <class Value>
  void add(const Parameter& parameter, const Value& value) {
    const std::string name = drive_ + "." + parameter.path();
    cci::cci_broker_handle broker = cci_broker();
    if (const cci::cci_value preset = broker.get_preset_cci_value(name); !preset.is_null()) {
      require_same(name, cci_preset_text(preset, parameter), parameter);
      broker.set_preset_cci_value(name, cci::cci_value(value));  // of the parameter's own type, where it was text
    }
    std::get<std::deque<CciParameter<Value>>>(parameters_).emplace_back(name, value, parameter.doc, cci::CCI_ABSOLUTE_NAME);
  }
  void require_same(const std::string& name, const std::string& preset, const Parameter& parameter) const {
    const std::string value = value_text(parameter);
    const auto amount = [&parameter](const std::string& text) { return read_quantity(parameter.dimension, text).amount; };
    const bool is_quantity = parameter.kind == ParameterKind::quantity, is_real = parameter.kind == ParameterKind::real;
    if (preset != value && !(is_quantity && amount(preset) == amount(value)) && !(is_real && std::stod(preset) == std::stod(value)))
      throw InputError("the preset of " + name + " is \"" + preset + "\"; the drive was built with \"" + value + "\": give cci_presets(\"" +
                       drive_ + "\") to load_drive()");
  }

  std::string drive_;
  std::tuple<std::deque<CciParameter<bool>>, std::deque<CciParameter<std::uint64_t>>, std::deque<CciParameter<double>>,
             std::deque<CciParameter<sc_core::sc_time>>, std::deque<CciParameter<std::string>>>
      parameters_;
};

}  // namespace tessera
