#pragma once
// The rules of zones: conditions, write pointers, and how many zones may be open or active. No device is touched here. Source: ZBC-2,
// zone model, write pointer zones; where the standard leaves a choice, docs/layers/zoned.md says ours.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/zone.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/host_port.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::zoned {

/// Limits on sequential zones, at least 1 each.
struct ZoneLimits {
  std::uint32_t open = 1;
  std::uint32_t active = 1;  ///< open or closed
};

/// Of a sequential zone, in sectors from its begin; all bits zero: empty.
struct ZoneState {
  std::uint32_t accepted = 0;     ///< the write pointer as the host sees it: what was admitted
  std::uint32_t written = 0;      ///< what is on the platters
  std::uint32_t resets = 0;       ///< since the first format
  std::uint32_t condition = 0;    ///< Condition
  std::uint32_t logged = 0;       ///< whether the log knows that the zone is active
  std::uint32_t doubt_first = 0;  ///< sectors below the pointer that boot could not tell written from unwritten
  std::uint32_t doubt_count = 0;
  std::uint32_t last_write = 0;  ///< number of the write that opened it, or wrote to it last
};

/// As ZoneCondition, empty as 0.
enum class Condition : std::uint32_t { empty, implicitly_open, explicitly_open, closed, full, read_only, offline };
[[nodiscard]] constexpr bool open(Condition condition) {
  return condition == Condition::implicitly_open || condition == Condition::explicitly_open;
}
[[nodiscard]] constexpr bool active(Condition condition) { return open(condition) || condition == Condition::closed; }

/// Sequential zones, numbered from 0.
class ZoneStates {
 public:
  ZoneStates(MemoryPort& memory, CpuPort& cpu, std::uint32_t zones, std::uint32_t zone_sectors, ZoneLimits limits);

  [[nodiscard]] std::uint32_t zones() const { return static_cast<std::uint32_t>(states_.size()); }
  [[nodiscard]] std::uint32_t zone_sectors() const { return zone_sectors_; }
  [[nodiscard]] const ZoneState& state(std::uint32_t zone) const { return states_.read(zone); }
  [[nodiscard]] Condition condition(std::uint32_t zone) const { return static_cast<Condition>(states_.read(zone).condition); }
  /// Without a charge: for boot, prefill, tests and figures.
  [[nodiscard]] const ZoneState& peek(std::uint32_t zone) const { return states_.peek(zone); }
  [[nodiscard]] Condition peek_condition(std::uint32_t zone) const { return static_cast<Condition>(states_.peek(zone).condition); }

  /// A write of sectors [first, first + count) of a zone; `whole`: it begins and ends with whole sectors. Where it is ok the pointer has
  /// moved, and the zone is open or full.
  [[nodiscard]] Status admit_write(std::uint32_t zone, std::uint32_t first, std::uint32_t count, bool whole);
  /// The sectors from `first` on will not be written: the pointer goes back to there, or to what is written.
  void withdraw(std::uint32_t zone, std::uint32_t first);
  /// Sectors up to `written` are on the platters.
  void advance(std::uint32_t zone, std::uint32_t written) { states_.write(zone).written = written; }
  void set_logged(std::uint32_t zone) { states_.write(zone).logged = 1; }
  /// A sector at the pointer could not be written.
  void fail(std::uint32_t zone);

  /// What stands against a command, or ok. OPEN and FINISH of a zone that is not open make room as a write does.
  [[nodiscard]] Status admit(HostOp op, std::uint32_t zone);
  /// Carries it out; admit() was ok, and nothing of the zone is under way.
  void apply(HostOp op, std::uint32_t zone);
  /// Whether the command changes the zone.
  [[nodiscard]] bool concerns(HostOp op, std::uint32_t zone) const;

  /// At boot or prefill: what is kept of a zone. A zone that was open is closed, or empty where nothing is written.
  void restore(std::uint32_t zone, const ZoneState& state);

  [[nodiscard]] std::uint32_t open_zones() const { return open_; }
  [[nodiscard]] std::uint32_t active_zones() const { return active_; }
  /// Implicitly open zones that were closed to open another.
  [[nodiscard]] std::uint64_t closed_for_others() const { return closed_for_others_; }
  [[nodiscard]] Bytes bytes() const { return Bytes(states_.size() * sizeof(ZoneState)); }

 private:
  [[nodiscard]] Status make_room(std::uint32_t zone);
  void enter(std::uint32_t zone, Condition condition);
  void close(std::uint32_t zone);
  [[nodiscard]] std::optional<std::uint32_t> oldest_implicitly_open() const;

  std::uint32_t zone_sectors_;
  ZoneLimits limits_;
  CpuPort& cpu_;
  DramArray<ZoneState> states_;
  std::vector<std::uint32_t> implicitly_open_;  // in any order: at most limits_.open
  std::uint32_t open_ = 0;
  std::uint32_t active_ = 0;
  std::uint32_t writes_ = 0;
  std::uint64_t closed_for_others_ = 0;
  Gauge open_gauge_;
  Gauge active_gauge_;
};

}  // namespace tessera::zoned
