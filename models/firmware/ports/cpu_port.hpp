#pragma once
// The CPU as firmware sees it: what code costs, what time it is, how to wait.
#include <cstdint>

#include "base/units.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

/// What firmware does, by name; each has its cost in core cycles, memory accesses excluded.
enum class CpuOperation : std::uint8_t {
  command,       ///< decode of one host command, its checks and its place in the command table
  completion,    ///< status of one host command
  interrupt,     ///< entry and exit of one interrupt, acknowledged at the controller
  reap,          ///< one finished device command: its descriptor read, its task found
  task_switch,   ///< a task that no interrupt made ready: a lock was handed over, work was spawned
  submit,        ///< descriptor of one device command
  array,         ///< one indexed access
  hash,          ///< one hash look-up
  tree_level,    ///< one level of a balanced tree
  list_element,  ///< one element of a scanned list
  // What the estimates count with the operations above, and the measured costs apart. Devices' ports charge most of it.
  table_access,   ///< one access to a table in memory, from its index to its element
  lock,           ///< one lock: queued for, and given back; of parts of tracks: angular_lock
  media_step,     ///< one run of a chain for the disk
  flash_command,  ///< one command of a batch for the flash
  record_word,    ///< 8 bytes of a record, or of a table that is written down, put together or taken apart with their CRC
  copy,           ///< one order to the data mover: a copy, a merge, a buffer taken or given back
  angular_lock,   ///< one lock of a part of a track, with the angles and radii that a write of it reaches
  count_
};
inline constexpr std::size_t cpu_operations = static_cast<std::size_t>(CpuOperation::count_);
[[nodiscard]] const char* to_string(CpuOperation operation);

/// CpuOperation::record_word of so many bytes.
[[nodiscard]] constexpr std::uint64_t record_words(std::uint64_t bytes) { return (bytes + 7) / 8; }

/// A cleaning, merge, read-modify-write, flip or swap of the firmware; `begin` and `end` of one thing share kind and subject.
struct FirmwareEvent {
  enum class Edge : std::uint8_t { begin, end, instant };
  const char* kind;  ///< "rmw", "merge", "reclaim", "flip", ...: static storage
  Edge edge = Edge::instant;
  std::uint64_t subject = 0;  ///< what it is about: track, band, zone or block number
  std::uint64_t amount = 0;   ///< sectors moved, pages copied, ...
};

/// A figure of its state that firmware publishes; static storage.
struct GaugeInfo {
  const char* name;  ///< unique, dotted: "flash.free_blocks"
  const char* unit;  ///< "1", "B"
  const char* what;  ///< one line for the glossary
};

class CpuPort {
 public:
  virtual ~CpuPort() = default;

  /// The running task does `operation` so many times.
  virtual void charge(CpuOperation operation, std::uint64_t times) = 0;
  /// Holds the CPU for a time that does not depend on its clock: what the electronics of a real drive were measured to take.
  virtual void spend(Picoseconds time) = 0;
  void array() { charge(CpuOperation::array, 1); }
  void hash() { charge(CpuOperation::hash, 1); }
  void tree(std::uint64_t elements) { charge(CpuOperation::tree_level, static_cast<std::uint64_t>(64 - __builtin_clzll(elements | 1))); }
  /// The scan of `elements` that the paper's algorithm makes, whatever index our code uses.
  void scan(std::uint64_t elements) { charge(CpuOperation::list_element, elements); }

  /// Time on the CPU's own timeline: now, plus what this task was charged since it was resumed.
  [[nodiscard]] virtual Picoseconds now() const = 0;

  /// Starts a task that nobody waits for (background work). It runs when the CPU is free, and ends with a power cut. `name`: one word,
  /// static storage.
  virtual void spawn(Task<void> task, const char* name) = 0;

  /// Resumes `wait` at time `when`; use `co_await sleep_until(when)`.
  virtual void wake_at(Picoseconds when, DeviceWait& wait) = 0;
  [[nodiscard]] auto sleep_until(Picoseconds when) { return SleepAwaiter<CpuPort>{*this, when, {}}; }

  /// Reports something worth a line of events.csv, a waveform change and a trigger: a merge, a cleaning, a flip.
  virtual void event(const FirmwareEvent& event) = 0;

  /// What a Gauge is made of. A figure is declared once, when the firmware is loaded.
  [[nodiscard]] virtual std::uint32_t declare_gauge(const GaugeInfo& info) = 0;
  virtual void gauge(std::uint32_t number, std::uint64_t value) = 0;

  /// Makes a task that suspended itself on `wait` (a lock, a queue) ready to run.
  virtual void make_ready(DeviceWait& wait) = 0;
  /// Notes that the running task suspends itself on `wait`; `phase` names the part of the request's life.
  virtual void suspend(DeviceWait& wait, LifePhase phase) = 0;
};

/// A figure that firmware publishes, as a member beside the state that it tells of: one call gives a signal, a column of intervals.csv and
/// three metrics. It is to be set by the end of the boot. Costs the modelled CPU nothing.
///
/// A handle, and no call by name: the columns of intervals.csv and the signals must be known before the first change, a misspelt name would
/// be a figure of its own, and levels that change with each request would be looked up each time whether anybody looks on or not.
class Gauge {
 public:
  Gauge(CpuPort& cpu, const GaugeInfo& info) : cpu_(cpu), number_(cpu.declare_gauge(info)) {}
  Gauge(CpuPort& cpu, const GaugeInfo& info, std::uint64_t at_first) : Gauge(cpu, info) { set(at_first); }
  Gauge(const Gauge&) = delete;
  Gauge& operator=(const Gauge&) = delete;

  void set(std::uint64_t value) {
    if (value == value_ && known_) return;
    value_ = value;
    known_ = true;
    cpu_.gauge(number_, value);
  }
  void rise(std::uint64_t by) { set(value_ + by); }
  void fall(std::uint64_t by) { set(value_ - by); }

 private:
  CpuPort& cpu_;
  std::uint32_t number_;
  bool known_ = false;
  std::uint64_t value_ = 0;
};

}  // namespace tessera
