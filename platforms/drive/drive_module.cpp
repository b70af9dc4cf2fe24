#include "platforms/drive/drive_module.hpp"

#include <cstdio>
#include <utility>

#include "base/error.hpp"
#include "base/firmware_fault.hpp"
#include "base/liveness_bug.hpp"

namespace tessera {

namespace {

SectorShape shape_of(const DriveConfig& config, ContentMode content) {
  return {static_cast<std::uint32_t>(config.media.sector_size.value()), content};
}

void print_line(const std::string& text, Picoseconds at) {
  std::fprintf(stderr, "firmware %s: %s\n", in_milliseconds(at).c_str(), text.c_str());
}

bool waits(const DriveParts& parts) { return (parts.dram && parts.dram->waits) || (parts.cpu && parts.cpu->waits); }

TimelineModule::Process process_for(const DriveParts& parts) {
  return waits(parts) ? TimelineModule::Process::thread : TimelineModule::Process::method;
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
      own_timeline_(parts_.calendar != nullptr ? nullptr
                                               : std::make_unique<TimelineModule>("timeline", config.quantum, process_for(parts_))),
      timeline_(parts_.calendar != nullptr ? *parts_.calendar : *own_timeline_),
      bus_("bus", config.bus_for_timing(), config.has_flash() ? config.nand.channels : 0, config.media.actuators),
      dump_engine_(config.power, seed),
      uart_line_(print_line) {
  if (parts_.only_drives) {
    timeline_.declare_alone();
  } else {
    SC_HAS_PROCESS(DriveModule);
    SC_METHOD(tell_booted);
    sensitive << booted_;
    dont_initialize();
  }
  make_parts(seed);
  const bool through_registers = config.through_registers() && !parts_.processor;
  if (config.image != nullptr || parts_.processor || through_registers) make_boot_data();
  if (parts_.processor) make_processor_port();
  if (through_registers) make_register_bus();
  if (!parts_.controller)
    controller_ =
        std::make_unique<ControllerModule>("controller", timeline_, config.controller_for_firmware(parts_.processor.has_value()),
                                           surroundings(), sector_shape_, [this](const Ports& ports) { return load_image(ports); });
  if (processor_port_ != nullptr) {
    processor_port_->reach_directly([this](DramAddress address, tlm::tlm_command access, tlm::tlm_dmi& dmi) {
      return controller_->cpu().direct(address, access, dmi);
    });
    controller_->cpu().on_invalidated([this](std::uint64_t first, std::uint64_t last) { processor_port_->withdraw_direct(first, last); });
  }
  if (controller_ != nullptr && config.has_zones()) controller_->core().host_channel().tell_writes_in_order();
  if (host_interface_ != nullptr && config.has_zones()) host_interface_->core().tell_writes_in_order();
  if (controller_ != nullptr && dram_ != nullptr && dram_->device().can_fail())
    controller_->core().expect_memory_errors([this] {
      TESSERA_CHECK(memory_error_ != nullptr, "a table in the DRAM could not be read, and nobody restarts the firmware");
      memory_error_();
    });
  if (host_interface_ != nullptr && controller_ != nullptr)
    host_interface_->core().watch([this] { return controller_->core().account(); }, [this] { return controller_->core().work(); });
  bind_parts();
  declare_signals();
  if (parts_.attributes) attributes_.emplace(*this, config_);
  if (parts_.pace != 0) pace_ = std::make_unique<PaceModule>("pace", parts_.pace);
}

/// Those that nobody gave.
void DriveModule::make_parts(std::uint64_t seed) {
  TESSERA_CHECK(!parts_.cpu || !parts_.controller, "a part between the controller's CPU and the bus, and no controller of ours");
  if (!parts_.host_interface)
    host_interface_ =
        std::make_unique<HostInterfaceModule>("host_interface", timeline_, config_.host_for_layer(), sector_shape_.sector_bytes, seed);
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

/// Open where nothing but our own bus and DRAM is on the way from the controller, and nobody has to look at payloads.
MemoryPath DriveModule::path_to_memory() {
  if (dram_ == nullptr || dram_->device().can_fail() || parts_.cpu || parts_.watched()) return {};
  return {bus_.interconnect(), dram_->device()};
}

/// Whether our own parts may call each other: nobody has to look at payloads, and no call may wait.
bool DriveModule::by_calls() const { return !parts_.watched() && !waits(parts_); }

/// Joins our own parts, once it is known who else is on the bus: media and flash take calls where no processor of somebody else's reaches
/// them.
void DriveModule::end_of_elaboration() {
  if (!by_calls() || controller_ == nullptr) return;
  if (host_interface_ != nullptr) {
    host_interface_->reach(*controller_);
    controller_->answer_to(*host_interface_);
  }
  if (bus_.from_processor.size() != 0) return;
  if (media_ != nullptr) {
    controller_->reach(static_cast<MediaLink&>(*media_));
    media_->answer_to(controller_->core().disk_channel());
  }
  if (nand_ != nullptr) {
    controller_->reach(static_cast<FlashLink&>(*nand_));
    nand_->answer_to(*controller_->core().flash_channel());
  }
}

void DriveModule::start_of_simulation() {
  if (attributes_) attributes_->require_unchanged();
}

ControllerSurroundings DriveModule::surroundings() {
  return {.positioning = parts_.media->positioning,
          .tracks = parts_.media->tracks,
          .media = parts_.media->addressing,
          .flash = parts_.flash ? &parts_.flash->catalogue : nullptr,
          .interconnect = bus_.interconnect(),
          .memory = {.dram = firmware_memory(),
                     .host_buffer = config_.host.buffer,
                     .placement = config_.firmware.placement,
                     .image = processor_memory(),
                     .image_in_tcm = image_in_tcm(),
                     .tcm_by_address = reaches_tcm_by_address()},
          .dram = {parts_.dram->bytes, waits(parts_), parts_.dram->bursts, path_to_memory()},
          .cpu_watched = parts_.cpu.has_value(),
          .tags = config_.host.tags};
}

/// The socket itself, or that of who looks at what comes to it.
PartSocket& DriveModule::behind_watchers(const std::string& name, PartSocket& socket) {
  PartSocket* first = &socket;
  const auto put_before = [&first](auto& watcher) {
    watcher.to.bind(*first);
    first = &watcher.from;
  };
  if (parts_.transactions != nullptr)
    put_before(*recorders_.emplace_back(std::make_unique<TransactionRecorderModule>(("at_" + name).c_str(), *parts_.transactions)));
  if (parts_.check_protocol) put_before(*checkers_.emplace_back(std::make_unique<ProtocolCheckerModule>(("check_" + name).c_str())));
  return *first;
}

template <class Socket>
void DriveModule::bind_initiator(PartInitiator& from, Socket& to, const std::string& name) {
  PartInitiator* last = &from;
  const auto put_behind = [&last](auto& watcher) {
    watcher.from.bind(*last);
    last = &watcher.to;
  };
  if (parts_.check_protocol) put_behind(*checkers_.emplace_back(std::make_unique<ProtocolCheckerModule>(("check_" + name).c_str())));
  if (parts_.transactions != nullptr)
    put_behind(*recorders_.emplace_back(std::make_unique<TransactionRecorderModule>(("at_" + name).c_str(), *parts_.transactions)));
  to.bind(*last);
}

void DriveModule::bind_parts() {
  bind_host();
  bind_cpu();
  bind_initiator(parts_.controller ? parts_.controller->bus : controller_->bus, bus_.from_controller, "controller");
  if (controller_ != nullptr && controller_->burst_engines() != nullptr)
    bind_initiator(controller_->burst_engines()->bus, bus_.from_engines, "engines");
  bus_.to_mailbox.bind(behind_watchers("mailbox", parts_.controller ? parts_.controller->mailbox : controller_->mailbox));
  bus_.to_dram.bind(behind_watchers("dram", parts_.dram->socket));
  bus_.to_disk_channel.bind(behind_watchers("media", parts_.media->socket));
  if (parts_.flash) bus_.to_nand.bind(behind_watchers("nand", parts_.flash->socket));
}

void DriveModule::bind_host() {
  PartSocket& host = parts_.host_interface ? parts_.host_interface->socket : host_interface_->host;
  host_socket_ = &behind_watchers("host", host);
  bind_initiator(parts_.host_interface ? parts_.host_interface->bus : host_interface_->bus, bus_.from_host, "host_interface");
}

void DriveModule::bind_cpu() {
  if (controller_ == nullptr) return;
  if (!parts_.cpu) return bind_initiator(controller_->cpu().bus, bus_.from_cpu, "cpu");
  controller_->cpu().bus.bind(behind_watchers("cpu", parts_.cpu->socket));
  bind_initiator(parts_.cpu->bus, bus_.from_cpu, "cpu_part");
}

Bytes DriveModule::capacity() const {
  if (parts_.controller) return parts_.controller->capacity ? parts_.controller->capacity() : Bytes(0);
  return firmware_ == nullptr ? Bytes(0) : Bytes(firmware_->user_sectors() * sector_shape_.sector_bytes);
}

PartSocket& DriveModule::block_socket() {
  if (block_target_ == nullptr) {
    constexpr Bytes largest{65'536 * host_block_bytes};  // ATA: the 16-bit sector count of READ and WRITE FPDMA QUEUED (ACS-3)
    block_target_ = std::make_unique<BlockTargetModule>(
        (std::string(basename()) + "_block_target").c_str(), timeline_,
        BlockTargetConfig{sector_shape_.mode, config_.host.tags, largest, [this] { return capacity(); }});
    block_target_->to_host.bind(host_socket());
    hosts_ = std::make_unique<SharedTargetModule>((std::string(basename()) + "_hosts").c_str());
    hosts_->to.bind(behind_watchers(std::string(basename()) + "_block", block_target_->socket));
  }
  return hosts_->from;
}

PartSocket& DriveModule::processor_socket() {
  if (processor_socket_ == nullptr) processor_socket_ = &behind_watchers(std::string(basename()) + "_processor", bus_.from_processor);
  return *processor_socket_;
}

void DriveModule::before_end_of_elaboration() {
  if (has_host_) return;
  idle_host_ = std::make_unique<IdleInitiatorModule>("no_host");
  idle_host_->socket.bind(*host_socket_);
}

/// Checkers let go of what is in flight as long as the pools are there that it goes back to.
DriveModule::~DriveModule() {
  for (const auto& checker : checkers_) checker->power_off();
}

FlashLane DriveModule::lane_of(const FlashCommand& command) const {
  const auto [channel, carrying] = nand_->device().carrying(command);
  return {channel, carrying};
}

namespace {

/// Whose socket it is.
template <class Part>
const sc_core::sc_object& module_of(const Part& part) {
  if constexpr (requires { part.mailbox; })
    return *part.mailbox.get_base_export().get_parent_object();
  else
    return *part.socket.get_base_export().get_parent_object();
}

}  // namespace

void DriveModule::declare_signals() {
  const auto add = [this](const sc_core::sc_module& block, SignalScope& signals) { signals_.add(block.basename(), signals); };
  if (host_interface_ != nullptr) add(*host_interface_, host_interface_->core().signals());
  if (controller_ != nullptr) add(*controller_, controller_->core().signals());
  add(bus_, bus_.interconnect().signals());
  if (media_ != nullptr) add(*media_, media_->device().signals());
  if (dram_ != nullptr) add(*dram_, dram_->device().signals());
  if (nand_ != nullptr) add(*nand_, nand_->device().signals());
  if (config_.image != nullptr) processor_signals_.emplace(signals_.part("processor"));
  signal_roots_.push_back({name(), signals_});
  parts_.each([this](const auto& part) {
    // Parts of the drive's own are among those above: they name none here.
    if (part.signals != nullptr) signal_roots_.push_back({module_of(part).name(), *part.signals});
  });
  for (const SignalRoot& root : signal_roots_) traces_.push_back(std::make_unique<SignalTraces>(root.signals));
}

void DriveModule::trace(sc_core::sc_trace_file* file) const {
  for (std::size_t i = 0; i < traces_.size(); ++i) traces_[i]->add(file, signal_roots_[i].name.c_str());
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
  runs_ = unsaved_ = true;
  if (parts_.controller) return start_strangers(std::move(booted));
  if (media_ != nullptr && !std::exchange(boots_, true)) media_->device().forget_unread();
  try {
    load_firmware(after_power_cut, std::move(booted));
  } catch (const InputError& error) {
    throw config_.refusal(error.what());
  }
}

void DriveModule::load_firmware(bool after_power_cut, std::function<void(Status)> booted) {
  power_on_parts();
  controller_->core().power_on(after_power_cut, [this, booted = std::move(booted)](Status status) {
    if (block_target_ != nullptr && ok(status)) timeline_.timeline().post(answers(), *this);
    tell([booted, status] { booted(status); });
    if (ok(status)) boots_ = false;
  });
  dump_engine_.restart();
  static_assert(MemoryController::dump_piece == DumpEngine::piece);
  const Bytes dumped = controller_->core().memory().dumped_bytes();
  if (dumped > Bytes(0)) {
    check_dump_blocks();
    dump_engine_.reserve(dumped, "write caches of durability plp and tables that boot needs");
  }
  timeline_.reschedule();
}

void DriveModule::tell(std::function<void()> of_boot) {
  if (parts_.only_drives) return of_boot();
  who_is_told_ = std::move(of_boot);
  booted_.notify(timeline_.ahead());
}

void DriveModule::tell_booted() {
  if (who_is_told_) std::exchange(who_is_told_, nullptr)();
}

void DriveModule::power_on_parts() {
  power_back();
  const auto power_on = [](const auto& part) {
    if (part && part->power != nullptr) part->power->power_on();
  };
  power_on(parts_.dram);
  power_on(parts_.cpu);
  power_on(parts_.controller);
  power_on(parts_.host_interface);
  for (PoweredPart* const part : attached_) part->power_on();
}

/// A controller of somebody else's is there at once: what it takes to boot is its own affair.
void DriveModule::start_strangers(std::function<void(Status)> booted) {
  power_on_parts();
  strangers_booted_ = std::move(booted);
  timeline().post(timeline().now(), *this);
  timeline_.reschedule();
}

/// Media and flash need no boot.
void DriveModule::power_back() {
  if (std::exchange(powered_, true)) return;
  rail_.set(1, timeline().now());
  if (parts_.media->power != nullptr) parts_.media->power->power_on();
  if (parts_.flash && parts_.flash->power != nullptr) parts_.flash->power->power_on();
}

/// The drive takes commands.
void DriveModule::on_time(std::uint64_t) {
  if (block_target_ != nullptr) block_target_->power_on();
  if (strangers_booted_) tell([booted = std::exchange(strangers_booted_, nullptr)] { booted(Status::ok); });
}

/// A drive that is formatted again lays its sectors where they were.
void DriveModule::prefill(std::uint64_t sectors, bool contents) {
  firmware().prefill(sectors);
  prefilled_ = sectors;
  if (!contents || sectors == 0 || prefill_contents_ != nullptr || sector_shape_.mode == ContentMode::none) return;
  if (media_ == nullptr)
    throw InputError("the contents of a prefilled drive lie on the drive's own media, and this one is somebody else's");
  lay_prefill_contents();
}

/// Between the return of the power and the boot nothing but media and flash has any; between a restart's stop and its boot only the
/// firmware is missing.
PowerLoss DriveModule::power_off() {
  const bool dumps = std::exchange(unsaved_, false);
  if (dumps)
    for (PoweredPart* const part : attached_) part->power_off();
  if (parts_.media->power != nullptr) parts_.media->power->power_off();
  if (parts_.flash && parts_.flash->power != nullptr) parts_.flash->power->power_off();
  if (runs_)
    end_firmware();
  else
    timeline().withdraw(*this);
  const Picoseconds now = timeline().now();
  powered_ = false;
  rail_.set(0, now);
  if (!dumps || controller_ == nullptr) return {};
  const bool lost_writes = controller_->core().memory().dumped(dump_engine_.dump(now));
  return {dump_engine_.failed(), lost_writes};
}

/// Controller and link lose everything but what the firmware has counted and the dumped regions.
void DriveModule::end_firmware() {
  runs_ = false;
  who_is_told_ = nullptr;
  if (controller_ != nullptr) {
    MetricSet counted;
    firmware_->report(counted);
    counted.add_counts(before_cut_);
    before_cut_ = std::move(counted);
    firmware_ = nullptr;
    controller_->power_off();
  }
  if (processor_port_ != nullptr) processor_port_->power_off();
  if (host_interface_ != nullptr) host_interface_->power_off();
  bus_.power_off();
  if (block_target_ != nullptr) block_target_->power_off();
  timeline().withdraw(*this);
  for (const auto& checker : checkers_) checker->power_off();
  for (const auto& recorder : recorders_) recorder->power_off();
  const auto power_off = [](const auto& part) {
    if (part && part->power != nullptr) part->power->power_off();
  };
  power_off(parts_.cpu);
  power_off(parts_.controller);
  power_off(parts_.host_interface);
  power_off(parts_.dram);
}

void DriveModule::restart_firmware(std::function<void()> stopped) {
  if (host_interface_ != nullptr) host_interface_->power_off();
  controller().halt([this, stopped = std::move(stopped)] {
    end_firmware();
    stopped();
  });
}

void DriveModule::rethrow_failure() const {
  try {
    timeline_.rethrow_failure();
  } catch (const LivenessBug& bug) {
    const std::string firmware = config_.foreign_firmware();
    if (firmware.empty()) throw;
    throw FirmwareFault(firmware + ": " + bug.what());
  }
}

Picoseconds DriveModule::answers() const {
  return controller_ == nullptr ? timeline_.timeline().now() : controller_->core().executor().now();
}

Picoseconds DriveModule::restart_delay() const { return config_.power.outage + config_.power.boot_time + dump_engine_.restore_time(); }

double DriveModule::density_gain() const {
  for (const Region& region : plan_) {
    if (region.format == RecordingFormat::shingled || region.format == RecordingFormat::wave)
      return config_.media.shingled_gain != 0 ? config_.media.shingled_gain : region.head_width;
    if (region.format == RecordingFormat::interlaced) return config_.media.density_gain;
  }
  return 1.0;
}

void DriveModule::report(MetricSet& metrics, LongTime elapsed) const {
  const Picoseconds now = timeline_.timeline().now();
  if (controller_ != nullptr) controller_->core().report(metrics, elapsed, now);
  if (host_interface_ != nullptr) host_interface_->core().report(metrics, elapsed);
  if (parts_.media->report != nullptr) parts_.media->report->report(metrics, now);
  bus_.interconnect().report(metrics, now);
  if (controller_ != nullptr && controller_->burst_engines() != nullptr) controller_->burst_engines()->report(metrics);
  if (parts_.dram->report != nullptr) parts_.dram->report->report(metrics, now);
  if (parts_.flash && parts_.flash->report != nullptr) parts_.flash->report->report(metrics, now);
  const auto report = [&](const auto& part) {
    if (part && part->report != nullptr) part->report->report(metrics, now);
  };
  report(parts_.cpu);
  report(parts_.controller);
  report(parts_.host_interface);
  dump_engine_.report(metrics);
  if (firmware_ == nullptr) return;
  MetricSet firmware;
  firmware_->report(firmware);
  firmware.add_counts(before_cut_);
  metrics.append(firmware);
}

void DriveModule::reset_statistics() {
  if (controller_ != nullptr) controller_->core().reset_statistics();
  if (host_interface_ != nullptr) host_interface_->core().reset_statistics();
  bus_.interconnect().reset_statistics(timeline().now());
  if (dram_ != nullptr) dram_->device().reset_statistics(timeline().now());
}

// --- Rests ---

// A drive's rests, which pass without the clock: each part is told how long. What comes at an instant of its own (bits that flip, defects
// that grow, somebody else's parts) keeps the clock.

bool DriveModule::may_rest() const {
  const bool own = media_ != nullptr && dram_ != nullptr && controller_ != nullptr && host_interface_ != nullptr &&
                   (!parts_.flash || nand_ != nullptr) && attached_.empty();
  const bool native = config_.image == nullptr && processor_port_ == nullptr && registers_ == nullptr;
  return own && native && pace_ == nullptr && checkers_.empty() && recorders_.empty() && block_target_ == nullptr &&
         !DramFaults::any(config_.dram) && config_.media.grown_defects.empty() && timeline_.alone();
}

void DriveModule::rest(Picoseconds by) {
  controller_->core().executor().firmware_signals().rest(by);
  controller_->core().memory().rest(by);
  media_->device().rest(by, timeline().now());
  bus_.interconnect().rest(by);
  dram_->device().rest(by);
  if (nand_ != nullptr) nand_->device().rest(by);
}

}  // namespace tessera
