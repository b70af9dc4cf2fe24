#include "platforms/drive/parameter_attributes_module.hpp"

#include "base/error.hpp"

namespace tessera {

std::vector<Parameter> parameters_of(const DriveConfig& config) {
  ParameterCollector collector;
  const_cast<DriveConfig&>(config).describe(collector);  // which only reads
  std::vector<Parameter> parameters;
  for (const Parameter& parameter : collector.parameters())
    if (parameter.kind != ParameterKind::section) parameters.push_back(parameter);
  return parameters;
}

std::string value_text(const Parameter& parameter) {
  const std::string& value = parameter.value;
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

ParameterAttributes::ParameterAttributes(sc_core::sc_object& owner, const DriveConfig& config)
    : owner_(owner), parameters_(parameters_of(config)) {
  for (const Parameter& parameter : parameters_) owner_.add_attribute(attributes_.emplace_back(parameter.path(), value_text(parameter)));
}

void ParameterAttributes::require_unchanged() const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (attributes_[i].value == value_text(parameters_[i])) continue;
    throw InputError("the attribute " + attributes_[i].name() + " of " + owner_.name() + " was set to \"" + attributes_[i].value +
                     "\"; the drive was built with \"" + value_text(parameters_[i]) +
                     "\": give the value to load_drive(), before the drive is made");
  }
}

}  // namespace tessera
