#include "machine/linked_firmware.hpp"

#include <utility>

#include "base/error.hpp"

namespace tessera {

LinkedFirmware::LinkedFirmware(Timeline& timeline, const Ports& ports, LinkedSetup setup)
    : RegisterFirmware(timeline, ports, setup.units),
      bus_(setup.bus),
      processor_(ports),
      machine_(setup.bus, setup.units.dram, setup.units.tcm.value(), setup.shared, [this] { attend(); }) {
  run_in_tasks(processor_);
  lay_boot_data();
  bus_.connect(&registers());
  try {
    runtime_.emplace(machine_, processor_, setup.layer, &hal::make_flash, &make_flash_front);
  } catch (const ModelBug&) {
    if (!memory_unit().overflows()) throw;  // else the drive refuses it
  }
}

LinkedFirmware::~LinkedFirmware() {
  runtime_.reset();  // which still writes registers
  bus_.connect(nullptr);
}

void LinkedFirmware::interrupted(std::uint64_t lines) {
  lines_ = lines;
  if (!machine_.writing()) attend();
}

/// What an interrupt makes ready runs here. One that a write of the firmware's own has raised comes behind that write.
void LinkedFirmware::attend() {
  if (attending_ || !runtime_) return;
  attending_ = true;
  while (lines_ != 0) runtime_->round();
  attending_ = false;
}

Task<Status> LinkedFirmware::boot(bool after_power_cut) {
  Status status = Status::ok;
  ident().ask(hal::Request::boot, after_power_cut ? 1 : 0, [&status](Status answer) { status = answer; });
  auto work = processor_.take_started();
  co_await work;
  co_return status;
}

void LinkedFirmware::prefill(std::uint64_t sectors) {
  Status status = Status::ok;
  ident().ask(hal::Request::prefill, sectors, [&status](Status answer) { status = answer; });
  if (!ok(status)) throw InputError(std::string("the drive cannot be prefilled: ") + to_string(status));
}

void LinkedFirmware::report(MetricSet& metrics) const { runtime_->firmware().report(metrics); }

}  // namespace tessera
