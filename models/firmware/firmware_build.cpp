#include "firmware/firmware_build.hpp"

namespace tessera {

namespace {

/// Null on a drive without spare tracks.
DefectManager* defect_manager(const DefectsConfig& config, const Ports& ports, const DriveGeometry& geometry) {
  const SpareLayout spares(geometry);
  return spares.usable() ? new DefectManager(config, ports, spares, geometry.sector_bytes) : nullptr;
}

Ports with_flash(const Ports& ports, FlashPort& flash) { return {ports.media, &flash, ports.memory, ports.cpu, ports.host}; }

/// The flash without its last `taken` blocks.
std::unique_ptr<FlashShare> share(const Ports& ports, std::uint64_t taken) { return std::make_unique<FlashShare>(*ports.flash, taken); }

/// The first blocks: a layer that such a cache is in front of uses none.
std::unique_ptr<FlashShare> tier_share(const DriveFlashConfig& config, const Ports& ports) {
  if (!config.caches_writes()) return nullptr;
  const FlashShape flash = ports.flash->shape();
  return share(ports, flash.blocks - config.write_blocks(flash));
}

}  // namespace

Firmware::Firmware(const FirmwareConfig& config, const LayerFactory& factory, const Ports& ports, const DriveGeometry& geometry,
                   const FormatPlan& plan)
    : ports_(ports),
      flash_of_layer_(config.flash_cache.used() ? share(ports, config.flash_cache.blocks(ports.flash->shape())) : nullptr),
      layer_(factory.make(ports_of_layer(), geometry, plan)),
      flash_of_tier_(tier_share(config.flash_cache, ports)),
      home_(flash_of_tier_ == nullptr ? nullptr : std::make_unique<tiers::AnyHome>(*layer_)),
      flash_tier_(flash_of_tier_ == nullptr
                      ? nullptr
                      : std::make_unique<tiers::FlashTier>(with_flash(ports, *flash_of_tier_),
                                                           config.flash_cache.write_tier(geometry.sector_bytes), *home_)),
      write_cache_(config.write_cache.capacity.value() == 0
                       ? nullptr
                       : std::make_unique<WriteCache>(config.write_cache, ports, geometry, plan, below_write_cache())),
      read_cache_(config.read_cache.segments == 0 ? nullptr : std::make_unique<ReadCache>(config.read_cache, ports, below_read_cache())),
      flash_cache_(config.flash_cache.caches_reads() ? std::make_unique<FlashReadCache>(config.flash_cache, ports, below_flash_cache())
                                                     : nullptr),
      top_(flash_cache_ != nullptr ? flash_cache_.get() : &below_flash_cache()),
      server_(std::make_unique<CommandServer>(ports, *top_, config.overheads)),
      defects_(defect_manager(config.defects, ports, geometry)),
      supervisor_(defects_ != nullptr ? std::unique_ptr<MediaSupervisor>(defects_) : factory.without_spares(ports.media)) {}

Ports Firmware::ports_of_layer() const { return flash_of_layer_ == nullptr ? ports_ : with_flash(ports_, *flash_of_layer_); }

TranslationLayer& Firmware::below_write_cache() const { return flash_tier_ != nullptr ? *flash_tier_ : *layer_; }

TranslationLayer& Firmware::below_read_cache() const { return write_cache_ != nullptr ? *write_cache_ : below_write_cache(); }

TranslationLayer& Firmware::below_flash_cache() const { return read_cache_ != nullptr ? *read_cache_ : below_read_cache(); }

Task<Status> Firmware::boot(bool after_power_cut) {
  return after_power_cut && defects_ != nullptr ? boot_from_table() : server_->boot(after_power_cut);
}

Task<Status> Firmware::boot_from_table() {
  const Status status = co_await defects_->load();
  if (!ok(status)) co_return status;
  co_return co_await server_->boot(true);
}

Task<void> Firmware::serve(HostCommand& command) {
  const bool changes = command.op == HostOp::write || command.op == HostOp::trim;
  return changes && defects_ != nullptr && defects_->read_only() ? refuse(command) : server_->serve(command);
}

Task<void> Firmware::refuse(HostCommand& command) {
  ports_.host.complete(command, Status::read_only);
  co_return;
}

}  // namespace tessera
