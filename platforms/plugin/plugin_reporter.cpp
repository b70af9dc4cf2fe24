#include "platforms/plugin/plugin_reporter.hpp"

#include <optional>

#include "platforms/plugin/plugin_names.hpp"

namespace tessera {

std::string reported(const std::function<void(const tessera_reporter*)>& report, MetricSet& metrics) {
  struct Reported {
    MetricSet& metrics;
    std::string fault;
  } all{metrics, ""};
  const tessera_reporter reporter{
      &all, [](void* context, const char* name, double value, int defined, const char* unit, const char* what, int counts) {
        auto& [set, fault] = *static_cast<Reported*>(context);
        if (name == nullptr || unit == nullptr || what == nullptr) {
          fault = "a figure without name, unit or description";
        } else if (const std::string of_name = fault_of_name(name); !of_name.empty()) {
          fault = "a figure " + of_name;
        } else if (set.find(name) != nullptr) {
          fault = std::string("the figure '") + name + "' is reported already";
        } else if (counts != 0) {
          set.count(name, value, unit, what);
        } else {
          set.add(name, defined != 0 ? std::optional(value) : std::nullopt, unit, what);
        }
      }};
  report(&reporter);
  return all.fault;
}

}  // namespace tessera
