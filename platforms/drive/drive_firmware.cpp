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
  else if (register_bus_ != nullptr)
    firmware = std::make_unique<LinkedFirmware>(timeline(), ports, linked_setup());
  else
    firmware = std::make_unique<Firmware>(config_.firmware_for_layer(), config_.selected(), ports, geometry_, plan_, &make_flash_front);
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

/// What firmware that is linked to the model keeps for devices at the DRAM's end, in whole lines, when it works through registers. What
/// else lies there has the addresses that it has otherwise.
static constexpr Bytes shared_memory{std::uint64_t{1} << 20};
static constexpr std::uint64_t whole_line = 64;

void DriveModule::make_register_bus() {
  if (parts_.controller) throw InputError("simulation.firmware_through = registers, and this drive's controller is somebody else's");
  if (parts_.dram->bytes.size() < config_.dram.capacity.value())
    throw InputError("simulation.firmware_through = registers needs a DRAM that shows its bytes");
  if (config_.dram.capacity < shared_memory)
    throw InputError("simulation.firmware_through = registers takes " + std::to_string(shared_memory.value()) +
                     " B of DRAM, and dram.capacity is " + std::to_string(config_.dram.capacity.value()) + " B");
  registers_ = std::make_unique<RegisterTargetModule>("registers");
  register_bus_ = std::make_unique<RegisterInitiatorModule>("firmware", timeline_, *registers_);
  register_bus_->bus.bind(behind_watchers("registers", registers_->socket));
}

/// Of the DRAM, for what the firmware reserves.
Bytes DriveModule::firmware_memory() const {
  if (register_bus_ == nullptr) return config_.dram.capacity;
  return Bytes((config_.dram.capacity - shared_memory).value() / whole_line * whole_line);
}

LinkedSetup DriveModule::linked_setup() {
  const std::uint64_t of_boot_data = (boot_data_.size() + whole_line - 1) / whole_line * whole_line;
  return {.units = unit_setup(),
          .shared = parts_.dram->bytes.subspan(firmware_memory().value() + of_boot_data, shared_memory.value() - of_boot_data),
          .layer = selected_layer(),
          .bus = *register_bus_};
}

LayerFactory& DriveModule::selected_layer() const {
  return **std::ranges::find(config_.layers, config_.layer, [](const auto& factory) { return factory->name(); });
}

void DriveModule::make_processor_port() {
  TESSERA_CHECK(!parts_.controller, "a processor for the firmware, and no controller of ours");
  if (config_.image != nullptr)
    throw InputError(config_.image->file() + ": a firmware image runs on our processor, and this drive has somebody else's");
  if (parts_.dram->bytes.empty()) throw InputError("a processor of somebody else's needs a DRAM that shows its bytes");
  if (processor_memory() > config_.dram.capacity)
    throw InputError("the processor asks for " + std::to_string(parts_.processor->memory.value()) + " B of its own, and dram.capacity is " +
                     std::to_string(config_.dram.capacity.value()) + " B");
  processor_port_ =
      std::make_unique<ProcessorPortModule>("processor_port", timeline_, parts_.dram->bytes, parts_.check_protocol, parts_.transactions);
}

void DriveModule::make_boot_data() {
  FirmwareConfig firmware = config_.firmware_for_layer();
  const auto flash = parts_.flash ? std::optional(parts_.flash->catalogue.shape()) : std::nullopt;
  boot_data_ = hal::make_boot_data(geometry_, plan_, flash, config_.host.tags, selected_layer(), firmware);
}

/// What the firmware's processor takes at the begin of the DRAM.
Bytes DriveModule::processor_memory() const {
  if (config_.image != nullptr) return memory_with_boot_data(config_.image->end(), boot_data_.size());
  if (parts_.processor) return memory_with_boot_data(hal::dram_base + parts_.processor->memory.value(), boot_data_.size());
  return Bytes(0);
}

