#pragma once
// The flash channel: hands a batch's commands to the NAND and completes it when all of them are.
#include <functional>

#include "base/metrics.hpp"
#include "base/slot_pool.hpp"
#include "base/timeline.hpp"
#include "controller/controller_config.hpp"
#include "controller/device_links.hpp"
#include "controller/executor.hpp"
#include "controller/recovery_figures.hpp"

namespace tessera {

/// What the firmware may know of the array without asking a page.
class FlashCatalogue {
 public:
  virtual FlashShape shape() const = 0;
  virtual bool is_bad(NandBlock block) const = 0;
  /// The channel that a read or program takes, and for how long.
  virtual FlashLane lane_of(const FlashCommand&) const { return {}; }

 protected:
  ~FlashCatalogue() = default;
};

class FlashChannel final : public FlashPort, public FlashLinkUp, private TimelineListener {
 public:
  FlashChannel(Timeline& timeline, Executor& executor, FlashLink& link, DmaPort& dma, const FlashCatalogue& catalogue,
               const ControllerConfig& config);

  // FlashPort
  [[nodiscard]] FlashShape shape() const override { return catalogue_.shape(); }
  [[nodiscard]] bool is_bad(NandBlock block) const override { return catalogue_.is_bad(block); }
  void submit(FlashBatch& batch) override;
  /// Who looks after the buffers; nobody by default.
  void guard_buffers(BufferGuard& guard) { guard_ = &guard; }

  // FlashLinkUp
  void command_done(FlashCommand& command, Picoseconds busy) override;

  void power_off();
  /// The firmware is about to end: `quiet` is called when the commands that the NAND has, if any, have ended.
  void halt(std::function<void()> quiet);
  /// Adds what it served, by kind.
  void count(PortCounts& counts) const { counts += served_; }
  [[nodiscard]] bool idle() const { return active_.empty(); }
  void report(MetricSet& metrics) const;
  void reset_statistics() { commands_ = 0; }
  [[nodiscard]] SignalScope& signals() { return signals_; }

 private:
  /// Starts programs whose data is on its way, at the instant from which on the channel need not wait for it.
  class Feeder final : public TimelineListener {
   public:
    explicit Feeder(FlashLink& link) : link_(link) {}
    void on_time(std::uint64_t argument) override { link_.start(*reinterpret_cast<FlashCommand*>(argument)); }

   private:
    FlashLink& link_;
  };

  /// A read whose data the NAND has given and whose bursts are not all answered.
  struct Landing {
    FlashBatch* batch = nullptr;
    Picoseconds busy{};
    Picoseconds ended{};
  };
  class Lander final : public TimelineListener {
   public:
    explicit Lander(FlashChannel& channel) : channel_(channel) {}
    void on_time(std::uint64_t argument) override { channel_.landed(channel_.landings_.take(argument)); }

   private:
    FlashChannel& channel_;
  };

  void on_time(std::uint64_t argument) override;
  void landed(const Landing& landing);
  void start(FlashCommand& command);
  [[nodiscard]] Cause work_before(const FlashBatch& batch) const;
  void keep_order();

  SignalScope signals_;
  Signal depth_ = signals_.level("queue", 16);
  std::uint64_t outstanding_ = 0;

  Timeline& timeline_;
  Executor& executor_;
  FlashLink& link_;
  DmaPort& dma_;
  Feeder feeder_;
  Lander lander_{*this};
  SlotPool<Landing> landings_;
  const FlashCatalogue& catalogue_;
  BufferGuard* guard_ = nullptr;
  Picoseconds bus_latency_;
  Picoseconds programs_handed_over_;  // the last
  std::vector<FlashBatch*> active_;
  std::function<void()> quiet_;  // set while it halts
  PortCounts served_;
  std::uint64_t commands_ = 0;
};

}  // namespace tessera
