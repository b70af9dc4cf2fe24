#pragma once
// Units of a few registers: timer, interrupt controller, probe, identification with the firmware's requests, serial line.
#include <functional>
#include <optional>
#include <string>

#include "machine/machine.hpp"
#include "machine/register_file.hpp"

namespace tessera {

/// Simulated time, and one alarm.
class TimerUnit final : public RegisterUnit, private TimelineListener {
 public:
  explicit TimerUnit(Machine& machine) : machine_(machine) {}
  ~TimerUnit() { machine_.timeline().withdraw(*this); }
  TimerUnit(const TimerUnit&) = delete;
  TimerUnit& operator=(const TimerUnit&) = delete;

  std::uint64_t read(hal::Register which) override;
  void write(hal::Register which, std::uint64_t value) override;

 private:
  void on_time(std::uint64_t argument) override;

  Machine& machine_;
  std::uint64_t alarm_ = hal::no_alarm;
};

/// What the processor's external interrupt says, and who is told when it changes.
class InterruptUnit final : public RegisterUnit, public InterruptLines {
 public:
  /// `external` is told of the lines that are pending and enabled, when they may have changed.
  explicit InterruptUnit(std::function<void(std::uint64_t lines)> external) : external_(std::move(external)) {}

  std::uint64_t read(hal::Register which) override { return which == hal::Register::interrupts_pending ? pending_ : enabled_; }
  void write(hal::Register which, std::uint64_t value) override;
  void raise(std::uint64_t lines) override;

 private:
  std::function<void(std::uint64_t)> external_;
  std::uint64_t pending_ = 0;
  std::uint64_t enabled_ = 0;
};

/// Events and gauges, for an observer of the model.
class ProbeUnit final : public RegisterUnit {
 public:
  explicit ProbeUnit(Machine& machine) : machine_(machine) {}

  /// Where the figures of a report go; null: none is asked for.
  void collect(MetricSet* figures) { figures_ = figures; }

  std::uint64_t read(hal::Register which) override;
  void write(hal::Register which, std::uint64_t value) override;

 private:
  void declare();
  void add_figure(std::uint64_t flags);

  Machine& machine_;
  std::uint64_t name_ = 0;
  std::uint64_t subject_ = 0;
  std::uint64_t amount_ = 0;
  std::uint64_t unit_ = 0;
  std::uint64_t what_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t gauges_ = 0;  // declared: numbers below
  std::uint64_t bits_ = 0;
  MetricSet* figures_ = nullptr;
};

/// Who the machine is, what it asks of the firmware, and what the firmware says of itself.
class IdentUnit final : public RegisterUnit {
 public:
  IdentUnit(Machine& machine, std::uint64_t boot_data, std::uint64_t dram_bytes)
      : machine_(machine), boot_data_(boot_data), dram_bytes_(dram_bytes) {}

  std::uint64_t read(hal::Register which) override;
  void write(hal::Register which, std::uint64_t value) override;

  /// Asks the firmware; `answered` is called with its status.
  void ask(hal::Request request, std::uint64_t argument, std::function<void(Status)> answered);
  [[nodiscard]] bool asks() const { return request_ != hal::Request::none; }
  [[nodiscard]] std::optional<std::uint64_t> capacity() const { return capacity_; }
  [[nodiscard]] bool idle() const { return idle_; }

 private:
  void answer(std::uint64_t status);

  Machine& machine_;
  std::uint64_t boot_data_;
  std::uint64_t dram_bytes_;
  hal::Request request_ = hal::Request::none;
  std::uint64_t argument_ = 0;
  std::function<void(Status)> answered_;
  std::optional<std::uint64_t> capacity_;
  bool idle_ = false;
};

/// The serial line: whole lines of text.
class UartUnit final : public RegisterUnit {
 public:
  explicit UartUnit(std::function<void(const std::string&)> line) : line_(std::move(line)) {}

  std::uint64_t read(hal::Register) override { return 0; }
  void write(hal::Register which, std::uint64_t value) override;

 private:
  std::function<void(const std::string&)> line_;
  std::string text_;
};

}  // namespace tessera
