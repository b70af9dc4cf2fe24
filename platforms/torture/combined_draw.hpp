#pragma once
// Draws the runs of a campaign: layer, durability, sizes, workload and faults, all together. A run depends on the campaign's seed, its own
// number and the drive alone. Those of a plain campaign have neither cuts nor faults: what they find is wrong on a drive to which nothing
// happened.
#include <functional>
#include <map>

#include "platforms/torture/combined_run.hpp"
#include "platforms/torture/drawn_rows.hpp"

namespace tessera {

inline constexpr std::uint64_t plain_draw = 0;
/// The first draw whose runs take a row each of a covering array, as plain runs do.
inline constexpr std::uint64_t first_draw_of_rows = 9;

class CombinedDraw {
 public:
  /// `load` reads the drive with overrides for a layer. `fits`: whether a drive can be made of what was loaded. `layers`: one of them a
  /// run, in turn.
  using Load = std::function<DriveConfig(const std::vector<std::string>& set, const std::string& layer)>;
  using Fits = std::function<bool(const DriveConfig& drive, const FormatPlan& plan)>;
  /// `draw`: the number of the draw (drawn_extras.hpp): each adds to the one in front of it; or `plain_draw`.
  CombinedDraw(std::string drive, std::uint64_t seed, std::vector<std::string> layers, std::vector<std::string> set, Load load, Fits fits,
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
  /// Of a layer, which its runs take in turn; nullptr in draws without rows.
  [[nodiscard]] DrawnRows* rows_of(const std::string& layer);
  /// Makes the row of a run, and those in front of it: so that each of the processes that fork after this need not.
  void prepare(std::uint64_t number);

 private:
  using Words = std::vector<DrawnRows::Word>;

  [[nodiscard]] CombinedRun attempt(std::uint64_t number, std::uint64_t attempt);
  void draw_what_happens(CombinedRun& run, const DriveConfig& drive, RandomStream& random, const std::string& which) const;
  [[nodiscard]] bool takes(const CombinedRun& run, std::size_t place, const Words& words, bool made) const;
  [[nodiscard]] Words accepted(const CombinedRun& run, std::size_t place, const Words& words, bool made) const;
  void put_row(CombinedRun& run, std::size_t place, Words words);
  /// A run's row is its turn among the runs of its layer.
  [[nodiscard]] std::uint64_t row_of(std::uint64_t number) const { return number / layers_.size(); }

  std::string drive_;
  std::uint64_t seed_;
  std::vector<std::string> layers_;
  std::vector<std::string> set_;
  Load load_;
  Fits fits_;
  std::uint64_t draw_;
  DriveConfig plain_;
  std::vector<Parameter> parameters_;                       ///< of it
  std::map<std::string, std::unique_ptr<DrawnRows>> rows_;  ///< of layers
};

}  // namespace tessera
