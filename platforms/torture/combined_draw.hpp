#pragma once
// Draws the runs of a campaign: layer, durability, sizes, workload and faults, all together. A run depends on the campaign's seed, its own
// number and the drive alone. Those of a plain campaign have neither cuts nor faults: what they find is wrong on a drive to which nothing
// happened.
#include <functional>

#include "platforms/torture/combined_run.hpp"

namespace tessera {

inline constexpr std::uint64_t plain_draw = 0;

class CombinedDraw {
 public:
  /// `load` reads the drive with overrides for a layer. `layers`: one of them a run, in turn.
  using Load = std::function<DriveConfig(const std::vector<std::string>& set, const std::string& layer)>;
  /// `draw`: the number of the draw (drawn_extras.hpp): each adds to the one in front of it; or `plain_draw`.
  CombinedDraw(std::string drive, std::uint64_t seed, std::vector<std::string> layers, std::vector<std::string> set, Load load,
               std::uint64_t draw);

  struct Drawn {
    CombinedRun run;
    DriveConfig drive;
    FormatPlan plan;
  };
  /// Draws again where the layer refuses what was drawn. InputError where it refuses everything.
  [[nodiscard]] Drawn draw(std::uint64_t number);
  /// The drive of a run whose settings are given. InputError where they do not fit.
  [[nodiscard]] Drawn exactly(CombinedRun run) const;
  [[nodiscard]] const std::string& layer_of(std::uint64_t number) const { return layers_[number % layers_.size()]; }

 private:
  [[nodiscard]] CombinedRun attempt(std::uint64_t number, std::uint64_t attempt);

  std::string drive_;
  std::uint64_t seed_;
  std::vector<std::string> layers_;
  std::vector<std::string> set_;
  Load load_;
  std::uint64_t draw_;
  DriveConfig plain_;
  std::vector<Parameter> parameters_;  ///< of it
};

}  // namespace tessera
