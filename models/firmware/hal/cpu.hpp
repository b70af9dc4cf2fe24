#pragma once
// The executor of a processor that runs the firmware itself: one task at a time, from one await to the next, in the order in which they
// became ready. What code costs, its instructions cost: charges are for a processor that is modelled.
#include <cstdint>
#include <vector>

#include "firmware/hal/processor.hpp"
#include "firmware/hal/register_file.hpp"
#include "firmware/hal/reuse.hpp"

namespace tessera::hal {

/// A command's or background work's tree of coroutines. DeviceWait::root points to it.
struct Root {
  Task<void> task;
  HostTag tag = no_host_tag;
  DeviceWait start;
};

class Cpu final : public CpuPort, public Processor {
 public:
  explicit Cpu(RegisterFile& registers) : registers_(registers) {}

  // Processor
  [[nodiscard]] CpuPort& port() override { return *this; }
  void start(Task<void> task, HostTag tag) override;
  [[nodiscard]] HostTag tag() const override { return running_->tag; }
  void run() override;
  /// Makes those ready whose time has come, in the order of their times.
  void wake() override;
  void end() override;

  // CpuPort, and of the Processor suspend() and make_ready()
  void charge(CpuOperation, std::uint64_t) override {}
  /// The electronics that it stands for keep the processor waiting.
  void spend(Picoseconds time) override;
  [[nodiscard]] Picoseconds now() const override { return Picoseconds(registers_.read(Register::timer_now)); }
  void spawn(Task<void> task, const char*) override { start(std::move(task), no_host_tag); }
  void wake_at(Picoseconds when, DeviceWait& wait) override;
  void event(const FirmwareEvent& event) override;
  [[nodiscard]] std::uint32_t declare_gauge(const GaugeInfo& info) override;
  void gauge(std::uint32_t number, std::uint64_t value) override;
  void make_ready(DeviceWait& wait) override;
  void suspend(DeviceWait& wait, LifePhase phase) override;

 private:
  struct Sleeper {
    Picoseconds when;
    std::uint64_t order;
    DeviceWait* wait;
    bool operator>(const Sleeper& other) const { return when != other.when ? when > other.when : order > other.order; }
  };
  void set_alarm();

  RegisterFile& registers_;
  Reuse<Root> roots_;
  Root* running_ = nullptr;
  DeviceWait* first_ready_ = nullptr;  // linked by DeviceWait::next
  DeviceWait* last_ready_ = nullptr;
  std::vector<Sleeper> sleepers_;  // min-heap
  std::uint64_t orders_ = 0;
  std::uint64_t alarm_ = no_alarm;
  bool ending_ = false;
};

}  // namespace tessera::hal
