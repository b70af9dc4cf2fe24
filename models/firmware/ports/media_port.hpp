#pragma once
// The firmware's way to the platters: chains of run-sized steps, scheduled below the port.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/address.hpp"
#include "base/data_buffer.hpp"
#include "base/inline_list.hpp"
#include "base/units.hpp"
#include "firmware/ports/arm_load.hpp"
#include "firmware/ports/status.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

enum class MediaOp : std::uint8_t { read, write };

/// What `expected` timing charges for reaching a step's first sector; `rotational` timing ignores it.
enum class StepHint : std::uint8_t {
  position,          ///< t_seek + half a turn; nothing where the run continues the last one
  same_angle,        ///< the angle of the step before on a nearby track: a whole turn and no seek; elsewhere as `position`
  whole_track,       ///< t_seek (none to a nearby track), then one turn for the transfer from any sector
  backup_round_trip  ///< a visit to the backup region and back: (rmw_mid_turns - 1) turns, head stays where it was
};

/// Who waits for a chain; host and dependent go before background. Chains of a supervisor that has taken over go before all.
enum class MediaClass : std::uint8_t { host, dependent, background, recovery };

/// Out-of-band bytes of one sector (the record of a backup, a slot header). Written with the last sector of a run, so that
/// its presence proves that the whole run reached the platter, or with each sector, where sectors are rewritten one by one;
/// always stored, whatever the content mode.
inline constexpr std::size_t header_bytes = 64;
using SectorHeader = std::array<std::byte, header_bytes>;

/// Room for the sectors in front of a read on its track: those that pass under the head between its landing and the read's first sector are
/// read as well. What cannot be read ends them.
struct EarlySectors {
  DataSpan place;           ///< its last sector is the one directly in front of the read
  std::uint32_t count = 0;  ///< that were read, the last of `place`; set when the read ends

  /// Leaves room for `most` sectors at most; whether there is any.
  bool limit(std::uint32_t most) {
    if (most < place.count) place = place.part(place.count - most, most);
    return place.count != 0;
  }
};

/// One run on one track.
struct MediaStep {
  MediaOp op = MediaOp::read;
  StepHint hint = StepHint::position;
  PhysicalRun run;
  DataSpan data;                      ///< host data: data.count == run.count, or null
  std::span<std::byte> system;        ///< firmware's own bytes (journal, checkpoint): run.count whole sectors, or empty
  SectorHeader* header = nullptr;     ///< written to, or read from, the last sector of the run; may be null
  std::span<SectorHeader> headers{};  ///< written to, or read from, each sector of the run; empty where `header` is set or none is wanted
  EarlySectors* early = nullptr;      ///< of a read; null where none are wanted
};

/// Where the time of a chain went; parts of submit-to-completion that sum to it.
struct MediaBreakdown {
  Picoseconds queue;            ///< waiting behind host and dependent chains
  Picoseconds background_wait;  ///< waiting behind background chains
  Picoseconds seek;             ///< head movement, head switch, settle
  Picoseconds rotation;         ///< waiting for the first sector
  Picoseconds transfer;         ///< sectors under the head, overhead of the media channel included
};

/// What a sector that cannot be read does to the chain that reads it.
enum class LostSectors : std::uint8_t {
  fail,  ///< ends it with the status of the read: what the host asked for
  carry  ///< nothing: it is marked as lost in its buffer, and is carried on as lost wherever the buffer is written
};

/// Steps that run one after another with nothing in between; stops at the first step that fails. The object stays where
/// it is (in the caller's coroutine frame) until the chain is complete.
class MediaChain {
 public:
  static constexpr std::size_t max_steps = 16;

  explicit MediaChain(MediaClass of = MediaClass::host, LostSectors on_lost = LostSectors::fail) : priority(of), lost(on_lost) {}
  MediaChain(const MediaChain&) = delete;
  MediaChain& operator=(const MediaChain&) = delete;

  MediaChain& add(const MediaStep& step) {
    TESSERA_CHECK(!steps_.full(), "a media chain is too long");
    steps_.push_back(step);
    return *this;
  }
  MediaChain& read(PhysicalRun run, DataSpan data, StepHint hint = StepHint::position, SectorHeader* header = nullptr) {
    return add({MediaOp::read, hint, run, data, {}, header});
  }
  MediaChain& write(PhysicalRun run, DataSpan data, StepHint hint = StepHint::position, SectorHeader* header = nullptr) {
    return add({MediaOp::write, hint, run, data, {}, header});
  }
  MediaChain& read_system(PhysicalRun run, std::span<std::byte> bytes) {
    return add({MediaOp::read, StepHint::position, run, {}, bytes, nullptr});
  }
  MediaChain& write_system(PhysicalRun run, std::span<std::byte> bytes) {
    return add({MediaOp::write, StepHint::position, run, {}, bytes, nullptr});
  }
  void clear() { steps_.clear(); }

