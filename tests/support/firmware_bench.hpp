#pragma once
// A whole drive on a virtual clock, without SystemC: the controller's core wired straight to the media, NAND and DRAM cores,
// with a scoreboard on the host's side. For tests of firmware and of the controller, in microseconds a case.
//
//   FirmwareBench bench(config, image);      // boots and formats
//   bench.write(0, 8);                       // 512 B blocks; runs until completed
//   auto& read = bench.submit(HostOp::read, 0, 8);  bench.run_until_done(read);
//   bench.cut_at(time);                      // power cut at an instant, then recovery; lost requests are not issued again
//   CHECK(bench.scoreboard().errors() == 0);
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/interconnect.hpp"
#include "controller/controller.hpp"
#include "dram/dram_device.hpp"
#include "host/host_interface.hpp"
#include "media/media_device.hpp"
#include "nand/nand_device.hpp"
#include "power/power_cycle.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"

namespace tessera::test {

inline constexpr std::uint64_t blocks_per_sector = 8;  ///< of 4 KiB

struct BenchConfig {
  MediaConfig media;
  FormatPlan plan;
  std::optional<NandConfig> nand;
  BusConfig bus;
  DramConfig dram;
  ControllerConfig controller;
  MemoryPlacement placement;
  HostConfig host;
  ContentMode content = ContentMode::tags;
  DurabilityPromise promise = DurabilityPromise::acknowledged;
  std::uint64_t seed = 1;
  /// How often the firmware tries to read a sector before it takes its data for lost.
  std::uint32_t reads_before_loss = 1;
  /// What the platters hold at the start, and the blocks that they hold it of; the image is to prefill the firmware alike.
  const InitialContent* initial = nullptr;
  PrefilledBlocks prefilled;

