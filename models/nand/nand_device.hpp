#pragma once
// A NAND array in time: dies and planes that work side by side, channels that carry one transfer at a time.
//
// Commands to one plane keep their order. A die runs one group at a time: the commands at the head of its planes that are of
// the oldest one's kind (read, program, erase); a further command of that kind to a free plane joins until the array
// begins, or at the instant it begins. A group's planes work together and the die is free when the last has ended.
// A program's data crosses the channel before the array works, a read's after it. A command and address do not wait for pages of other
// dies whose transfer has not begun (ChannelArbitration); pages cross in the order in which they were ready.
//
// What a description switches on changes that: with cache reads a die is free when its data is in the cache registers, with cache programs
// the next group is loaded into them meanwhile; planes may read each by itself; reads may go in front of other commands, and suspend a
// program or an erase. nand_device.cpp has a command's way, nand_channels.cpp who has a channel next, nand_dies.cpp what a die does next,
// nand_times.cpp how long it takes.
#include <cstdint>
#include <utility>
#include <vector>

#include "base/long_time.hpp"
#include "base/metrics.hpp"
#include "base/signal.hpp"
#include "base/timeline.hpp"
#include "firmware/ports/flash_port.hpp"
#include "nand/nand_array.hpp"
#include "nand/nand_config.hpp"

namespace tessera {

/// Told of each completion; may submit further commands from the call.
class NandClient {
 public:
  /// `context` is what submit() was given; `busy` the array and bus time of this command: the rest of the time since its
  /// submission it waited.
  virtual void done(FlashCommand& command, void* context, Picoseconds busy, Picoseconds now) = 0;

 protected:
  ~NandClient() = default;
};

enum class DieState : std::uint8_t { idle, loading, reading, programming, erasing, unloading, suspended };

/// Sees state changes in order of time (waveforms).
class NandObserver {
 public:
  virtual void die_changed(std::uint32_t die, DieState state, Picoseconds now) = 0;
  virtual void channel_changed(std::uint32_t channel, bool busy, Picoseconds now) = 0;

 protected:
  ~NandObserver() = default;
};

/// Where a block lies. Consecutive blocks go to consecutive channels, then dies, then planes.
struct NandPlace {
  std::uint32_t channel = 0;
  std::uint32_t die = 0;    ///< over all channels: die of channel * channels + channel
  std::uint32_t plane = 0;  ///< of the die
  constexpr bool operator==(const NandPlace&) const = default;
};
[[nodiscard]] NandPlace place_of(NandBlock block, const NandConfig& config);
/// Whether a page can move to another one by copyback; the first may lie outside the array.
[[nodiscard]] bool same_plane(NandPage from, NandPage to, const NandConfig& config);

class NandDevice final : private TimelineListener {
 public:
  static constexpr std::uint32_t max_planes = 16;

  /// `kept`: content bytes a subpage (SectorShape::kept). The timeline and the client must outlive the device.
  NandDevice(const NandConfig& config, std::uint32_t kept, std::uint64_t seed, Timeline& timeline, NandClient& client);

  /// Accepts a command at `now`, which must not lie before the timeline's time. Command and buffers stay where they are until
  /// done(), which gets `context` back. Addresses outside the array are model bugs.
  void submit(FlashCommand& command, Picoseconds now, void* context = nullptr);

  /// The power fails: operations in flight end as NandArray says, waiting ones are forgotten, no client is called.
  /// What was due at `now` but not yet carried out counts as in flight.
  void cut(Picoseconds now);

  /// The channel that a read or program takes, and the time for which it carries the command's bytes.
  [[nodiscard]] std::pair<std::uint32_t, Picoseconds> carrying(const FlashCommand& command) const {
    const bool timed = config_.bus_rate != BytesPerSecond(0);
    return {place_of(array_.block_of(command.page), config_).channel,
            timed ? transfer_time(transfer_size(command), config_.bus_rate) : Picoseconds(0)};
  }

  /// What the layer may use: log and dump blocks lie behind and are not counted.
  [[nodiscard]] FlashShape shape() const { return config_.shape(); }
  [[nodiscard]] const NandConfig& config() const { return config_; }
  [[nodiscard]] NandArray& array() { return array_; }
  [[nodiscard]] const NandArray& array() const { return array_; }
  /// Told of pages that can no longer be read; null (the default) for none.
  void set_fault_listener(FaultListener* listener) { array_.set_fault_listener(listener); }
  /// Null (the default) for none.
  void observe(NandObserver* observer) { observer_ = observer; }
  [[nodiscard]] SignalScope& signals() { return signals_; }

