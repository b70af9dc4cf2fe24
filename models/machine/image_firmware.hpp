#pragma once
// Firmware as an image: its processor is a hart, its ports are the units' registers. It is loaded and finds its memory in no time, as
// firmware that is linked to the model; from its boot on it runs in time.
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/signal.hpp"
#include "firmware/drive_firmware.hpp"
#include "machine/disk_unit.hpp"
#include "machine/flash_unit.hpp"
#include "machine/hart_driver.hpp"
#include "machine/host_unit.hpp"
#include "machine/memory_unit.hpp"
#include "machine/mover_unit.hpp"
#include "machine/small_units.hpp"
#include "processor/elf_image.hpp"
#include "processor/hart.hpp"
#include "processor/memory.hpp"

namespace tessera {

/// What a waveform shows of the processor. Declared once, while the processor is a new one behind each power cut.
struct ProcessorSignals {
  explicit ProcessorSignals(SignalScope& scope);

  Signal works;                 ///< 0: it waits for an interrupt
  std::array<Signal, 5> lines;  ///< pending and enabled, in the order of hal::interrupt_lines
};

/// An image, and what it is loaded into.
struct ImageSetup {
  const riscv::ElfImage& image;
  Hertz clock;
  riscv::HartTiming timing;
  std::span<std::byte> dram;         ///< its bytes
  std::vector<std::byte> boot_data;  ///< firmware/hal/boot_data.hpp
  std::uint32_t tags = 0;
  std::uint32_t sector_bytes = 0;
  std::uint32_t surfaces = 0;
  std::uint32_t radii = 0;
  std::function<void(const std::string&, Picoseconds)> line;                                       ///< of the serial line
  std::function<void(Picoseconds)> worked;                                                         ///< time that the hart has worked
  std::function<Picoseconds(std::uint32_t bytes, Picoseconds at)> register_read;                   ///< HartDriver::Observer
  std::function<Picoseconds(DramAddress, std::uint32_t bytes, Access, Picoseconds at)> move_line;  ///< HartDriver::Observer
  HartDebugger* debugger = nullptr;
  const ProcessorSignals& signals;
};

/// Bytes at the begin of the DRAM that an image takes, with its boot data behind it.
[[nodiscard]] Bytes image_memory(const riscv::ElfImage& image, std::size_t boot_data);

class ImageFirmware final : public DriveFirmware {
 public:
  ImageFirmware(Timeline& timeline, const Ports& ports, ImageSetup setup);
  ~ImageFirmware() override;

  [[nodiscard]] Task<Status> boot(bool after_power_cut) override;
  [[nodiscard]] Task<void> serve(HostCommand& command) override { return host_.serve(command); }
  void aborted(const HostCommand& command) override { host_.aborted(command); }
  [[nodiscard]] bool idle() const override { return ident_.idle() && driver_.waits(); }

  [[nodiscard]] std::uint64_t user_sectors() const override { return ident_.capacity().value_or(0); }
  void prefill(std::uint64_t sectors) override;
  void report(MetricSet& metrics) const override;

  [[nodiscard]] riscv::Hart& hart() { return hart_; }
  [[nodiscard]] riscv::Memory& memory() { return memory_; }

 private:
  void connect();
  void load();
  void interrupted(std::uint64_t lines);
  void ask_untimed(hal::Request request, std::uint64_t argument, std::function<void(Status)> answered);
  void tell_figures(MetricSet& metrics);

  ImageSetup setup_;
  Timeline& timeline_;
  Ports ports_;
  riscv::Memory memory_;
  riscv::Hart hart_;
  InterruptUnit interrupts_;
  Machine machine_;
  RegisterFile registers_;
  HartDriver driver_;
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
  Picoseconds worked_;
};

}  // namespace tessera
