#pragma once
// The head-disk assembly as a pure device: one step at a time, on the caller's clock.
//
//   timing = start(step, now);   ... at timing.end:  status = finish();   ... or, at any instant before:  cut(instant);
//
// Content changes at finish(), or as far as cut() says. Not modelled: spin-up, thermal recalibration.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/fault_listener.hpp"
#include "base/metrics.hpp"
#include "base/random.hpp"
#include "base/signal.hpp"
#include "media/content_store.hpp"
#include "media/mechanics.hpp"
#include "media/media_config.hpp"
#include "media/media_faults.hpp"
#include "media/media_statistics.hpp"
#include "media/recording_physics.hpp"
#include "media/track_geometry.hpp"

namespace tessera {

enum class MediaState : std::uint8_t { idle, seek, rotate, read, write, off };

/// Watches head and state, for waveforms. Changes are announced when a step starts, for the instants at which they will
/// happen, in ascending order; a later call with an earlier instant (a power cut) withdraws what was announced beyond it.
class MediaObserver {
 public:
  virtual void state(MediaState state, PhysicalTrack head, Picoseconds at) = 0;

 protected:
  ~MediaObserver() = default;
};

struct MediaTiming {
  Picoseconds seek;  ///< head movement, head switch, settle
  Picoseconds rotation;
  Picoseconds transfer;  ///< sectors under the head, and the channel's overhead
  Picoseconds end;       ///< instant of completion
};

class MediaDevice {
 public:
  /// Description and plan must have passed validate() and check_plan(); throws InputError otherwise.
  MediaDevice(const MediaConfig& config, const FormatPlan& plan, ContentMode content, std::uint64_t seed);
  MediaDevice(const MediaDevice&) = delete;
  MediaDevice& operator=(const MediaDevice&) = delete;

  [[nodiscard]] const TrackGeometry& geometry() const { return geometry_; }
  [[nodiscard]] const Positioning& positioning() const { return mechanics_; }
  [[nodiscard]] const SeekCurve& seek_curve() const { return mechanics_.curve(); }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const { return geometry_.sectors_on(track); }
  [[nodiscard]] bool busy() const { return step_ != nullptr; }
  /// The step in flight and its times; only while busy.
  [[nodiscard]] const MediaStep& step() const { return *step_; }
  [[nodiscard]] const MediaTiming& timing() const { return timing_; }

  /// Begins a step; the device must be idle and powered. The step, its buffer and header stay where they are until it ends.
  /// A run that leaves its track or lies on unformatted tracks takes no time and ends with `rule_violation`.
  MediaTiming start(const MediaStep& step, Picoseconds now);

  /// A read in flight is wanted no more at `now`: it ends once the arm has landed or the sector under the head has passed, and brings
  /// nothing. Gives the instant of its end; of a write, that which it had.
  Picoseconds give_up(Picoseconds now);

  /// Ends the step at its time: content moves. `aborted`: it was given up. `rule_violation`: see start(); `media_error`: a defect was read,
  /// or the write stopped at a sector that could not be written; `damaged`: a sector was read that an overlapping write destroyed; `lost`:
  /// one was read that was written as lost. Good sectors of a failed read are filled all the same, the others are marked as lost in the
  /// step's buffer.
  Status finish();

  /// The power fails at `now` (docs/models/media.md). A step in flight is lost; of a write, the sectors that had passed the head are
  /// new, the one under it is as `powerfail.sector` says, later ones are old; overlapped tracks are damaged up to and
  /// including the sector in flight; the run's header is written only if every sector of the run is new. A cut at a sector's
  /// boundary finds none in flight. The head parks. The step's data must still be there.
  void cut(Picoseconds now);
  /// What the last cut made unreadable (`powerfail.sector = corrupt`): what the sector held and what was being written to it, as far as
  /// content is kept; empty where it made nothing so.
  struct TornSector {
    std::vector<std::byte> held;
    std::vector<std::byte> written;
  };
  [[nodiscard]] const std::optional<TornSector>& torn() const { return torn_; }
  /// The power returns at `now`: the spindle keeps its angle against absolute time.
  void restore(Picoseconds now);
  [[nodiscard]] bool powered() const { return powered_; }

  /// Makes a sector unreadable from now on (fault injection).
  void add_unreadable(PhysicalSector sector) { faults_.add_unreadable(sector); }
  /// From now on the sector fails in this many reads in a row, before one goes well.
  void add_transient(PhysicalSector sector, std::uint32_t reads) { faults_.add_transient(sector, reads); }
  /// From now on the drive notices that a write to the sector fails (fault injection).
  void add_write_fault(PhysicalSector sector) { faults_.add_write_fault(sector); }
  /// Who is told what faults destroy; null for nobody. What so many reads in a row did not bring counts as destroyed too: the firmware
  /// tries no more, and carries it on as lost.
  void set_fault_listener(FaultListener* listener, std::uint32_t reads = ~std::uint32_t{0}) {
    fault_listener_ = listener;
    reads_before_loss_ = reads;
  }

