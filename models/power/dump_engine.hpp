#pragma once
// The hardware that saves a bounded DRAM region at a power cut and restores it at boot (durability `plp`): whether it can,
// how long it takes and what energy. The images themselves stay with the memory controller (controller/memory_controller.hpp).
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.hpp"
#include "base/units.hpp"
#include "power/power_config.hpp"

namespace tessera {

class DumpEngine {
 public:
  explicit DumpEngine(const PowerConfig& config) : config_(config) {}

  /// Adds a region of `size` to what a cut saves. After a restart() the same reservations must come in the same order.
  /// InputError where the dump area is too small for all regions, or the hold-up energy for their dump: the message names
  /// `what`, what is needed and what there is.
  void reserve(Bytes size, std::string_view what);

  /// The power is back: reservations begin anew.
  void restart() { next_ = 0; }

  /// Of all regions together.
  [[nodiscard]] Bytes size() const { return size_; }
  [[nodiscard]] Picoseconds dump_time() const { return dump_time(size_); }
  [[nodiscard]] Picoseconds dump_time(Bytes size) const { return transfer_time(size, config_.dump_rate); }
  [[nodiscard]] Picoseconds restore_time() const { return transfer_time(size_, config_.restore_rate); }
  [[nodiscard]] Picojoules dump_energy() const { return dump_energy(size_); }
  [[nodiscard]] Picojoules dump_energy(Bytes size) const { return energy(config_.dump_power, dump_time(size)); }
  /// How long the hold-up energy lasts.
  [[nodiscard]] Picoseconds hold_up_time() const;

  /// Counts a dump of all regions.
  void dumped() { ++dumps_; }

  [[nodiscard]] Picojoules energy_spent() const { return dump_energy() * dumps_; }
  /// Adds `power.*`.
  void report(MetricSet& metrics) const;

 private:
  struct Region {
    std::string what;
    Bytes size;
  };

  PowerConfig config_;
  std::vector<Region> regions_;
  std::size_t next_ = 0;
  Bytes size_;
  std::uint64_t dumps_ = 0;
};

}  // namespace tessera