  /// No link, CPU or DRAM time: end-to-end times are then sums of media and flash service times.
  BenchConfig& ideal_electronics();
};

class FirmwareBench final : private MediaLink,
                            private FlashLink,
                            private CpuLink,
                            private DramLink,
                            private HostLinkUp,
                            private TrackCapacity,
                            private FlashCatalogue,
                            private NandClient,
                            private TimelineListener,
                            private HostInterface::Downstream,
                            private HostInterface::Upstream,
                            private PoweredDrive,
                            private PowerOwner {
 public:
  /// `image` makes the firmware at each power-on.
  FirmwareBench(const BenchConfig& config, Controller::Image image);
  FirmwareBench(const FirmwareBench&) = delete;
  FirmwareBench& operator=(const FirmwareBench&) = delete;
  ~FirmwareBench();

  /// Issues a request at now(), or, where all tags are in use, as soon as one is free; blocks of 512 B.
  HostRequest& submit(HostOp op, std::uint64_t first, std::uint32_t count, bool force_unit_access = false, bool all_zones = false);
  /// The host gives up a request that is not completed; it ends all the same, in most cases as `aborted`.
  void give_up(HostRequest& request) { host_.abort(request); }
  /// Runs until the request is completed and gives its status; a drive that goes quiet without completing it is a model bug.
  Status run_until_done(HostRequest& request);
  [[nodiscard]] static bool done(const HostRequest& request) { return request.number == completed_mark; }

  Status write(std::uint64_t first, std::uint32_t count, bool fua = false) {
    return run_until_done(submit(HostOp::write, first, count, fua));
  }
  Status read(std::uint64_t first, std::uint32_t count) { return run_until_done(submit(HostOp::read, first, count)); }
  Status flush() { return run_until_done(submit(HostOp::flush, 0, 0)); }
  Status trim(std::uint64_t first, std::uint32_t count) { return run_until_done(submit(HostOp::trim, first, count)); }
  /// Runs until every submitted request is completed.
  void run_until_all_done();
  /// Runs until the controller is idle (buffers drained, background work ended) or `limit` more time has passed.
  void run_until_idle(Picoseconds limit);
  void run_for(Picoseconds time);

  /// Runs to the instant, cuts the power there, turns it on again and boots through recover(). Uncompleted requests are lost.
  void cut_at(Picoseconds when);
  void cut_now();
  /// As cut_at(), at the instant when `actions` timeline actions have been carried out from now on; false when the drive went
  /// quiet before, in which case nothing is cut. Tries every interleaving of a short scenario.
  bool cut_after_actions(std::uint64_t actions);
  /// Dumps fail from now on: of so many pieces the first `saved(pieces)` are whole. Before the first request.
  void fail_dumps(std::function<std::uint64_t(std::uint64_t pieces)> saved);
  /// Restarts the firmware without a power cut: what the devices have begun ends, then it boots through recover(). Uncompleted requests are
  /// lost. After `actions` as cut_after_actions().
  void restart_now();
  bool restart_after_actions(std::uint64_t actions);
  /// Whether a table in the DRAM could not be read since the last boot: restart_now() is to follow.
  [[nodiscard]] bool memory_failed() const { return memory_failed_; }
  /// Restarts the firmware and cuts the power when `actions` timeline actions of its stop have been carried out, if it lasts so long.
  void cut_while_stopping(std::uint64_t actions);
  /// Cuts the power now, and again when `actions` timeline actions of the recovery have been carried out, or after it if it has fewer.
  /// Gives whether it has more.
  bool cut_twice(std::uint64_t actions);
  /// Cuts the power now, and again after `time` of the recovery.
  void cut_twice(Picoseconds time);
  /// Reads back every block that was ever written or prefilled, through the firmware.
  void verify_all();
  /// Blocks that verify_all() could not read although nothing exempts them: destroyed by a write that overlapped, or lost.
  [[nodiscard]] std::uint64_t unreadable_blocks() const { return unreadable_blocks_; }

  /// Writes of whole sectors, TRIMs and FLUSHes that failed. Faults of a medium are a reason for a FLUSH alone, which cannot complete a
  /// sector that was written in part and whose rest a fault took.
  [[nodiscard]] std::uint64_t failed_whole_requests() const { return failed_whole_requests_; }
  [[nodiscard]] std::uint64_t failed_flushes() const { return failed_flushes_; }

  [[nodiscard]] Picoseconds now() const { return timeline_.now(); }
  [[nodiscard]] Timeline& timeline() { return timeline_; }
  [[nodiscard]] MediaDevice& media() { return media_; }
  [[nodiscard]] const MediaDevice& media() const { return media_; }
  [[nodiscard]] NandDevice& nand() { return *nand_; }
  [[nodiscard]] DramDevice& dram() { return dram_; }
  [[nodiscard]] const HostInterface& host() const { return host_; }
  /// As the drive does where its layer has zones.
  void tell_writes_in_order() {
    host_.tell_writes_in_order();
    controller().host_channel().tell_writes_in_order();
  }
  [[nodiscard]] Controller& controller() { return *controller_; }
  [[nodiscard]] Scoreboard& scoreboard() { return *scoreboard_; }
  [[nodiscard]] Status boot_status() const { return boot_status_; }
  /// Metric `name` as the controller, devices and `report` of the caller's layer give it; a model bug if there is none.
  [[nodiscard]] double metric(const std::string& name, const std::function<void(MetricSet&)>& layer_report = {}) const;

  /// Every media step as it was started, since the last clear: for tests of operation sequences.
  struct StepRecord {
    MediaOp op;
    StepHint hint;
    PhysicalRun run;
    Picoseconds begin;
    MediaTiming timing;
    Bytes moved;  ///< between platters and DRAM: whole sectors where they have a buffer, and their headers
  };
  std::vector<StepRecord> steps;
  /// Of `steps`: the time of all, those in the regions of this name, and the sectors that these read or wrote.
  [[nodiscard]] Picoseconds media_time() const;
  [[nodiscard]] std::vector<StepRecord> steps_in(std::string_view region) const;
  [[nodiscard]] std::uint64_t sectors_in(std::string_view region, MediaOp op) const;
  /// Every flash command as it was started.
  struct FlashRecord {
    FlashOp op;
    NandPage page;
    NandBlock block;
    Bytes moved;  ///< between flash and DRAM, out-of-band bytes included
    NandPage from{};
  };
  std::vector<FlashRecord> flash_commands;
  /// Every DMA of host data and every copy as it was started, and the address of the last access to a table: where things lie in the DRAM.
  struct DmaRecord {
    DramAddress address;
    Bytes bytes;
    Access access;
  };
  std::vector<DmaRecord> dmas;
  DramAddress last_table_access;

 private:
  static constexpr std::uint64_t completed_mark = ~std::uint64_t{0};

  void start(const MediaStep& step) override;
  void give_up(std::uint32_t arm) override;
  void start(FlashCommand& command) override;
  Picoseconds access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) override;
  DmaGrant dma(const DmaTransfer& transfer, Picoseconds at) override;
  void move(DramAddress address, Bytes bytes, Access access, Picoseconds at) override;
  void report_failed();
  void complete(HostRequest& request) override { host_.complete(request); }
  void fetch(HostRequest& request) override { host_.fetch(request); }
  void send(HostRequest& request) override { host_.send(request); }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override { return media_.sectors_on(track); }
  [[nodiscard]] bool uniform() const override { return media_.uniform(); }
  [[nodiscard]] FlashShape shape() const override { return nand_->shape(); }
  [[nodiscard]] bool is_bad(NandBlock block) const override { return nand_->array().is_bad(block); }
  [[nodiscard]] FlashLane lane_of(const FlashCommand& command) const override;
  void done(FlashCommand& command, void* context, Picoseconds busy, Picoseconds now) override;
  void on_time(std::uint64_t argument) override;
  void arrived(HostRequest& request) override { controller_->arrived(request); }
  void abort(HostRequest& request) override { controller_->abort(request); }
  void completed(HostRequest& request) override;
  // Power that a test switches takes no time to come back, and the firmware none to begin.
  void power_on(bool after_power_cut, std::function<void(Status)> booted) override;
  PowerLoss power_off() override;
  void power_back() override;
  void restart_firmware(std::function<void()> stopped) override;
  void on_memory_error(std::function<void()>) override {}  // a test looks at memory_failed()
  [[nodiscard]] Picoseconds outage() const override { return {}; }
  [[nodiscard]] Picoseconds restart_delay() const override { return {}; }
  [[nodiscard]] Picoseconds restart_time() const override { return {}; }
  [[nodiscard]] Picoseconds answers() const override { return controller_->executor().now(); }
  void link_lost(Why why) override;
  void power_lost(const PowerLoss& loss) override;
  void formats() override {}
  void recovered() override { power_.serve(); }
  void stays_dead(Status) override {}
  void gives_up() override {}
  void boot();
  bool run_actions(std::uint64_t actions);
  void verify(const HostRun& run);

  BenchConfig config_;
  Timeline timeline_;
  MediaDevice media_;
  std::optional<NandDevice> nand_;
  Interconnect bus_;
  DramDevice dram_;
  HostInterface host_;
  std::unique_ptr<Scoreboard> scoreboard_;
  std::unique_ptr<Controller> controller_;
  std::deque<std::unique_ptr<HostRequest>> requests_;
  std::vector<std::uint32_t> free_tags_;
  std::size_t outstanding_ = 0;
  std::vector<std::size_t> step_in_hand_;  // by arm, in `steps`
  std::uint64_t unreadable_blocks_ = 0;
  std::uint64_t failed_whole_requests_ = 0;
  std::uint64_t failed_flushes_ = 0;
  std::function<std::uint64_t(std::uint64_t)> saved_pieces_;
  PowerCycle power_{timeline_, *this, *this};
  bool powered_ = true;   // the media
  bool runs_ = false;     // the firmware
  bool unsaved_ = false;  // since it began: a cut has something to dump
  bool booted_ = false;
  bool memory_failed_ = false;
  Status boot_status_ = Status::ok;
};

}  // namespace tessera::test