  /// Sectors that the description's faults kept from being read, for good as far as set_fault_listener() says, and that no read has brought
  /// and no write replaced since; as of forget_unread().
  [[nodiscard]] const std::set<TrackSector>& unread() const { return unread_; }
  void forget_unread() { unread_.clear(); }

  /// What the platters held before the simulation; null for nothing.
  void set_initial_content(const InitialContent* initial) { store_.set_initial(initial); }

  /// What the platters hold: for checkers and tests.
  [[nodiscard]] const ContentStore& content() const { return store_; }

  /// What the platters hold and which sectors of them fail, of a device without power or with nothing in flight.
  void save_state(StateWriter& out, Picoseconds now) const {
    store_.save_state(out);
    faults_.save_state(out, now);
  }
  /// At time 0, of a device of the same description and plan.
  void load_state(StateReader& in) {
    store_.load_state(in);
    faults_.load_state(in);
  }

  void observe(MediaObserver* observer) { observer_ = observer; }
  [[nodiscard]] SignalScope& signals() { return signals_; }
  [[nodiscard]] const MediaStatistics& statistics() const { return statistics_; }
  /// Adds the metrics `media.*` as of `now`.
  void report(MetricSet& metrics, Picoseconds now) const;

 private:
  void announce(PhysicalTrack from, const Motion& motion) const;
  void show(MediaState state, PhysicalTrack head, Picoseconds at) const;
  [[nodiscard]] bool resolve(const PhysicalRun& run);
  [[nodiscard]] std::uint32_t header_sector() const;
  [[nodiscard]] std::uint32_t passed_before(Picoseconds elapsed) const;
  [[nodiscard]] Status write_run();
  [[nodiscard]] std::uint32_t entry_offset() const;
  [[nodiscard]] std::uint32_t sectors_before_fault(bool whole);
  void write_passed(std::uint32_t count);
  void stop_at_fault(std::uint32_t passed);
  void lose_latent(std::uint32_t first, std::uint32_t count, std::uint32_t offset);
  void tell_destroyed(std::uint32_t sector);
  void write_part(std::uint32_t offset, std::uint32_t count);
  void damage_from(std::uint32_t first, std::uint32_t count);
  [[nodiscard]] Status read_run();
  void read_early();
  void brought(std::uint32_t first, std::uint32_t count);
  [[nodiscard]] bool read_faults(std::uint32_t first, std::uint32_t count, std::uint32_t offset);
  void not_delivered(std::uint32_t offset);
  void write_before(Picoseconds now);
  void tear(std::uint32_t sector, std::uint32_t offset);
  void account(Picoseconds until);
  template <class F>
  void each_piece(std::uint32_t offset, std::uint32_t count, F&& f) const;

  SignalScope signals_;
  Signal head_state_ = signals_.state("state", {"idle", "seek", "rotate", "read", "write", "off"});
  Signal head_radius_ = signals_.number("head_radius", 32, 0);
  Signal head_surface_ = signals_.number("head_surface", 8, 0);
  Signal spindle_index_ = signals_.bit("spindle_index");

  MediaConfig config_;
  TrackGeometry geometry_;
  Mechanics mechanics_;
  ContentStore store_;
  RandomStream powerfail_;
  MediaFaults faults_;
  FaultListener* fault_listener_ = nullptr;
  std::uint32_t reads_before_loss_ = ~std::uint32_t{0};
  std::set<TrackSector> unread_;
  MediaStatistics statistics_;
  MediaObserver* observer_ = nullptr;

  // The step in flight.
  const MediaStep* step_ = nullptr;
  bool violation_ = false;
  bool given_up_ = false;
  const TrackGroup* group_ = nullptr;
  TrackShape shape_;
  std::uint64_t track_ = 0;
  std::uint32_t entry_ = 0;  // first sector transferred
  Picoseconds begin_;
  Picoseconds transfer_begin_;
  MediaTiming timing_;

  bool powered_ = true;
  std::optional<TornSector> torn_;
};

/// Calls f(first, count, offset) for the one or two unwrapped pieces of the run's sectors [offset, offset + count).
template <class F>
void MediaDevice::each_piece(std::uint32_t offset, std::uint32_t count, F&& f) const {
  if (count == 0) return;
  const std::uint32_t sectors = shape_.sectors();
  std::uint32_t first = step_->run.first + offset;
  if (first >= sectors) first -= sectors;
  const std::uint32_t head = std::min(count, sectors - first);
  f(first, head, offset);
  if (head < count) f(std::uint32_t{0}, count - head, offset + head);
}

}  // namespace tessera
