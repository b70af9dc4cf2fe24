#include "platforms/drive/drive_module.hpp"

#include "base/error.hpp"

namespace tessera {

namespace {

SectorShape shape_of(const DriveConfig& config, ContentMode content) {
  return {static_cast<std::uint32_t>(config.media.sector_size.value()), content};
}

}  // namespace

DriveModule::DriveModule(sc_core::sc_module_name name, const DriveConfig& config, const FormatPlan& plan, ContentMode content,
                         std::uint64_t seed)
    : sc_core::sc_module(name),
      config_(config),
      plan_(plan),
      geometry_(geometry_of(config.media)),
      sector_shape_(shape_of(config, content)),
      timeline_("timeline", config.quantum),
      bus_("bus"),
      media_("media", timeline_, config.media, plan, content, seed),
      dram_("dram", config.dram, seed),
      nand_(config.has_flash() ? std::make_unique<NandModule>("nand", config.nand, sector_shape_.kept(), seed, timeline_) : nullptr),
      host_interface_("host_interface", timeline_, config.host_for_layer(), sector_shape_.sector_bytes, seed),
      dump_engine_(config.power, seed) {
  controller_ = std::make_unique<ControllerModule>(
      "controller", timeline_, config.controller, media_.device().positioning(), static_cast<const TrackCapacity&>(*this),
      nand_ == nullptr ? nullptr : static_cast<const FlashCatalogue*>(this), sector_shape_, config.dram.capacity, config.host.buffer,
      config.host.tags, [this](const Ports& ports) { return load_image(ports); });
  if (dram_.device().can_fail())
    controller_->core().expect_memory_errors([this] {
      TESSERA_CHECK(memory_error_ != nullptr, "a table in the DRAM could not be read, and nobody restarts the firmware");
      memory_error_();
    });
  host_interface_.core().watch([this] { return controller_->core().account(); });
  host_interface_.bus.bind(bus_.from_host);
  controller_->bus.bind(bus_.from_controller);
  bus_.to_mailbox.bind(controller_->mailbox);
  bus_.to_dram.bind(dram_.socket);
  bus_.to_disk_channel.bind(media_.socket);
  if (nand_ != nullptr) {
    bus_.to_nand.bind(nand_->socket);
  } else {
    no_nand_ = std::make_unique<tlm_utils::simple_target_socket<DriveModule>>("no_nand");
    bus_.to_nand.bind(*no_nand_);
  }
  declare_signals();
}

DriveModule::~DriveModule() = default;

void DriveModule::declare_signals() {
  const auto add = [this](const sc_core::sc_module& block, SignalScope& signals) { signals_.add(block.basename(), signals); };
  add(host_interface_, host_interface_.core().signals());
  add(*controller_, controller_->core().signals());
  add(media_, media_.device().signals());
  add(dram_, dram_.device().signals());
  if (nand_ != nullptr) add(*nand_, nand_->device().signals());
}

void DriveModule::trace(sc_core::sc_trace_file* file) const { traces_.add(file, name()); }

std::unique_ptr<FirmwareEntry> DriveModule::load_image(const Ports& ports) {
  auto firmware = std::make_unique<Firmware>(config_.firmware, config_.selected(), ports, geometry_, plan_);
  firmware_ = firmware.get();
  return firmware;
}

/// On a drive with flash the dump area is the flash's dump blocks.
void DriveModule::check_dump_blocks() const {
  const NandConfig& nand = config_.nand;
  const Bytes blocks = nand.page_size * (nand.dump_blocks * nand.pages_per_block);
  if (nand_ == nullptr || config_.power.dump_area <= blocks) return;
  throw InputError("power.dump_area is " + std::to_string(config_.power.dump_area.value()) + " B and the nand.dump_blocks that hold it, " +
                   std::to_string(nand.dump_blocks) + ", are " + std::to_string(blocks.value()) + " B: give the flash " +
                   std::to_string((config_.power.dump_area.value() - 1) / (nand.page_size.value() * nand.pages_per_block) + 1) +
                   " of them or the power domain a smaller dump area");
}

void DriveModule::power_on(bool after_power_cut, std::function<void(Status)> booted) {
  try {
    load_firmware(after_power_cut, std::move(booted));
  } catch (const InputError& error) {
    throw config_.refusal(error.what());
  }
}

void DriveModule::load_firmware(bool after_power_cut, std::function<void(Status)> booted) {
  dram_.device().initialise(timeline().now());
  controller_->core().power_on(after_power_cut, std::move(booted));
  dump_engine_.restart();
  static_assert(MemoryController::dump_piece == DumpEngine::piece);
  const Bytes dumped = controller_->core().memory().dumped_bytes();
  if (dumped > Bytes(0)) {
    check_dump_blocks();
    dump_engine_.reserve(dumped, "write cache of durability plp (firmware.write_cache)");
  }
  timeline_.reschedule();
}

/// A drive that is formatted again lays its sectors where they were.
void DriveModule::prefill(std::uint64_t sectors, bool contents) {
  firmware_->prefill(sectors);
  if (!contents || sectors == 0 || prefill_contents_ != nullptr || sector_shape_.mode == ContentMode::none) return;
  const MediaDevice& media = media_.device();
  const auto* catalogue = nand_ == nullptr ? nullptr : static_cast<const FlashCatalogue*>(this);
  PrefillSurvey survey({config_, plan_, media.geometry(), media.positioning(), static_cast<const TrackCapacity&>(*this), catalogue},
                       sectors);
  prefill_contents_ = std::make_unique<PrefillContents>(survey.contents(sector_shape_.mode));
  media_.device().set_initial_content(prefill_contents_.get());
}

void DriveModule::power_off() {
  const Picoseconds now = timeline().now();
  media_.power_off();
  if (nand_ != nullptr) nand_->device().cut(now);
  end_firmware();
  rail_.set(0, now);
  rail_.set(1, now + config_.power.outage);
  lost_writes_ = controller_->core().memory().dumped(dump_engine_.dump(now));
  media_.power_on();
}

/// Controller and link lose everything but what the firmware has counted and the dumped regions.
void DriveModule::end_firmware() {
  MetricSet counted;
  firmware_->report(counted);
  counted.add_counts(before_cut_);
  before_cut_ = std::move(counted);
  firmware_ = nullptr;
  controller_->power_off();
  host_interface_.power_off();
  dram_.device().cut();
}

void DriveModule::restart_firmware(std::function<void()> stopped) {
  host_interface_.power_off();
  controller_->core().halt([this, stopped = std::move(stopped)] {
    end_firmware();
    stopped();
  });
}

Picoseconds DriveModule::restart_delay() const { return config_.power.outage + config_.power.boot_time + dump_engine_.restore_time(); }

double DriveModule::density_gain() const {
  for (const Region& region : plan_) {
    if (region.format == RecordingFormat::shingled || region.format == RecordingFormat::wave) return region.head_width;
    if (region.format == RecordingFormat::interlaced) return config_.media.density_gain;
  }
  return 1.0;
}

void DriveModule::report(MetricSet& metrics, Picoseconds elapsed) const {
  const Picoseconds now = const_cast<TimelineModule&>(timeline_).timeline().now();
  controller_->core().report(metrics, elapsed, now);
  host_interface_.core().report(metrics, elapsed);
  media_.device().report(metrics, now);
  dram_.device().report(metrics, now);
  if (nand_ != nullptr) nand_->device().report(metrics, now);
  dump_engine_.report(metrics);
  MetricSet firmware;
  firmware_->report(firmware);
  firmware.add_counts(before_cut_);
  metrics.append(firmware);
}

void DriveModule::reset_statistics() {
  controller_->core().reset_statistics();
  host_interface_.core().reset_statistics();
}

}  // namespace tessera
