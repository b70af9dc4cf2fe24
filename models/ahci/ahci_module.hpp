#pragma once
// An AHCI controller and its drive's link as a SystemC module, with 4 KiB of registers.
#include "ahci/ahci_controller.hpp"
#include "base/timeline_module.hpp"
#include "bus/host_controller_module.hpp"

namespace tessera {

class AhciModule : public HostControllerModule {
 public:
  /// `config.now` may stay empty.
  AhciModule(sc_core::sc_module_name name, ahci::Config config, std::function<std::uint64_t()> capacity)
      : HostControllerModule(name, std::move(capacity)), core_(with_clock(std::move(config)), *this, *this, *this) {}

 private:
  static ahci::Config with_clock(ahci::Config config) {
    if (!config.now) config.now = [] { return from_sc_time(sc_core::sc_time_stamp()); };
    return config;
  }
  [[nodiscard]] HostController& core() override { return core_; }

  ahci::Controller core_;
};

}  // namespace tessera
