// Figures of firmware on its own processor, handed to the drive one after the other.
#include <bit>

#include "firmware/hal/runtime.hpp"

namespace tessera::hal {

void Runtime::report() const {
  MetricSet metrics;
  firmware_.report(metrics);
  for (const Metric& metric : metrics.all()) {
    registers_.write(Register::probe_name, registers_.address_of(metric.name.c_str()));
    registers_.write(Register::probe_unit, registers_.address_of(metric.unit.c_str()));
    registers_.write(Register::probe_what, registers_.address_of(metric.description.c_str()));
    registers_.write(Register::probe_bits, std::bit_cast<std::uint64_t>(metric.value.value_or(0)));
    registers_.write(Register::probe_figure,
                     (metric.value ? figure_flags::defined : 0) | (metric.accumulates ? figure_flags::accumulates : 0));
  }
}

}  // namespace tessera::hal
