#pragma once
// An NVMe controller as a SystemC module, with 16 KiB of registers.
#include "base/timeline_module.hpp"
#include "bus/host_controller_module.hpp"
#include "nvme/nvme_controller.hpp"

namespace tessera {

class NvmeModule : public HostControllerModule {
 public:
  /// `config.now` may stay empty.
  NvmeModule(sc_core::sc_module_name name, nvme::Config config, std::function<std::uint64_t()> capacity)
      : HostControllerModule(name, std::move(capacity)), core_(with_clock(std::move(config)), *this, *this, *this) {}

 private:
  static nvme::Config with_clock(nvme::Config config) {
    if (!config.now) config.now = [] { return from_sc_time(sc_core::sc_time_stamp()); };
    return config;
  }
  [[nodiscard]] HostController& core() override { return core_; }

  nvme::Controller core_;
};

}  // namespace tessera
