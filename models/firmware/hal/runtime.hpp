#pragma once
// A firmware on the machine's registers: made as the boot data says, and driven by the interrupt controller's lines.
#include <optional>

#include "firmware/firmware_build.hpp"
#include "firmware/hal/boot_reader.hpp"
#include "firmware/hal/flash.hpp"
#include "firmware/hal/host.hpp"
#include "firmware/hal/media.hpp"
#include "firmware/hal/memory.hpp"
#include "firmware/hal/processor.hpp"

namespace tessera::hal {

class Runtime {
 public:
  using MakeFlash = std::unique_ptr<FlashUnit> (*)(RegisterFile&, Processor&, const FlashShape&);

  /// On `processor`, with a layer of `factory`, whose parameters the boot data sets. An image whose layer uses no flash does without
  /// `make_flash` (null), and one without flash caches without `make_front`.
  Runtime(RegisterFile& registers, Processor& processor, LayerFactory& factory, MakeFlash make_flash, MakeFlashFront make_front = nullptr);
  ~Runtime() { processor_.end(); }
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Takes the lines that were raised, and works until no task is ready: the processor may wait for the next one.
  void round();

  /// Tells its figures through the probe.
  void report() const;

  [[nodiscard]] Firmware& firmware() { return firmware_; }
  [[nodiscard]] const Firmware& firmware() const { return firmware_; }

 private:
  [[nodiscard]] static const std::byte* checked(RegisterFile& registers);
  static FirmwareConfig configured(const BootReader& boot, LayerFactory& factory);
  void take_request();
  Task<void> boot(bool after_power_cut);

  RegisterFile& registers_;
  Processor& processor_;
  BootReader boot_data_;
  DriveGeometry geometry_;
  FormatPlan plan_;
  Memory memory_;
  Media media_;
  std::unique_ptr<FlashUnit> flash_;
  Host host_;
  Firmware firmware_;
  std::optional<bool> idle_;  // as last said
};

}  // namespace tessera::hal