  [[nodiscard]] std::span<const MediaStep> steps() const { return steps_.all(); }
  [[nodiscard]] bool empty() const { return steps_.empty(); }
  /// Whether the chain goes on behind the step in hand, which ended with this status.
  [[nodiscard]] bool goes_on(Status after) const {
    return ok(after) || (lost == LostSectors::carry && steps()[steps_done].op == MediaOp::read && delivered(after));
  }

  MediaClass priority;
  LostSectors lost;
  Picoseconds submitted;        ///< set by the port
  MediaBreakdown breakdown;     ///< set at completion
  Picoseconds arrived;          ///< at the port's queue
  Picoseconds landed;           ///< when what earlier arms read is in the DRAM: set where its steps are of several
  std::uint64_t place = 0;      ///< of what the port knows of its wait there
  Status status = Status::ok;   ///< set at completion: that of the first step that failed
  std::uint8_t steps_done = 0;  ///< steps that completed well
  DeviceWait wait;              ///< the suspended caller; used by port and executor

 private:
  InlineList<MediaStep, max_steps> steps_;
};

/// The firmware that looks after bad sectors (firmware/defects). While it has a chain in hand, the port serves nothing but its own
/// chains, of class `recovery`: so it meets no other access half-way, and the order of chains stays.
class MediaSupervisor {
 public:
  virtual ~MediaSupervisor() = default;

  /// Whether any sector is known to be bad or to lie elsewhere. Where none is, chains are not looked at.
  [[nodiscard]] bool armed() const { return armed_; }
  /// Charges the running task, which submits the chain, for looking its runs up.
  virtual void look_up(const MediaChain& chain) = 0;
  /// Whether the chain cannot be served as it is.
  [[nodiscard]] virtual bool concerns(const MediaChain& chain) const = 0;
  /// Carries out a chain that concerns it, or what is left of one that met a media error, from step `steps_done` on, which it
  /// counts on; gives the status of the first step that failed for good.
  [[nodiscard]] virtual Task<Status> carry_out(MediaChain& chain) = 0;

 protected:
  bool armed_ = false;
};

class MediaPort {
 public:
  virtual ~MediaPort() = default;

  /// Hands the chain to the disk channel. Completion resumes the waiting task; use `co_await run(chain)`.
  virtual void submit(MediaChain& chain) = 0;

  /// Awaitable: submits `chain` and waits for it; gives its status.
  [[nodiscard]] auto run(MediaChain& chain) {
    count(chain, &ArmLoad::begin);
    return Awaiter{*this, chain};
  }

  /// What is being read into `buffer`, or waits to be, is wanted no more: its chains end with `aborted`, that under the head as soon as the
  /// arm has landed or the sector under the head has passed. A port that does not know better lets it end.
  virtual void abandon(const DataBuffer&) {}

  /// Whom to hand chains to that met a media error or bad sectors; null for nobody: then the waiting task gets the error. A port that
  /// never fails needs none.
  virtual void supervise(MediaSupervisor*) {}

  /// Counts chains of hosts in `load` from now on; null: nowhere.
  void count_hosts(ArmLoad* load) { load_ = load; }

  /// Sectors on a track as formatted (a top track of an interlaced region holds fewer than a bottom one).
  [[nodiscard]] virtual std::uint32_t sectors_on(PhysicalTrack track) const = 0;
  /// Whether every track has the sectors that its zone says of its surface, and every top as many as its neighbours: none is short. False
  /// also where that is not known; then tracks are asked one by one.
  [[nodiscard]] virtual bool uniform() const { return false; }
  /// Boot: whether a power cut may have ended a rewrite of tracks of which nothing is known any more. Then what an overlapping write has
  /// destroyed may have held data.
  [[nodiscard]] virtual bool forgot_rewrite() const { return false; }

 private:
  struct Awaiter : DeviceAwaiter<MediaPort, MediaChain> {
    auto await_resume() const {
      port.count(command, &ArmLoad::end);
      return command.status;
    }
  };
  /// By the arm of its first step.
  void count(const MediaChain& chain, void (ArmLoad::*how)(PhysicalTrack)) const {
    if (load_ != nullptr && chain.priority == MediaClass::host) (load_->*how)(chain.steps().front().run.track);
  }

  ArmLoad* load_ = nullptr;
};

}  // namespace tessera