/// What of a firmware image lies at the begin of the TCM.
Bytes DriveModule::image_in_tcm() const { return config_.image == nullptr ? Bytes(0) : Bytes(config_.image->tcm_bytes()); }

/// Behind what else the firmware's code and data take, as an address of the machine.
std::uint64_t DriveModule::place_of_boot_data() const {
  if (config_.image != nullptr) return config_.image->end();
  if (parts_.processor) return hal::dram_base + parts_.processor->memory.value();
  return hal::dram_base + firmware_memory().value();
}

/// A processor of somebody else's has a TCM of its own, if any.
bool DriveModule::reaches_tcm_by_address() const { return config_.image != nullptr || register_bus_ != nullptr; }

UnitSetup DriveModule::unit_setup() {
  static_assert(Machine::tcm == Tcm::base);
  return {.dram = parts_.dram->bytes,
          .tcm = reaches_tcm_by_address() ? std::optional(controller_->core().memory().tcm().bytes()) : std::nullopt,
          .boot_data = boot_data_,
          .code_end = place_of_boot_data(),
          .tags = config_.host.tags,
          .sector_bytes = sector_shape_.sector_bytes,
          .surfaces = geometry_.surfaces,
          .radii = geometry_.radii() + geometry_.spare_radii,
          .line = [this](const std::string& text, Picoseconds at) { uart_line_(text, at); },
          .entries_lie = register_bus_ != nullptr ? std::function<void(Entries, DramAddress, Bytes)>()
                                                  : [this](Entries which, DramAddress at, Bytes bytes) { entries_lie(which, at, bytes); }};
}

void DriveModule::entries_lie(Entries which, DramAddress at, Bytes bytes) {
  ControlPath& path = controller_->core().control_path();
  switch (which) {
    case Entries::of_host: return path.lie(BusInitiator::host, Access::write, at, bytes);
    case Entries::to_disk: return path.lie(BusInitiator::disk, Access::read, at, bytes);
    case Entries::of_disk: return path.lie(BusInitiator::disk, Access::write, at, bytes);
    case Entries::to_flash: return path.lie(BusInitiator::flash, Access::read, at, bytes);
    case Entries::of_flash: return path.lie(BusInitiator::flash, Access::write, at, bytes);
  }
}

Picoseconds DriveModule::register_read(std::uint32_t bytes, Picoseconds at) {
  constexpr std::uint32_t word = 4;
  return bus_.interconnect().exchange(BusExchange::register_access, bytes / word, at) + config_.controller.bus_latency;
}

ImageSetup DriveModule::image_setup() {
  const riscv::ElfImage& image = *config_.image;
  if (parts_.dram->bytes.empty()) throw InputError(image.file() + ": a firmware image needs a DRAM that shows its bytes");
  riscv::HartTiming timing = config_.processor;
  const TcmConfig& tcm = config_.controller.tcm;
  std::function<void(DramAddress, std::uint32_t)> tcm_access;  // where nothing of the image's lies there its accesses need no look
  if (image_in_tcm() > Bytes(0) || config_.firmware.placement.more_than_rings_in_tcm())
    tcm_access = [this](DramAddress address, std::uint32_t bytes) { controller_->core().memory().tcm().access(address, bytes); };
  timing.tcm = {.base = hal::tcm_base, .bytes = tcm.size.value(), .latency = tcm.latency, .width = tcm.width};
  return {.image = image,
          .units = unit_setup(),
          .clock = config_.controller.clock,
          .timing = timing,
          .worked = [this](Picoseconds time) { controller_->core().executor().worked_elsewhere(time); },
          .register_read = [this](std::uint32_t bytes, Picoseconds at) { return register_read(bytes, at); },
          .move_line = [this](DramAddress line, std::uint32_t bytes, Access access,
                              Picoseconds at) { return controller_->cpu().access(line, bytes, access, at); },
          .tcm_access = std::move(tcm_access),
          .debugger = debugger_,
          .profile = profile_,
          .untold = untold_,
          .signals = *processor_signals_};
}

}  // namespace tessera
