// What firmware a drive runs, and on whose processor: linked to the model, an image on ours, or on somebody else's.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "firmware/hal/boot_writer.hpp"
#include "platforms/drive/drive_module.hpp"

namespace tessera {

std::unique_ptr<FirmwareEntry> DriveModule::load_image(const Ports& ports) {
  std::unique_ptr<DriveFirmware> firmware;
  if (config_.image != nullptr)
    firmware = std::make_unique<ImageFirmware>(timeline(), ports, image_setup());
  else if (processor_port_ != nullptr)
    firmware = load_external(ports);
  else
    firmware = std::make_unique<Firmware>(config_.firmware, config_.selected(), ports, geometry_, plan_);
  firmware_ = firmware.get();
  return firmware;
}

std::unique_ptr<DriveFirmware> DriveModule::load_external(const Ports& ports) {
  ExternalSetup setup{.units = unit_setup(),
                      .register_read = [this](std::uint32_t bytes, Picoseconds at) { return register_read(bytes, at); },
                      .move = [this](DramAddress address, std::uint32_t bytes, Access access,
                                     Picoseconds at) { return controller_->cpu().access(address, bytes, access, at); }};
  auto firmware = std::make_unique<ExternalFirmware>(timeline(), ports, std::move(setup), *processor_port_);
  processor_port_->power_on(*firmware);
  return firmware;
}

void DriveModule::make_processor_port() {
  TESSERA_CHECK(!parts_.controller, "a processor for the firmware, and no controller of ours");
  if (config_.image != nullptr)
    throw InputError(config_.image->file() + ": a firmware image runs on our processor, and this drive has somebody else's");
  if (parts_.dram->bytes.empty()) throw InputError("a processor of somebody else's needs a DRAM that shows its bytes");
  if (processor_memory() > config_.dram.capacity)
    throw InputError("the processor asks for " + std::to_string(parts_.processor->memory.value()) + " B of its own, and dram.capacity is " +
                     std::to_string(config_.dram.capacity.value()) + " B");
  processor_port_ = std::make_unique<ProcessorPortModule>("processor_port", timeline_, parts_.dram->bytes);
}

void DriveModule::make_boot_data() {
  FirmwareConfig firmware = config_.firmware;
  const auto layer = std::ranges::find(config_.layers, config_.layer, [](const auto& factory) { return factory->name(); });
  const auto flash = parts_.flash ? std::optional(parts_.flash->catalogue.shape()) : std::nullopt;
  boot_data_ = hal::make_boot_data(geometry_, plan_, flash, config_.host.tags, **layer, firmware);
}

/// What the firmware's processor takes at the begin of the DRAM.
Bytes DriveModule::processor_memory() const {
  if (config_.image != nullptr) return memory_with_boot_data(config_.image->end(), boot_data_.size());
  if (parts_.processor) return memory_with_boot_data(hal::dram_base + parts_.processor->memory.value(), boot_data_.size());
  return Bytes(0);
}

UnitSetup DriveModule::unit_setup() const {
  return {.dram = parts_.dram->bytes,
          .boot_data = boot_data_,
          .code_end = config_.image != nullptr ? config_.image->end() : hal::dram_base + parts_.processor->memory.value(),
          .tags = config_.host.tags,
          .sector_bytes = sector_shape_.sector_bytes,
          .surfaces = geometry_.surfaces,
          .radii = geometry_.radii() + geometry_.spare_radii,
          .line = [this](const std::string& text, Picoseconds at) { uart_line_(text, at); }};
}

Picoseconds DriveModule::register_read(std::uint32_t bytes, Picoseconds at) {
  constexpr std::uint32_t word = 4;
  return bus_.interconnect().exchange(BusExchange::register_access, bytes / word, at) + config_.controller.bus_latency;
}

ImageSetup DriveModule::image_setup() {
  const riscv::ElfImage& image = *config_.image;
  if (parts_.dram->bytes.empty()) throw InputError(image.file() + ": a firmware image needs a DRAM that shows its bytes");
  return {.image = image,
          .units = unit_setup(),
          .clock = config_.controller.clock,
          .timing = config_.processor,
          .worked = [this](Picoseconds time) { controller_->core().executor().worked_elsewhere(time); },
          .register_read = [this](std::uint32_t bytes, Picoseconds at) { return register_read(bytes, at); },
          .move_line = [this](DramAddress line, std::uint32_t bytes, Access access,
                              Picoseconds at) { return controller_->cpu().access(line, bytes, access, at); },
          .debugger = debugger_,
          .signals = *processor_signals_};
}

}  // namespace tessera
