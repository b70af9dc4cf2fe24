#pragma once
// The drive: every block as a SystemC module, bound over TLM sockets. The one place where blocks meet.
//
//        host socket
//             |
//     HostInterfaceModule --(mailbox)--+   +-- processor socket (optional)
//                                      |   |
//     ControllerModule ------------ BusModule ---- DramModule     each of these, and what stands between
//       CpuModule ---------------------+  |                       CpuModule and the bus, may be
//                             MediaModule  NandModule             somebody else's (drive_parts_module.hpp)
#include <functional>
#include <memory>
#include <optional>
#include <systemc>

#include "base/idle_initiator_module.hpp"
#include "base/pace_module.hpp"
#include "base/timeline_module.hpp"
#include "bus/bus_module.hpp"
#include "bus/protocol_checker_module.hpp"
#include "bus/shared_target_module.hpp"
#include "bus/transaction_recorder_module.hpp"
#include "controller/controller_module.hpp"
#include "dram/dram_module.hpp"
#include "host/block_target_module.hpp"
#include "host/host_interface_module.hpp"
#include "machine/external_firmware.hpp"
#include "machine/image_firmware.hpp"
#include "machine/linked_firmware.hpp"
#include "machine/processor_port_module.hpp"
#include "machine/register_bus_module.hpp"
#include "media/media_module.hpp"
#include "nand/nand_module.hpp"
#include "platforms/drive/drive_config.hpp"
#include "platforms/drive/drive_parts_module.hpp"
#include "platforms/drive/parameter_attributes_module.hpp"
#include "platforms/drive/prefill_survey.hpp"
#include "power/dump_engine.hpp"
#include "power/power_cycle.hpp"

