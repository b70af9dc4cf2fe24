#pragma once
// What decides when a layer cleans although it need not, and what it cleans. A layer that has the choice has a policy of its own, and asks
// that of the user's instead where there is one (Ports::policy). A policy sees the layer through a view and answers with a time and a
// number, which the layer checks before it acts: so it can make a drive slow, and lose nothing.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "base/metrics.hpp"
#include "base/units.hpp"
#include "firmware/ports/host_port.hpp"

namespace tessera {

struct Ports;

/// A band, or zone, that a layer may clean: what comes home in one piece. Ages are sectors that the cache has got since.
struct CleaningUnit {
  std::uint64_t number = 0;
  LogicalSector first;
  std::uint32_t sectors = 0;  ///< that it has room for
  std::uint32_t held = 0;     ///< up to where it is written in its place
  std::uint32_t cached = 0;   ///< of which the cache holds the newest copy
  std::uint32_t entries = 0;  ///< extents or blocks of the cache that hold them
  std::uint64_t oldest = 0;   ///< age of what lies longest in the cache
  std::uint64_t newest = 0;   ///< age of what came last
};

/// How full the cache is.
struct CleaningLevels {
  std::uint64_t used = 0;  ///< sectors, dead ones between live ones too
  std::uint64_t room = 0;  ///< all that there are
  std::uint64_t entries = 0;
  std::uint64_t most_entries = 0;
  std::uint64_t cached = 0;   ///< sectors of which the cache holds the newest copy
  std::uint32_t units = 0;    ///< with any of these
  std::uint32_t waiting = 0;  ///< writes that the layer has in hand
};

/// A layer, as a policy sees it.
class CleaningView {
 public:
  virtual ~CleaningView() = default;
  /// Whether somebody waits for what the cleaning is going to free.
  [[nodiscard]] virtual bool needed() const = 0;
  [[nodiscard]] virtual CleaningLevels levels() const = 0;
  /// Numbers of units go from 0 to before this.
  [[nodiscard]] virtual std::uint64_t units() const = 0;
  /// Whether a cleaning of the unit frees anything. `number` is below units().
  [[nodiscard]] virtual bool cleanable(std::uint64_t number) const = 0;
  /// Adds all that are cleanable, in the order of their numbers. The caller charges the scan.
  virtual void find(std::vector<CleaningUnit>& found) const = 0;
};

class CleaningPolicy {
 public:
  virtual ~CleaningPolicy() = default;
  /// Whether when() is to be asked: otherwise cleaning waits until there is no room.
  [[nodiscard]] virtual bool cleans_ahead() const = 0;
  /// There is something to clean, and nobody needs that: when to ask again. Not later than now: clean. `never`: after the next write to the
  /// cache.
  [[nodiscard]] virtual Picoseconds when(const CleaningView& view) = 0;
  /// The number of a unit that is cleanable.
  [[nodiscard]] virtual std::uint64_t choose(const CleaningView& view) = 0;

  static constexpr Picoseconds never{~std::uint64_t{0}};
};

/// One of the user's, while the power is on.
class GuestPolicy : public CleaningPolicy {
 public:
  /// It is asked instead of `own`, which it may ask in its turn.
  virtual void stand_for(CleaningPolicy& own) = 0;
  /// A command of the host's has come.
  virtual void arrived(const HostCommand& command) = 0;
  /// One has been served, so long after.
  virtual void served(Picoseconds latency) = 0;
  virtual void report(MetricSet& metrics) const = 0;
};

/// Who makes it at each power-on.
class PolicyFactory {
 public:
  virtual ~PolicyFactory() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::unique_ptr<GuestPolicy> make(const Ports& ports) const = 0;
};

}  // namespace tessera
