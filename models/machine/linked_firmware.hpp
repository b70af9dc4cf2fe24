#pragma once
// Firmware that is linked to the model, through the driver library and the machine's registers. Each interrupt of a unit is served at once,
// in the task that has raised it: the same commands at the same times as by calls.
#include <optional>

#include "firmware/hal/runtime.hpp"
#include "machine/linked_machine.hpp"
#include "machine/linked_processor.hpp"
#include "machine/register_firmware.hpp"

namespace tessera {

struct LinkedSetup {
  UnitSetup units;              ///< with the TCM
  std::span<std::byte> shared;  ///< of the DRAM: for rings and descriptors, 64-byte aligned
  LayerFactory& layer;
  RegisterBus& bus;
};

class LinkedFirmware final : public RegisterFirmware {
 public:
  LinkedFirmware(Timeline& timeline, const Ports& ports, LinkedSetup setup);
  ~LinkedFirmware() override;

  [[nodiscard]] Task<Status> boot(bool after_power_cut) override;
  [[nodiscard]] bool idle() const override { return runtime_->firmware().idle(); }
  void prefill(std::uint64_t sectors) override;
  void report(MetricSet& metrics) const override;

 private:
  void interrupted(std::uint64_t lines) override;
  void attend();

  // The mover's time is that of the task which asks for it.
  [[nodiscard]] bool timed() const override { return false; }
  void hold() override {}
  void release(Picoseconds) override {}

  RegisterBus& bus_;
  LinkedProcessor processor_;
  LinkedMachine machine_;
  std::optional<hal::Runtime> runtime_;  // none: the DRAM is too small for it
  std::uint64_t lines_ = 0;
  bool attending_ = false;
};

}  // namespace tessera
