#pragma once
// Firmware behind the registers, whatever processor it runs on: the units, the memory and the boot data that it finds, and the drive's
// calls as requests and ring entries.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/drive_firmware.hpp"
#include "machine/disk_unit.hpp"
#include "machine/flash_unit.hpp"
#include "machine/host_unit.hpp"
#include "machine/memory_unit.hpp"
#include "machine/mover_unit.hpp"
#include "machine/small_units.hpp"
#include "processor/memory.hpp"

namespace tessera {

/// What the firmware finds.
struct UnitSetup {
  std::span<std::byte> dram;                ///< its bytes
  std::optional<std::span<std::byte>> tcm;  ///< its bytes; none: the firmware reaches no TCM
  std::vector<std::byte> boot_data;         ///< firmware/hal/boot_data.hpp
  std::uint64_t code_end = 0;               ///< of its own code and data at the DRAM's begin, as an address of the machine
  std::uint32_t tags = 0;
  std::uint32_t sector_bytes = 0;
  std::uint32_t surfaces = 0;
  std::uint32_t radii = 0;
  std::function<void(const std::string&, Picoseconds)> line;       ///< of the serial line
  std::function<void(Entries, DramAddress, Bytes)> entries_lie{};  ///< Machine::tell_of_entries(); none: where they lie is known
};

/// Bytes at the begin of the DRAM that code and data up to `code_end` take, with the boot data behind.
[[nodiscard]] Bytes memory_with_boot_data(std::uint64_t code_end, std::size_t boot_data);

class RegisterFirmware : public DriveFirmware, protected HeldProcessor {
 public:
  ~RegisterFirmware() override;
  RegisterFirmware(const RegisterFirmware&) = delete;
  RegisterFirmware& operator=(const RegisterFirmware&) = delete;

  [[nodiscard]] Task<Status> boot(bool after_power_cut) override;
  [[nodiscard]] Task<void> serve(HostCommand& command) override { return host_.serve(command); }
  void aborted(const HostCommand& command) override { host_.aborted(command); }
  /// 0: the firmware has not said it yet.
  [[nodiscard]] std::uint64_t user_sectors() const override { return ident_.capacity().value_or(0); }

 protected:
  RegisterFirmware(Timeline& timeline, const Ports& ports, UnitSetup setup);

  /// The lines that are pending and enabled may have changed.
  virtual void interrupted(std::uint64_t lines) = 0;

  /// From now on the firmware runs in the controller's tasks.
  void run_in_tasks(TaskStarter& starter) { machine_.run_in_tasks(starter); }
  void lay_boot_data();
  [[nodiscard]] Timeline& timeline() const { return timeline_; }
  [[nodiscard]] riscv::Memory& memory() { return memory_; }
  [[nodiscard]] RegisterFile& registers() { return registers_; }
  [[nodiscard]] const MemoryUnit& memory_unit() const { return memory_unit_; }
  [[nodiscard]] const Ports& ports() const { return ports_; }
  [[nodiscard]] IdentUnit& ident() { return ident_; }
  [[nodiscard]] const IdentUnit& ident() const { return ident_; }

 private:
  void connect();
  void booted(Status status);

  UnitSetup setup_;
  Timeline& timeline_;
  Ports ports_;
  riscv::Memory memory_;
  InterruptUnit interrupts_;
  Machine machine_;
  RegisterFile registers_;
  HostUnit host_;
  DiskUnit disk_;
  std::unique_ptr<FlashUnit> flash_;
  MoverUnit mover_;
  MemoryUnit memory_unit_;
  TimerUnit timer_;
  ProbeUnit probe_;
  IdentUnit ident_;
  UartUnit uart_;
  DeviceWait boot_wait_;
  bool boot_waits_ = false;
  Status boot_status_ = Status::ok;
};

}  // namespace tessera
