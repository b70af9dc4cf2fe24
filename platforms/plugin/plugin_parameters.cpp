#include "platforms/plugin/plugin_parameters.hpp"

#include "base/error.hpp"
#include "platforms/plugin/plugin_names.hpp"

namespace tessera {

namespace {

void describe_one(ParameterVisitor& visitor, const tessera_parameter& parameter, tessera_value& value) {
  const std::string name = parameter.name;
  const Range range{parameter.low, parameter.high};
  switch (parameter.kind) {
    case TESSERA_FLAG: {
      bool flag = value.integer != 0;
      visitor.field(name, flag, parameter.what);
      value.integer = flag ? 1 : 0;
      return;
    }
    case TESSERA_COUNT: return visitor.field(name, value.integer, range, parameter.what);
    case TESSERA_REAL: return visitor.field(name, value.real, range, parameter.what);
    case TESSERA_TIME: {
      Picoseconds time(value.integer);
      visitor.field(name, time, range, parameter.what);
      value.integer = time.value();
      return;
    }
    case TESSERA_SIZE: {
      Bytes size(value.integer);
      visitor.field(name, size, range, parameter.what);
      value.integer = size.value();
      return;
    }
    default: {
      auto index = static_cast<std::uint32_t>(value.integer);
      const std::vector<std::string_view> names(parameter.choices, parameter.choices + parameter.choice_count);
      visitor.choice(name, index, names, parameter.what);
      value.integer = index;
    }
  }
}

}  // namespace

PluginParameters::PluginParameters(const std::string& owner, const tessera_parameter* parameters, std::uint32_t count)
    : parameters_(parameters) {
  if (count != 0 && parameters == nullptr) throw InputError("firmware " + owner + ": it lacks parameters");
  for (std::uint32_t i = 0; i < count; ++i) {
    const tessera_parameter& parameter = parameters[i];
    if (parameter.name == nullptr || parameter.what == nullptr || parameter.kind > TESSERA_CHOICE ||
        (parameter.kind == TESSERA_CHOICE && (parameter.choices == nullptr || parameter.choice_count == 0)))
      throw InputError("firmware " + owner + ": parameter " + std::to_string(i) + " has no name, description, known kind or choices");
    if (const std::string fault = fault_of_name(parameter.name); !fault.empty())
      throw InputError("firmware " + owner + ": parameter " + std::to_string(i) + " " + fault);
    values_.push_back(parameter.initial);
  }
}

void PluginParameters::describe(ParameterVisitor& visitor) {
  for (std::size_t i = 0; i < values_.size(); ++i) describe_one(visitor, parameters_[i], values_[i]);
}

}  // namespace tessera
