#include "firmware/firmware_build.hpp"

#include <algorithm>
#include <iterator>

#include "firmware/layout/conventional_layout.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

namespace {

/// Null on a drive without spare tracks.
DefectManager* defect_manager(const DefectsConfig& config, const Ports& ports, const DriveGeometry& geometry) {
  return SpareLayout(geometry).usable() ? new DefectManager(config, ports, geometry) : nullptr;
}

#ifdef TESSERA_ON_TARGET
constexpr bool takes_policies = false;  // an image has its layer's own alone
#else
constexpr bool takes_policies = true;
#endif

/// As the layer and the caches see them.
Ports ports_above(const Ports& ports, TrackRefresh* refresh, const CleaningArms& cleaning, GuestPolicy* policy) {
  Ports above = refresh != nullptr ? Ports{*refresh, ports.flash, ports.memory, ports.cpu, ports.host} : ports;
  if (cleaning.chosen()) above.cleaning = &cleaning;
  above.policy = policy;
  return above;
}

ArmShares arm_shares(const LayerFactory& factory, const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan) {
  if (geometry.arms.size() < 2 || !factory.bounds().by_arm) return {};
  const FormatPlan data = regions_named(plan, "data");
  return ArmShares(ConventionalLayout(geometry, data, ports.media, ConventionalLayout::Reserve::as_zoned).arm_ends());
}

}  // namespace

Firmware::Firmware(const FirmwareConfig& config, const LayerFactory& factory, const Ports& ports, const DriveGeometry& geometry,
                   const FormatPlan& plan, MakeFlashFront make_front)
    : refresh_(config.refresh.used() ? std::make_unique<TrackRefresh>(config.refresh, ports, geometry, plan) : nullptr),
      cleaning_(config.cleaning_arm, geometry, ports.media),
      policy_(takes_policies && factory.policy() != nullptr ? factory.policy()->make(ports) : nullptr),
      ports_(ports_above(ports, refresh_.get(), cleaning_, policy_.get())),
      flash_front_(make_front != nullptr ? make_front(config.flash_cache, ports_) : nullptr),
      layer_(factory.make(flash_front_ != nullptr ? flash_front_->ports_of_layer() : ports_, geometry, plan)),
      home_(flash_front_ != nullptr ? &flash_front_->below_caches(*layer_) : layer_.get()),
      write_cache_(config.write_cache.capacity.value() == 0
                       ? nullptr
                       : std::make_unique<WriteCache>(config.write_cache, ports_, geometry, plan, *home_)),
      read_cache_(config.read_cache.segments == 0
                      ? nullptr
                      : std::make_unique<ReadCache>(config.read_cache, ports, below_read_cache(), write_cache_.get(),
                                                    arm_shares(factory, ports, geometry, plan))),
      top_(flash_front_ != nullptr ? &flash_front_->above_caches(caches()) : &caches()),
      server_(std::make_unique<CommandServer>(ports, *top_, config.overheads, layer_->zone_commands(), config.zeros_after_trim)),
      defects_(defect_manager(config.defects, ports, geometry)),
      supervisor_(defects_ != nullptr ? std::unique_ptr<MediaSupervisor>(defects_) : factory.without_spares(ports.media)),
      scan_(config.media_scan.used() ? std::make_unique<MediaScan>(config.media_scan, ports, geometry, plan, *defects_, *this) : nullptr) {}

TranslationLayer& Firmware::below_read_cache() const { return write_cache_ != nullptr ? *write_cache_ : *home_; }

TranslationLayer& Firmware::caches() const { return read_cache_ != nullptr ? *read_cache_ : below_read_cache(); }

Task<Status> Firmware::boot(bool after_power_cut) { return scan_ != nullptr ? boot_and_scan(after_power_cut) : boot_all(after_power_cut); }

Task<Status> Firmware::boot_and_scan(bool after_power_cut) {
  const Status status = co_await boot_all(after_power_cut);
  if (ok(status)) scan_->start();
  co_return status;
}

Task<Status> Firmware::boot_all(bool after_power_cut) {
  return refresh_ != nullptr ? boot_and_refresh(after_power_cut) : boot_below(after_power_cut);
}

Task<Status> Firmware::boot_below(bool after_power_cut) {
  return after_power_cut && defects_ != nullptr ? boot_from_table() : server_->boot(after_power_cut);
}

Task<Status> Firmware::boot_and_refresh(bool after_power_cut) {
  refresh_->recount(after_power_cut);
  if (after_power_cut && defects_ != nullptr) {
    // Before any track is written again: a manager that has not looked begins a table of its own at the first error.
    const Status loaded = co_await defects_->load();
    if (!ok(loaded)) co_return loaded;
  }
  co_await refresh_->mend();
  const Status status = co_await server_->boot(after_power_cut);
  if (ok(status)) refresh_->start();
  co_return status;
}

