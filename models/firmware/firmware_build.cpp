#include "firmware/firmware_build.hpp"

namespace tessera {

void FirmwareConfig::describe(ParameterVisitor& visitor) {
  visitor.section("write_cache", write_cache, "write cache of the drive");
  visitor.section("read_cache", read_cache, "segmented read cache with read-ahead");
}

std::string FirmwareConfig::problem(const FormatPlan& plan, std::uint32_t sector_bytes) const {
  return write_cache.problem(plan, sector_bytes);
}

Firmware::Firmware(const FirmwareConfig& config, const LayerFactory& factory, const Ports& ports, const DriveGeometry& geometry,
                   const FormatPlan& plan)
    : layer_(factory.make(ports, geometry, plan)), top_(layer_.get()) {
  if (config.write_cache.capacity.value() != 0) {
    write_cache_ = std::make_unique<WriteCache>(config.write_cache, ports, geometry, plan, *top_);
    top_ = write_cache_.get();
  }
  if (config.read_cache.segments != 0) {
    read_cache_ = std::make_unique<ReadCache>(config.read_cache, ports, *top_);
    top_ = read_cache_.get();
  }
  server_ = std::make_unique<CommandServer>(ports, *top_);
}

void Firmware::report(MetricSet& metrics) const {
  top_->report(metrics);
  server_->report(metrics);
}

}  // namespace tessera
