#include "platforms/drive/drive_module.hpp"

#include "base/error.hpp"

namespace tessera {

namespace {

SectorShape shape_of(const DriveConfig& config, ContentMode content) {
  return {static_cast<std::uint32_t>(config.media.sector_size.value()), content};
}

}  // namespace

DriveModule::DriveModule(sc_core::sc_module_name name, const DriveConfig& config, const FormatPlan& plan, ContentMode content,
                         std::uint64_t seed, DriveParts parts)
    : sc_core::sc_module(name),
      config_(config),
      plan_(plan),
      geometry_(geometry_of(config.media)),
      sector_shape_(shape_of(config, content)),
      parts_(std::move(parts)),
      timeline_("timeline", config.quantum,
                parts_.dram && parts_.dram->waits ? TimelineModule::Process::thread : TimelineModule::Process::method),
      bus_("bus", config.bus_for_timing(), config.has_flash() ? config.nand.channels : 0),
      host_interface_("host_interface", timeline_, config.host_for_layer(), sector_shape_.sector_bytes, seed),
      dump_engine_(config.power, seed) {
  make_parts(seed);
  controller_ = std::make_unique<ControllerModule>("controller", timeline_, config.controller, surroundings(), sector_shape_,
                                                   [this](const Ports& ports) { return load_image(ports); });
  if (dram_ != nullptr && dram_->device().can_fail())
    controller_->core().expect_memory_errors([this] {
      TESSERA_CHECK(memory_error_ != nullptr, "a table in the DRAM could not be read, and nobody restarts the firmware");
      memory_error_();
    });
  host_interface_.core().watch([this] { return controller_->core().account(); });
  bind_parts();
  declare_signals();
}

/// Those that nobody gave.
void DriveModule::make_parts(std::uint64_t seed) {
  if (!parts_.media) {
    media_ = std::make_unique<MediaModule>("media", timeline_, config_.media, plan_, sector_shape_.mode, seed);
    parts_.media.emplace(MediaPart{media_->socket, media_->device().positioning(), static_cast<const TrackCapacity&>(*this),
                                   media_->addressing(), media_.get(), media_.get()});
  }
  if (!parts_.dram) {
    dram_ = std::make_unique<DramModule>("dram", config_.dram, seed, &timeline_);
    parts_.dram.emplace(DramPart{dram_->socket, dram_->bytes(), false, dram_.get(), dram_.get()});
  }
  if (!config_.has_flash()) {
    parts_.flash.reset();
  } else if (!parts_.flash) {
    nand_ = std::make_unique<NandModule>("nand", config_.nand, sector_shape_, seed, timeline_);
    parts_.flash.emplace(FlashPart{nand_->socket, static_cast<const FlashCatalogue&>(*this), nand_.get(), nand_.get()});
  }
}

ControllerSurroundings DriveModule::surroundings() {
  return {.positioning = parts_.media->positioning,
          .tracks = parts_.media->tracks,
          .media = parts_.media->addressing,
          .flash = parts_.flash ? &parts_.flash->catalogue : nullptr,
          .interconnect = bus_.interconnect(),
          .memory = {config_.dram.capacity, config_.host.buffer, config_.firmware.placement},
          .dram_bytes = parts_.dram->bytes,
          .dram_waits = parts_.dram->waits,
          .tags = config_.host.tags};
}

namespace {

/// Binds an initiator's socket to a target's, through a checker where there is one.
template <class From>
void connect(From& from, PartSocket& to, const char* name, std::vector<std::unique_ptr<ProtocolCheckerModule>>* checkers) {
  if (checkers == nullptr) return from.bind(to);
  ProtocolCheckerModule& checker = *checkers->emplace_back(std::make_unique<ProtocolCheckerModule>(name));
  from.bind(checker.from);
  checker.to.bind(to);
}

}  // namespace

void DriveModule::bind_parts() {
  auto* const checkers = parts_.check_protocol ? &checkers_ : nullptr;
  host_socket_ = &host_interface_.host;
  if (checkers != nullptr) {
    ProtocolCheckerModule& checker = *checkers_.emplace_back(std::make_unique<ProtocolCheckerModule>("check_host"));
    checker.to.bind(host_interface_.host);
    host_socket_ = &checker.from;
  }
  connect(host_interface_.bus, bus_.from_host, "check_host_interface", checkers);
  connect(controller_->bus, bus_.from_controller, "check_controller", checkers);
  connect(bus_.to_mailbox, controller_->mailbox, "check_mailbox", checkers);
  connect(bus_.to_dram, parts_.dram->socket, "check_dram", checkers);
  connect(bus_.to_disk_channel, parts_.media->socket, "check_media", checkers);
  if (parts_.flash) connect(bus_.to_nand, parts_.flash->socket, "check_nand", checkers);
}

tlm::tlm_target_socket<32>& DriveModule::block_socket() {
  if (block_target_ == nullptr) {
    const auto capacity = [this] {
      return firmware_ == nullptr ? Bytes(0) : Bytes(firmware_->user_sectors() * sector_shape_.sector_bytes);
    };
    constexpr Bytes largest{65'536 * host_block_bytes};  // ATA: the 16-bit sector count of READ and WRITE FPDMA QUEUED (ACS-3)
    block_target_ = std::make_unique<BlockTargetModule>("block_target", timeline_,
                                                        BlockTargetConfig{sector_shape_.mode, config_.host.tags, largest, capacity});
    block_target_->to_host.bind(host_socket());
  }
  return block_target_->socket;
}

DriveModule::~DriveModule() = default;

FlashLane DriveModule::lane_of(const FlashCommand& command) const {
  const auto [channel, carrying] = nand_->device().carrying(command);
  return {channel, carrying};
}

void DriveModule::declare_signals() {
  const auto add = [this](const sc_core::sc_module& block, SignalScope& signals) { signals_.add(block.basename(), signals); };
  add(host_interface_, host_interface_.core().signals());
  add(*controller_, controller_->core().signals());
  add(bus_, bus_.interconnect().signals());
  if (media_ != nullptr) add(*media_, media_->device().signals());
  if (dram_ != nullptr) add(*dram_, dram_->device().signals());
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
  if (!parts_.flash || config_.power.dump_area <= blocks) return;
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
  if (parts_.dram->power != nullptr) parts_.dram->power->power_on();
  controller_->core().power_on(after_power_cut, [this, booted = std::move(booted)](Status status) {
    // The boot task ran ahead of the timeline by its CPU time: the drive answers when that has passed.
    if (block_target_ != nullptr && ok(status)) timeline_.timeline().post(controller_->core().executor().now(), *this);
    booted(status);
  });
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
  if (media_ == nullptr)
    throw InputError("the contents of a prefilled drive lie on the drive's own media, and this one is somebody else's");
  const MediaDevice& media = media_->device();
  PrefillSurvey survey({config_, plan_, media.geometry(), media.positioning(), parts_.media->tracks, surroundings().flash}, sectors);
  prefill_contents_ = std::make_unique<PrefillContents>(survey.contents(sector_shape_.mode));
  media_->device().set_initial_content(prefill_contents_.get());
}

void DriveModule::power_off() {
  if (parts_.media->power != nullptr) parts_.media->power->power_off();
  if (parts_.flash && parts_.flash->power != nullptr) parts_.flash->power->power_off();
  end_firmware();
  const Picoseconds now = timeline().now();
  rail_.set(0, now);
  rail_.set(1, now + config_.power.outage);
  lost_writes_ = controller_->core().memory().dumped(dump_engine_.dump(now));
  if (parts_.media->power != nullptr) parts_.media->power->power_on();
  if (parts_.flash && parts_.flash->power != nullptr) parts_.flash->power->power_on();
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
  bus_.power_off();
  if (block_target_ != nullptr) block_target_->power_off();
  timeline().withdraw(*this);
  for (const auto& checker : checkers_) checker->power_off();
  if (parts_.dram->power != nullptr) parts_.dram->power->power_off();
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
  if (parts_.media->report != nullptr) parts_.media->report->report(metrics, now);
  bus_.interconnect().report(metrics, now);
  if (parts_.dram->report != nullptr) parts_.dram->report->report(metrics, now);
  if (parts_.flash && parts_.flash->report != nullptr) parts_.flash->report->report(metrics, now);
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
