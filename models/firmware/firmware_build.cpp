#include "firmware/firmware_build.hpp"

namespace tessera {

Firmware::Firmware(const FirmwareConfig& config, const LayerFactory& factory, const Ports& ports, const DriveGeometry& geometry,
                   const FormatPlan& plan)
    : ports_(ports), layer_(factory.make(ports, geometry, plan)), top_(layer_.get()) {
  if (config.write_cache.capacity.value() != 0) {
    write_cache_ = std::make_unique<WriteCache>(config.write_cache, ports, geometry, plan, *top_);
    top_ = write_cache_.get();
  }
  if (config.read_cache.segments != 0) {
    read_cache_ = std::make_unique<ReadCache>(config.read_cache, ports, *top_);
    top_ = read_cache_.get();
  }
  server_ = std::make_unique<CommandServer>(ports, *top_, config.overheads);
  const SpareLayout spares(geometry);
  if (spares.usable()) defects_ = std::make_unique<DefectManager>(config.defects, ports, spares, geometry.sector_bytes);
}

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