  /// Commands accepted and not completed.
  [[nodiscard]] std::uint64_t outstanding() const { return outstanding_; }
  /// Energy from time 0 to `now`, standby included.
  [[nodiscard]] double energy(Picoseconds now) const;
  /// Adds `nand.*`.
  void report(MetricSet& metrics, Picoseconds now) const;
  /// `by` passes that later instants leave out; nothing is under way.
  void rest(Picoseconds by) {
    rested_ += by;
    array_.rest(by);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  enum class Kind : std::uint8_t { read, program, erase, copyback };
  [[nodiscard]] static bool programs(Kind kind) { return kind == Kind::program || kind == Kind::copyback; }
  enum class Action : std::uint8_t { arrive, transferred, array_ended, plane_ended, suspended, resumed, decoded };
  /// Where an operation is.
  enum class Phase : std::uint8_t { waiting, loading, array, unloading, decoding };

  struct Operation {
    FlashCommand* command = nullptr;
    void* context = nullptr;
    Kind kind = Kind::read;
    Phase phase = Phase::waiting;
    std::uint8_t retry = 0;
    NandPlace place;
    std::uint64_t address = 0;  // page or block: at a cut the command may be gone
    std::uint64_t from = 0;     // copyback: the page that moves
    std::uint64_t order = 0;
    Bytes moves;            // over its channel
    Picoseconds loading;    // command and data on their way to the die
    Picoseconds array;      // in which the plane works
    Picoseconds unloading;  // data on its way from the die
    Picoseconds busy;
    std::uint32_t next = none;  // in its plane's queue, in one of its channel's, or in the list of free slots
  };
  struct Plane {
    std::uint32_t head = none;  // of the commands that wait
    std::uint32_t tail = none;
    std::uint32_t current = none;  // of the die's group
    std::uint32_t ahead = none;    // of the next group, in the cache register or on its way there
    std::uint32_t held = none;     // of the suspended group
  };
  enum class Suspension : std::uint8_t { none, stopping, stopped, resuming };
  struct Die {
    DieState state = DieState::idle;
    Kind kind = Kind::read;
    std::uint8_t retry = 0;           // of a group of reads
    std::uint32_t running = 0;        // members of the group that have not ended
    std::uint32_t loading = 0;        // of these, members whose command or data is still on its way in
    std::uint32_t ahead = 0;          // members of the next group
    std::uint32_t ahead_loading = 0;  // of these, members whose data is still on its way in
    std::uint32_t unloading = 0;      // reads of an earlier group whose data leaves the cache registers
    bool in_array = false;            // the group is; in independent reads each plane is by itself
    bool held_back = false;           // the array has read, and the cache registers are not free
    Suspension suspension = Suspension::none;
    Kind suspended_kind = Kind::program;
    std::uint32_t suspended = 0;  // members of the suspended group
    std::uint32_t suspends = 0;   // of the group
    Picoseconds remaining;        // array time of the suspended group
    Picoseconds array_begin;
    Picoseconds array_end;
    bool active = false;
    Picoseconds busy_since;
    Picoseconds busy;  // before that
  };
  /// Operations that wait for a channel, the oldest first.
  struct Line {
    std::uint32_t head = none;
    std::uint32_t tail = none;
  };
  struct Channel {
    bool taken = false;  // by a transfer, or until all that its end set off has been carried out
    Picoseconds free;    // end of the last transfer that began
    Line commands;       // those that go first; none with arbitration in order
    Line others;
    Picoseconds busy;  // transfers that began
  };

  /// A command whose outcome is decided but whose client does not know yet.
  struct Completion {
    FlashCommand* command;
    void* context;
    Picoseconds busy;
    Picoseconds decoding;  // error correction has it for so long
    std::uint32_t slot;
  };

  /// Of completed operations of the kind, bus and standby excluded.
  [[nodiscard]] Picojoules energy_of(FlashOp op) const;
  void on_time(std::uint64_t argument) override;
  void post(Picoseconds when, Action action, std::uint32_t index);
  [[nodiscard]] static Kind kind_of(FlashOp op);
  std::uint32_t take_slot();
  void free_slot(std::uint32_t slot);

  // Who has a channel next (nand_channels.cpp)
  void transfer(std::uint32_t slot, Phase phase);
  void transferred(std::uint32_t slot);
  void carry_next(std::uint32_t channel);
  [[nodiscard]] bool goes_first(const Operation& operation) const;
  [[nodiscard]] bool carries_page(const Operation& operation) const;

  // A command's way (nand_device.cpp)
  void crossed(std::uint32_t slot);
  [[nodiscard]] Completion finish(std::uint32_t slot);
  void tell(const Completion& completion);
  void decoded(std::uint32_t slot);
  void perform(FlashCommand& command);
  void read(FlashCommand& command);
  void program(FlashCommand& command);
  void copyback(FlashCommand& command);
  void tear(std::uint32_t slot, Picoseconds array_left);

  // What a die does next (nand_dies.cpp)
  void enqueue(std::uint32_t slot);
  void insert(Plane& queue, std::uint32_t slot);
  [[nodiscard]] bool may_start(const Die& die, const Operation& operation) const;
  [[nodiscard]] bool may_join(const Die& die, const Operation& operation) const;
  [[nodiscard]] bool older_of_another_kind(std::uint32_t die, const Operation& operation) const;
  void start_waiting(std::uint32_t die);
  [[nodiscard]] std::uint32_t next_to_start(std::uint32_t die) const;
  void start(std::uint32_t slot);
  void begin_array(std::uint32_t die);
  [[nodiscard]] static DieState state_of(Kind kind);
  void join_array(std::uint32_t slot);
  void begin_plane(std::uint32_t slot);
  void load_ahead(std::uint32_t die);
  void array_ended(std::uint32_t die);
  void plane_ended(std::uint32_t slot);
  void loaded(std::uint32_t slot);
  void next(std::uint32_t die);
  void promote(std::uint32_t die);
  void suspend(std::uint32_t die);
  void suspended(std::uint32_t die);
  void resumed(std::uint32_t die);
  void take_from_queue(std::uint32_t slot);
  void settle(std::uint32_t die);

  // How long it takes (nand_times.cpp)
  [[nodiscard]] bool needs_loading(Kind kind) const;
  [[nodiscard]] Picoseconds load_time(FlashOp op, Bytes moves) const;
  [[nodiscard]] Picoseconds unload_time(FlashOp op, Bytes moves) const;
  [[nodiscard]] Picoseconds reading_time(const Operation& operation) const;
  [[nodiscard]] Picoseconds changing_time(const Operation& operation) const;
  [[nodiscard]] PageType page_type(std::uint64_t page) const {
    return config_.page_type(static_cast<std::uint32_t>(page % config_.pages_per_block));
  }
  [[nodiscard]] Picoseconds decoding_time(const FlashCommand& command) const;
  [[nodiscard]] bool alone(Kind kind) const { return config_.independent_reads && kind == Kind::read; }
  [[nodiscard]] Bytes transfer_size(const FlashCommand& command) const;
  [[nodiscard]] static Picoseconds busy_until(const Die& die, Picoseconds now);
  [[nodiscard]] static Picoseconds busy_until(const Channel& channel, Picoseconds now);
  void set_state(std::uint32_t die, DieState state);
  void set_busy(std::uint32_t channel, bool busy);
  Plane& plane(std::uint32_t die, std::uint32_t index) { return planes_[die * config_.planes + index]; }
  [[nodiscard]] const Plane& plane(std::uint32_t die, std::uint32_t index) const { return planes_[die * config_.planes + index]; }
  Plane& plane(const NandPlace& place) { return plane(place.die, place.plane); }

  /// What signals show of a die: the command that was begun last.
  struct DieSignals {
    explicit DieSignals(SignalScope& die)
        : state(die.state("state", {"idle", "loading", "reading", "programming", "erasing", "unloading", "suspended"})),
          block(die.number("block", 32)),
          page(die.number("page", 40)),
          tag(die.number("tag", 16)) {}
    Signal state, block, page, tag;
  };
  void show(const Operation& operation) const;

  SignalScope signals_;
  Signal depth_ = signals_.level("queue", 16);
  std::vector<DieSignals> die_signals_;
  std::vector<Signal> channel_busy_;

  NandConfig config_;
  NandArray array_;
  LongTime rested_;
  Timeline& timeline_;
  NandClient& client_;
  NandObserver* observer_ = nullptr;
  std::vector<Operation> slots_;
  std::uint32_t free_slot_ = none;
  std::vector<Plane> planes_;
  std::vector<Die> dies_;
  std::vector<Channel> channels_;
  std::uint64_t accepted_ = 0;
  std::uint64_t outstanding_ = 0;

  struct Counters {
    std::uint64_t reads = 0, oob_reads = 0, programs = 0, erases = 0;
    std::uint64_t program_failures = 0, erase_failures = 0, read_failures = 0, rule_violations = 0, torn = 0, retries = 0, padding = 0;
    std::uint64_t suspends = 0, ahead = 0, copybacks = 0;
    Picoseconds reading, programming, erasing;  // array time of the planes
    Bytes transferred;
  } counters_;
};

}  // namespace tessera
