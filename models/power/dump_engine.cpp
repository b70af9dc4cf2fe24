#include "power/dump_engine.hpp"

#include "base/check.hpp"
#include "base/error.hpp"

namespace tessera {

void DumpEngine::reserve(Bytes size, std::string_view what) {
  if (next_ < regions_.size()) {
    TESSERA_CHECK(regions_[next_].what == what && regions_[next_].size == size, "dumped regions changed from one boot to the next");
    ++next_;
    return;
  }
  const Bytes total = size_ + size;
  const std::string who = "power: dumping '" + std::string(what) + "' (" + std::to_string(size.value()) + " B) at a power cut ";
  if (total > config_.dump_area)
    throw InputError(who + "does not fit the dump area: " + std::to_string((config_.dump_area - size_).value()) +
                     " B are left of power.dump_area, " + std::to_string(config_.dump_area.value()) + " B");
  const Picojoules needed = energy(config_.dump_power, transfer_time(total, config_.dump_rate));
  if (needed > config_.hold_up_energy)
    throw InputError(who + "needs more energy than is left then: " + std::to_string(needed.value()) + " pJ for " +
                     std::to_string(total.value()) + " B in all at power.dump_rate; power.hold_up_energy is " +
                     std::to_string(config_.hold_up_energy.value()) + " pJ");
  size_ = total;
  regions_.push_back({std::string(what), size});
  ++next_;
}

Picoseconds DumpEngine::hold_up_time() const {
  return Picoseconds(scale_rounded(config_.hold_up_energy.value(), 1'000'000, config_.dump_power.value()));  // 1 pJ at 1 uW is 1 us
}

void DumpEngine::report(MetricSet& metrics) const {
  metrics.add("power.dump.region", static_cast<double>(size_.value()), "B", "DRAM that is dumped at a power cut");
  metrics.add("power.dump.time", dump_time(), "time that the dump takes");
  metrics.add("power.dump.energy", static_cast<double>(dump_energy().value()) * 1e-9, "mJ", "energy that one dump takes");
  metrics.add("power.dump.count", static_cast<double>(dumps_), "1", "dumps made");
  metrics.add("power.restore.time", restore_time(), "time that the restore at boot takes");
  metrics.add("power.hold_up", hold_up_time(), "time that the hold-up energy lasts at the dump's power");
}

}  // namespace tessera
