#pragma once
// The parameters of a drive as attributes of its SystemC module, so that a tool which walks the objects of a simulation sees them: the
// description's dotted path as the name, and as an std::string the value as a description writes it, with its unit: "1.3 ms", "4", "true".
// They are facts: the drive was built by them, and is not built again by a change.
#include <deque>
#include <string>
#include <systemc>
#include <vector>

#include "platforms/description/listing.hpp"
#include "platforms/drive/drive_config.hpp"

namespace tessera {

/// Every parameter of a drive, in the order of `tessera list parameters`, without the sections.
[[nodiscard]] std::vector<Parameter> parameters_of(const DriveConfig& config);

/// A parameter's value as a description writes it, text without its quotes.
[[nodiscard]] std::string value_text(const Parameter& parameter);

class ParameterAttributes {
 public:
  /// Adds them to `owner`, which outlives this and is not copied.
  ParameterAttributes(sc_core::sc_object& owner, const DriveConfig& config);

  /// InputError where somebody has changed one, with its name and what would have an effect.
  void require_unchanged() const;

 private:
  sc_core::sc_object& owner_;
  std::vector<Parameter> parameters_;
  std::deque<sc_core::sc_attribute<std::string>> attributes_;  // by parameter
};

}  // namespace tessera
