#pragma once
// A translation layer whose code lies in a shared library, behind the firmware interface (tessera_firmware.h).
#include <memory>
#include <string>

#include "platforms/plugin/plugin_machine.hpp"
#include "platforms/plugin/plugin_values.hpp"

namespace tessera {

class PluginLayer final : public TranslationLayer, private PluginSpawner {
 public:
  /// InputError where the layer refuses to be made, or offers no capacity. `code` lives as long as the process.
  PluginLayer(const tessera_layer& code, const std::string& firmware, const Ports& ports, const DriveGeometry& geometry,
              const FormatPlan& plan, const std::vector<tessera_value>& values);
  ~PluginLayer() override;

  [[nodiscard]] std::uint64_t user_sectors() const override { return user_sectors_; }
  Task<Status> format() override { return boot(false); }
  Task<Status> recover() override { return boot(true); }
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  bool holds(LogicalRun run) override;
  bool absorbs(LogicalRun run) override;
  void received(LogicalRun run) override;
  [[nodiscard]] bool streams_writes() const override;
  Task<Status> flush() override;
  Task<Status> trim(LogicalRun run) override;
  void start_background() override;
  [[nodiscard]] bool idle() const override;
  void prefill(std::uint64_t sectors) override;
  void report(MetricSet& metrics) const override;

 private:
  Task<Status> boot(bool after_power_cut);
  /// Hands `command` to the library and carries out what it waits for until it completes.
  Task<Status> carry_out(tessera_command command, DataSpan data);
  Task<Status> wait_through(PluginOperation& operation);
  Task<void> background(void* state);
  void spawn(void* state, const char* name) override;

  const tessera_layer& code_;
  Ports ports_;
  mutable PluginMachine machine_;
  void* self_ = nullptr;
  std::uint64_t user_sectors_ = 0;
};

}  // namespace tessera
