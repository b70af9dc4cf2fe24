#pragma once
// The controller's core: CPU, DRAM and the channels to the devices, and the firmware image that it boots. No SystemC.
//
// Modelled: cores with a cost table, interrupt lines, registers and rings over the bus, capacity and accesses of DRAM and TCM, the
// order of disk commands, fetch of named operations' code.
#include <functional>
#include <memory>
#include <string>

#include "base/long_time.hpp"
#include "base/long_wait.hpp"
#include "controller/code_memory.hpp"
#include "controller/control_path.hpp"
#include "controller/disk_channel.hpp"
#include "controller/dma_engines.hpp"
#include "controller/flash_channel.hpp"
#include "controller/host_channel.hpp"
#include "controller/memory_controller.hpp"
#include "controller/recovery_figures.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// What the controller is wired to; `flash` and `catalogue` are null on a drive without NAND.
struct ControllerLinks {
  MediaLink& media;
  const Positioning& positioning;
  const TrackCapacity& tracks;
  FlashLink* flash;
  const FlashCatalogue* catalogue;
  CpuLink& cpu;
  DramLink& dram;
  Interconnect& bus;
  HostLinkUp& host;
};

class Controller final : private TimelineListener {
 public:
  /// Makes the firmware from its image; called at every power-on.
  using Image = std::function<std::unique_ptr<FirmwareEntry>(const Ports&)>;

  Controller(Timeline& timeline, const ControllerConfig& config, const ControllerLinks& links, SectorShape shape, const MemoryMap& map,
             std::uint32_t tags, Image image);

  /// Tasks end before the firmware whose locks they hold.
  ~Controller() { executor_.power_off(); }
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// The DRAM can fail: from here on buffers are looked after, and `restart` is called at an instant at which a table could not be read:
  /// halt(), power_off() and power_on() are to follow, or a power cut.
  void expect_memory_errors(std::function<void()> restart);

  /// Loads the firmware and boots it; `booted` is called when boot() ended, with its status, at the timeline's now(). A boot that
  /// does not end within a simulated day is a bug of the model where its devices do not work.
  void power_on(bool after_power_cut, std::function<void(Status)> booted);
  /// The power failed at now(): every task ends, the DRAM is lost but for the dumped regions.
  void power_off();

  /// Resets the CPU at now() without a power cut: the firmware stops where it is, operations that a device has begun end as they would,
  /// and `quiet` is called when none is left, for power_off() and power_on() to follow. A power cut may come first.
  void halt(std::function<void()> quiet);

  /// A host request arrived over the link at now().
  void arrived(HostRequest& request) { host_channel_.arrived(request, *firmware_); }

  /// The host gave up a request, which may not have arrived.
  void abort(const HostRequest& request) {
    if (firmware_ != nullptr) host_channel_.abort(request, *firmware_);
  }

  /// The signals of its parts.
  [[nodiscard]] SignalScope& signals() { return signals_; }
  [[nodiscard]] Executor& executor() { return executor_; }
  [[nodiscard]] DiskChannel& disk_channel() { return disk_channel_; }
  [[nodiscard]] FlashChannel* flash_channel() { return flash_channel_.get(); }
  [[nodiscard]] MemoryController& memory() { return memory_; }
  /// What was asked for of the CPU's memory and moves nothing: a sentence each, without its full stop.
  [[nodiscard]] std::vector<std::string> placement_notes() const;
  [[nodiscard]] ControlPath& control_path() { return control_; }
  [[nodiscard]] HostChannel& host_channel() { return host_channel_; }
  [[nodiscard]] FirmwareEntry& firmware() { return *firmware_; }
  [[nodiscard]] Ports ports();

  /// Nothing is outstanding, buffered or begun: the state in which a run may end.
  [[nodiscard]] bool idle() const;
  /// What each task waits for and what the channels hold, in words: for messages about a drive that does not answer.
  [[nodiscard]] std::string account() const;
  /// Steps of the disk and commands of the flash.
  [[nodiscard]] DeviceWork work() const;
  void report(MetricSet& metrics, LongTime elapsed, Picoseconds now) const;
  void reset_statistics();

 private:
  enum Alarm : std::uint64_t { boot_overdue, devices_quiet };

  Task<void> boot(bool after_power_cut);
  void on_time(std::uint64_t argument) override;
  void tell_when_quiet();
  [[nodiscard]] PortCounts counts() const;

  SignalScope signals_;
  Timeline& timeline_;
  Executor executor_;
  MemoryController memory_;
  ControlPath control_;
  CodeMemory code_;
  DmaEngines dma_;
  DiskChannel disk_channel_;
  std::unique_ptr<FlashChannel> flash_channel_;
  HostChannel host_channel_;
  Image image_;
  std::unique_ptr<FirmwareEntry> firmware_;
  std::function<void(Status)> booted_;
  std::function<void()> quiet_;
  RecoveryFigures recovery_;
  LongWait boot_;
  std::uint64_t restarts_ = 0;
  std::uint64_t restarts_by_memory_error_ = 0;
};

}  // namespace tessera
