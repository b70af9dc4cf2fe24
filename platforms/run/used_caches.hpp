#pragma once
// A drive in use at the start of a run, its caches not empty. A process of its own first serves requests by the layer's own code, as fast
// as it goes, and shuts the drive down; the run begins with what the drive holds then (docs/guide/saved-states.md).
//
// Which requests: of a recorded trace its past, all that --skip leaves out. Without --skip there is none, and it is the very requests that
// the run measures: they leave just the blocks that it is about to ask for, which is the best case, and said first. Of a law it is as
// many of its draws as the run has, from those after the run's on: they go to the same hot places, and are not the ones that are measured.
// Both end when the caches are full.
#include <cstdint>
#include <memory>
#include <string>

#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"
#include "platforms/drive/drive_config.hpp"
#include "platforms/run/simulation.hpp"
#include "platforms/state/drive_state_module.hpp"

namespace tessera {

/// When caches count as full: one and a half times what they hold was written, so that those without room have cleaned, or, of an input
/// that hardly writes, six times that was moved.
struct CacheFilling {
  static constexpr std::uint32_t depth = 32;  ///< of its closed loop: as native command queueing has, so that the drive is never idle

  Bytes caches;  ///< of host data that caches on flash and platters hold; 0: the layer has none

  [[nodiscard]] Bytes to_write() const { return caches + Bytes(caches.value() / 2); }
  [[nodiscard]] Bytes to_move() const { return Bytes(6 * caches.value()); }
};

/// How a drive's caches begin: the drive after their filling and how that ended, or why there was none.
struct FilledDrive {
  std::unique_ptr<SavedState> state;
  std::uint64_t requests = 0;
  bool in_part = false;    ///< the input ended first
  std::uint64_t past = 0;  ///< of a recording: requests before those that are measured; 0: they were these
  bool recorded = false;
  std::string empty_because;  ///< of a drive whose description says used

  /// What the reader of a result must know of it; "" where a run began as its words say.
  [[nodiscard]] std::string note() const;
  /// What makes its figures those of another start than a drive has that knows nothing of what comes; "" where nothing does.
  [[nodiscard]] std::string wrong() const;
};

/// Where the user asked for none with --caches, what the drive says (simulation.caches). True: they are to be full. InputError where they
/// cannot be.
[[nodiscard]] bool choose_caches(const cli::RunOptions& options, DriveConfig& drive);

/// Caches on the platters are the regions that a layer calls "cache" or "buffer"; on flash all that layer and flash cache have. None of a
/// layer whose zones somebody else writes.
[[nodiscard]] CacheFilling filling_of(const DriveConfig& drive, const FormatPlan& plan);

/// The drive of this run after `filling`; nothing of SystemC may exist in this process yet. `config` is the run's. InputError where the
/// drive failed meanwhile.
[[nodiscard]] FilledDrive use_caches(const CacheFilling& filling, const cli::RunOptions& options, DriveConfig& drive,
                                     const FormatPlan& plan, SimulationConfig config, const SearchPath& search);

}  // namespace tessera