namespace tessera {

class DriveModule : public sc_core::sc_module,
                    public PoweredDrive,
                    private TrackCapacity,
                    private FlashCatalogue,
                    private TimelineListener,
                    private FirstContent {
 public:
  /// `plan` from plan_drive(); InputError where the firmware's tables do not fit the DRAM, or the dumped ones the dump area.
  DriveModule(sc_core::sc_module_name name, const DriveConfig& config, const FormatPlan& plan, ContentMode content, std::uint64_t seed,
              DriveParts parts = {});
  ~DriveModule() override;

  /// Where a host binds: HostExtension payloads, see host/host_interface_module.hpp. A drive that is asked neither for this nor for
  /// block_socket() has no host.
  [[nodiscard]] PartSocket& host_socket() {
    has_host_ = true;
    return *host_socket_;
  }
  /// What a host of ours calls instead; null where it has to bind: nothing but the drive's own host interface may be behind the socket.
  [[nodiscard]] HostInterfaceModule* direct_host() { return by_calls() && block_target_ == nullptr ? host_interface_.get() : nullptr; }
  /// Where an initiator of plain payloads binds instead: the drive by byte offset, see host/block_target_module.hpp. To be asked for before
  /// the simulation starts.
  [[nodiscard]] PartSocket& block_socket();
  /// Where a processor of somebody else's may bind, beside the controller's own, to reach DRAM, media and flash over the bus.
  [[nodiscard]] PartSocket& processor_socket();
  /// Has a part that is none of DriveParts, a host controller, lose its power with the drive: before the drive itself, and back with it.
  void attach(PoweredPart& part) { attached_.push_back(&part); }
  /// Where the processor of DriveParts::processor binds: its socket and its pins.
  [[nodiscard]] ProcessorPortModule& processor_port() {
    TESSERA_CHECK(processor_port_ != nullptr, "the drive's processor is not somebody else's");
    return *processor_port_;
  }
  [[nodiscard]] TimelineModule& timeline_module() { return timeline_; }
  [[nodiscard]] Timeline& timeline() { return timeline_.timeline(); }

  // Of the power; PowerCycle calls these in their order, and so may whoever has no use for one.
  /// `booted` is called when kernel time is the instant of it, so that it may spawn a host; at once where the drive is alone.
  void power_on(bool after_power_cut, std::function<void(Status)> booted) override;
  PowerLoss power_off() override;
  void power_back() override;
  void restart_firmware(std::function<void()> stopped) override;
  void on_memory_error(std::function<void()> restart) override { memory_error_ = std::move(restart); }
  [[nodiscard]] Picoseconds outage() const override { return config_.power.outage; }
  [[nodiscard]] Picoseconds restart_delay() const override;
  [[nodiscard]] Picoseconds restart_time() const override { return config_.power.boot_time; }
  [[nodiscard]] Picoseconds answers() const override;

  /// Puts the first `sectors` into the used state; right after the power_on() that formats. With `contents` the platters hold the
  /// prefill marks of their blocks (PrefillSurvey), where content is kept.
  void prefill(std::uint64_t sectors, bool contents);
  /// In place of prefill(): the drive's first sectors hold what a raw image does, where the layer looks for them; mode `bytes`. The file
  /// stays as it is, and is read as long as the drive lives. InputError where the drive cannot hold it. Until time passes or a transfer
  /// comes, transport_dbg of the block socket changes what it holds (drive_state.cpp).
  void load_image(const std::filesystem::path& file);
  /// What the host was last acknowledged, as a raw image of the drive with holes.
  void save_image(const std::filesystem::path& file);
  /// Null where nothing is prefilled or contents were not asked for.
  [[nodiscard]] const PrefillContents* prefill_contents() const { return prefill_contents_.get(); }
  /// What the drive keeps without power, after power_off() (drive_state.cpp).
  void save_state(StateWriter& out) const;
  /// In place of a first boot, before any power_on(); of a drive of the same description and content mode. The boot that follows is one
  /// after a power cut.
  void load_state(StateReader& in);
  /// Who is given the lines that a firmware image sends over its serial line, with their times; standard error where nobody is.
  void on_uart_line(std::function<void(const std::string&, Picoseconds)> listener) { uart_line_ = std::move(listener); }
  /// Who stops the processor of a firmware image; before the first power_on().
  void debug(HartDebugger* debugger) { debugger_ = debugger; }
  /// Counts where the cycles of a firmware image's processor go, from its next boot on; null: nobody does.
  void count_cycles(riscv::HartProfile* profile) { profile_ = profile; }
  [[nodiscard]] const DriveConfig& config() const { return config_; }

  /// For user data; 0 while the firmware has no power.
  [[nodiscard]] Bytes capacity() const;
  [[nodiscard]] bool idle() const { return controller_->core().idle(); }
  /// Whether the firmware boots: what it could not read so far is what MediaDevice::unread() names.
  [[nodiscard]] bool boots() const { return boots_; }
  /// The firmware that runs; there is none while the power is off, or where the controller is somebody else's.
  [[nodiscard]] DriveFirmware& firmware() {
    TESSERA_CHECK(firmware_ != nullptr, "the drive runs no firmware of ours");
    return *firmware_;
  }
  /// How full the bands of the layer are now; empty while no firmware runs, and where TranslationLayer::band_levels() says so.
  [[nodiscard]] BandLevels band_levels() const { return firmware_ != nullptr ? firmware_->band_levels() : BandLevels(); }
  /// See ZoneCommands::in_doubt(); empty where band_levels() is.
  [[nodiscard]] std::vector<ReadDoubt> reads_in_doubt() const {
    return firmware_ != nullptr ? firmware_->reads_in_doubt() : std::vector<ReadDoubt>();
  }
  /// The zones as they are now, in no time; none where the layer has none, or band_levels() is empty.
  [[nodiscard]] std::vector<ZoneDescriptor> zones() const {
    return firmware_ != nullptr ? firmware_->zones() : std::vector<ZoneDescriptor>();
  }
  [[nodiscard]] const SectorShape& sector_shape() const { return sector_shape_; }

  /// The signals of every block, by its SystemC name: those of the drive's own from the drive's name on, first of all, then those of each
  /// part of somebody else's that has any.
  struct SignalRoot {
    std::string name;
    SignalScope& signals;
  };
  [[nodiscard]] const std::vector<SignalRoot>& signal_roots() const { return signal_roots_; }
  /// The signals of the drive's own blocks.
  [[nodiscard]] SignalScope& signals() { return signals_; }
  /// Every signal of the drive, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override;

  /// Whether the drive has made its own media and DRAM; where not, media() and dram() may not be asked for.
  [[nodiscard]] bool has_own_media() const { return media_ != nullptr; }
  /// Of the drive's own host interface; null where that part was given.
  [[nodiscard]] const Watchdog* watchdog() const { return host_interface_ == nullptr ? nullptr : &host_interface_->core().watchdog(); }
  /// Ends the run as rethrow_failure() does; a drive that never answers is the fault of the firmware that it runs, where that is not ours.
  void rethrow_failure() const;
  [[nodiscard]] bool has_own_dram() const { return dram_ != nullptr; }
  [[nodiscard]] MediaModule& media() {
    TESSERA_CHECK(has_own_media(), "the drive's media is not its own");
    return *media_;
  }
  [[nodiscard]] const MediaModule& media() const { return const_cast<DriveModule*>(this)->media(); }
  [[nodiscard]] DramModule& dram() {
    TESSERA_CHECK(has_own_dram(), "the drive's DRAM is not its own");
    return *dram_;
  }
  /// Null on a drive without flash, and where the flash is not its own.
  [[nodiscard]] NandModule* nand() { return nand_.get(); }
  [[nodiscard]] const DumpEngine& dump_engine() const { return dump_engine_; }
  [[nodiscard]] bool has_own_controller() const { return controller_ != nullptr; }
  [[nodiscard]] Controller& controller() {
    TESSERA_CHECK(has_own_controller(), "the drive's controller is not its own");
    return controller_->core();
  }

  /// Sectors of the platter area if it were recorded conventionally at the same linear density.
  [[nodiscard]] std::uint64_t physical_sectors() const { return geometry_.physical_sectors(); }
  /// By how much the plan's format packs tracks closer: computed for shingled ones (head width), declared for interlaced ones.
  [[nodiscard]] double density_gain() const;

  /// Whether rest() may be called when nothing is under way: with parts of the drive's own alone, whose times it can shift, and nobody else
  /// in the kernel. Once the simulation runs.
  [[nodiscard]] bool may_rest() const;
  /// Takes out of the calendar what only waits for commands that do not come.
  void stand_down() { host_interface_->core().stand_down(); }
  /// `by` passes in which nothing happens, without the timeline: now() is what it was.
  void rest(Picoseconds by);
  /// Metrics of every block as of now(); utilisation over `elapsed`.
  void report(MetricSet& metrics, LongTime elapsed) const;
  /// Begins the measurement: shares of the measured time start anew.
  void reset_statistics();

 private:
  void before_end_of_elaboration() override;
  void on_time(std::uint64_t) override;
  void declare_signals();
  void end_firmware();
  void make_parts(std::uint64_t seed);
  void bind_parts();
  void bind_cpu();
  void bind_host();
  PartSocket& behind_watchers(const std::string& name, PartSocket& socket);
  template <class Socket>
  void bind_initiator(PartInitiator& from, Socket& to, const std::string& name);
  void power_on_parts();
  void start_strangers(std::function<void(Status)> booted);
  [[nodiscard]] MemoryPath path_to_memory();
  void end_of_elaboration() override;
  void start_of_simulation() override;
  [[nodiscard]] bool by_calls() const;
  [[nodiscard]] ControllerSurroundings surroundings();
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override { return media_->device().sectors_on(track); }
  [[nodiscard]] bool uniform() const override { return media_->device().uniform(); }
  [[nodiscard]] FlashShape shape() const override { return nand_->device().shape(); }
  [[nodiscard]] bool is_bad(NandBlock block) const override { return nand_->device().array().is_bad(block); }
  [[nodiscard]] FlashLane lane_of(const FlashCommand& command) const override;
  void load_firmware(bool after_power_cut, std::function<void(Status)> booted);
  void tell(std::function<void()> of_boot);
  void tell_booted();
  void lay_prefill_contents();
  void read(HostBlock block, std::span<std::byte> to) const override { image_->read(block, to); }
  [[nodiscard]] bool write(HostBlock block, std::span<const std::byte> from) override;
  void check_dump_blocks() const;
  [[nodiscard]] std::unique_ptr<FirmwareEntry> load_image(const Ports& ports);
  [[nodiscard]] std::unique_ptr<DriveFirmware> load_external(const Ports& ports);
  void make_processor_port();
  void make_register_bus();
  [[nodiscard]] LinkedSetup linked_setup();
  [[nodiscard]] LayerFactory& selected_layer() const;
  [[nodiscard]] std::uint64_t place_of_boot_data() const;
  [[nodiscard]] Bytes firmware_memory() const;
  void make_boot_data();
  [[nodiscard]] Bytes processor_memory() const;
  [[nodiscard]] Bytes image_in_tcm() const;
  [[nodiscard]] bool reaches_tcm_by_address() const;
  [[nodiscard]] UnitSetup unit_setup();
  void entries_lie(Entries which, DramAddress at, Bytes bytes);
  [[nodiscard]] ImageSetup image_setup();
  [[nodiscard]] Picoseconds register_read(std::uint32_t bytes, Picoseconds at);

  SignalScope signals_;
  SignalScope& power_ = signals_.part("power");
  Signal rail_ = power_.bit("rail", 1);
  std::vector<SignalRoot> signal_roots_;
  mutable std::vector<std::unique_ptr<SignalTraces>> traces_;  // by root

  const DriveConfig& config_;
  std::optional<ParameterAttributes> attributes_;
  FormatPlan plan_;
  DriveGeometry geometry_;
  SectorShape sector_shape_;
  DriveParts parts_;
  std::vector<std::byte> boot_data_;              // of firmware behind registers
  std::unique_ptr<TimelineModule> own_timeline_;  // null where several drives share one
  TimelineModule& timeline_;
  sc_core::sc_event booted_;           // at kernel time, where somebody else may act on it
  std::function<void()> who_is_told_;  // of that
  BusModule bus_;
  std::unique_ptr<MediaModule> media_;  // of the drive's own parts; null where parts_ were given
  std::unique_ptr<DramModule> dram_;
  std::unique_ptr<NandModule> nand_;
  std::unique_ptr<HostInterfaceModule> host_interface_;
  std::vector<std::unique_ptr<ProtocolCheckerModule>> checkers_;  // which calls pass to the end, too
  std::vector<std::unique_ptr<TransactionRecorderModule>> recorders_;
  std::unique_ptr<RegisterTargetModule> registers_;  // null but for linked firmware through registers
  std::unique_ptr<RegisterInitiatorModule> register_bus_;
  std::unique_ptr<ControllerModule> controller_;  // whose firmware uses these to its end
  std::unique_ptr<ProcessorPortModule> processor_port_;
  std::unique_ptr<BlockTargetModule> block_target_;  // made when it is asked for
  std::unique_ptr<SharedTargetModule> hosts_;        // in front of it
  PartSocket* host_socket_ = nullptr;
  PartSocket* processor_socket_ = nullptr;
  bool has_host_ = false;
  std::vector<PoweredPart*> attached_;
  std::unique_ptr<IdleInitiatorModule> idle_host_;
  std::unique_ptr<PaceModule> pace_;
  DumpEngine dump_engine_;
  bool powered_ = true;          // media and flash
  bool runs_ = false;            // the firmware
  bool unsaved_ = false;         // the DRAM holds what a power cut is to dump: since the firmware began
  bool boots_ = false;           // since a power-on, or after one that a cut or restart ended
  std::uint64_t prefilled_ = 0;  // sectors
  std::unique_ptr<PrefillContents> prefill_contents_;
  std::unique_ptr<LoadedImage> image_;
  Picoseconds image_loaded_;  // when
  std::function<void()> memory_error_;
  std::function<void(Status)> strangers_booted_;  // where no firmware of ours boots
  std::function<void(const std::string&, Picoseconds)> uart_line_;
  HartDebugger* debugger_ = nullptr;
  riscv::HartProfile* profile_ = nullptr;
  std::optional<ProcessorSignals> processor_signals_;  // of a firmware image's
  std::uint64_t untold_ = 0;                           // ImageSetup
  MetricSet before_cut_;                               ///< what firmware that power cuts ended had counted
  DriveFirmware* firmware_ = nullptr;                  ///< owned by the controller
};

}  // namespace tessera