Task<Status> Firmware::boot_from_table() {
  const Status status = co_await defects_->load();
  if (!ok(status)) co_return status;
  co_return co_await server_->boot(true);
}

Task<void> Firmware::serve(HostCommand& command) {
  return takes_policies && policy_ != nullptr ? serve_and_tell(command) : serve_below(command);
}

Task<void> Firmware::serve_below(HostCommand& command) { return scan_ != nullptr ? serve_and_scan(command) : serve_or_refuse(command); }

Task<void> Firmware::serve_and_tell(HostCommand& command) {
  const Picoseconds begun = ports_.cpu.now();
  policy_->arrived(command);
  co_await serve_below(command);
  policy_->served(ports_.cpu.now() - begun);
}

Task<void> Firmware::serve_and_scan(HostCommand& command) {
  scan_->command_begins();
  co_await serve_or_refuse(command);
  scan_->command_ended();
}

Task<void> Firmware::serve_or_refuse(HostCommand& command) {
  const bool changes = command.op == HostOp::write || command.op == HostOp::trim || manages_zones(command.op);
  return changes && defects_ != nullptr && defects_->read_only() ? refuse(command) : server_->serve(command);
}

Task<void> Firmware::refuse(HostCommand& command) {
  ports_.host.complete(command, Status::read_only);
  co_return;
}

std::vector<ReadDoubt> Firmware::reads_in_doubt() const {
  std::vector<ReadDoubt> doubts;
  if (write_cache_ != nullptr) doubts = write_cache_->in_doubt();
  std::ranges::move(layer_->in_doubt(), std::back_inserter(doubts));
  return doubts;
}

std::vector<ZoneDescriptor> Firmware::zones() const {
  const ZoneCommands* const zones = layer_->zone_commands();
  std::vector<ZoneDescriptor> all;
  for (std::uint32_t zone = 0; zones != nullptr && zone < zones->zones(); ++zone) all.push_back(zones->describe(zone));
  return all;
}

std::uint32_t Firmware::conventional_zones() const {
  const ZoneCommands* const zones = layer_->zone_commands();
  std::uint32_t conventional = 0;
  while (zones != nullptr && conventional < zones->zones() && zones->describe(conventional).type == ZoneType::conventional) ++conventional;
  return conventional;
}

// --- Parameters ---

void FirmwareConfig::describe(ParameterVisitor& visitor) {
  visitor.enumeration(
      "cleaning_arm", cleaning_arm, {"any", "idle", "each"},
      "where a drive of several arms cleans: on whatever arm the victim is; on that which serves the fewest commands of the "
      "host; or a cleaning on each at once");
  visitor.field("zeros_after_trim", zeros_after_trim,
                "trimmed blocks read as zeros, as durable as a write (DZAT): the drive writes zeros where it does not know that it holds "
                "nothing; otherwise they read as zeros or as before, never older");
  visitor.section("write_cache", write_cache, "write cache of the drive");
  visitor.section("read_cache", read_cache, "segmented read cache with read-ahead");
  visitor.section("flash_cache", flash_cache, "flash in front of the layer, whatever the layer");
  visitor.section("overheads", overheads, "what an old drive's electronics take for a command, beside the CPU's cycles");
  visitor.section("defects", defects, "what is done about sectors that cannot be read or written, where there are spare tracks");
  visitor.section("refresh", refresh, "rewriting tracks whose neighbours were written often");
  visitor.section("media_scan", media_scan, "reading the whole medium while the host is idle (background medium scan)");
  visitor.section("placement", placement, "memory that each kind of the firmware's data lies in: the DRAM or the TCM (controller.tcm)");
}

std::string FirmwareConfig::problem(const FormatPlan& plan, std::uint32_t sector_bytes) const {
  if (std::string of_refresh = refresh.problem(plan); !of_refresh.empty()) return of_refresh;
  const std::string of_writes = write_cache.problem(plan, sector_bytes);
  return !of_writes.empty() ? of_writes : read_cache.problem(write_cache.capacity.value() / sector_bytes);
}

// --- Figures ---

void Firmware::report(MetricSet& metrics) const {
  top_->report(metrics);
  server_->report(metrics);
  if (defects_ != nullptr) defects_->report(metrics);
  if (refresh_ != nullptr) refresh_->report(metrics);
  if (scan_ != nullptr) scan_->report(metrics);
  if (policy_ != nullptr) policy_->report(metrics);
}

}  // namespace tessera
