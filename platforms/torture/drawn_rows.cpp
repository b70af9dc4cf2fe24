#include "platforms/torture/drawn_rows.hpp"

#include <algorithm>
#include <array>

#include "platforms/torture/drawn_extras.hpp"
#include "platforms/torture/drawn_faults.hpp"
#include "platforms/torture/torture_durability.hpp"

namespace tessera {

namespace {

using Mode = cli::ReplayMode;

constexpr std::array<cli::TortureDurability, 4> durabilities{cli::TortureDurability::plp, cli::TortureDurability::journal,
                                                             cli::TortureDurability::volatile_memory, cli::TortureDurability::none};
constexpr std::array<std::uint32_t, 3> prefills{0, 50, 100};
constexpr std::array<cli::ReplayOption, 5> replays{
    {{Mode::queue, 32}, {Mode::queue, 8}, {Mode::closed, 1}, {Mode::closed, 8}, {Mode::closed, 24}}};

std::vector<std::string> all_kinds() {
  std::vector<std::string> names = fault_kinds();
  for (std::string& name : extra_kinds()) names.push_back(std::move(name));
  return names;
}

}  // namespace

DrawnRows::DrawnRows(const std::vector<Parameter>& parameters, const std::string& layer, bool plain, std::uint64_t seed)
    : parameters_(drawn_for(parameters, layer)),
      kinds_(plain ? std::vector<std::string>() : all_kinds()),
      rows_(made(plain, layer, seed)) {}

CoveringRows DrawnRows::made(bool plain, const std::string& layer, std::uint64_t seed) {
  // The layer's own come first, so that the others have the same places behind them on every layer.
  std::ranges::stable_partition(parameters_, [](const Parameter* parameter) { return is_own(*parameter); });
  std::vector<CoveringFactor> factors;
  for (std::size_t which = 0; which < parameters_.size(); ++which) {
    const std::vector<DrawnClass> classes = classes_of(*parameters_[which]);
    factors.push_back({static_cast<std::uint32_t>(classes.size()), is_own(*parameters_[which]), false});
    for (const DrawnClass& one : classes) items_.push_back({Subject::parameter, which, one});
  }
  for (std::size_t which = 0; which < kinds_.size(); ++which) {
    factors.push_back({1, false, true});
    items_.push_back({Subject::kind, which, {}});
  }
  const auto choices = [&](Subject subject, std::size_t count) {
    factors.push_back({static_cast<std::uint32_t>(count), false, false});
    for (std::size_t which = 0; which < count; ++which) items_.push_back({subject, which, {}});
  };
  choices(Subject::durability, durabilities.size());
  choices(Subject::prefill, prefills.size());
  if (!plain) choices(Subject::replay, replays.size());
  return {std::move(factors), RandomStream(seed, "torture.campaign.rows." + layer)};
}

DrawnRows::Asked DrawnRows::asked(std::uint64_t row, RandomStream& random) {
  Asked asked;
  for (const std::uint32_t item : rows_.row(row)) {
    const auto& [subject, which, one] = items_[item];
    switch (subject) {
      case Subject::parameter: {
        const Parameter& parameter = *parameters_[which];
        asked.words.push_back({item, parameter.path() + "=" + value_of(parameter, one, random)});
        break;
      }
      case Subject::kind: asked.kinds.push_back(kinds_[which]); break;
      case Subject::durability: asked.durability = durabilities[which]; break;
      case Subject::prefill: asked.prefill_percent = prefills[which]; break;
      case Subject::replay: asked.replay = replays[which]; break;
    }
  }
  return asked;
}

std::vector<std::uint32_t> DrawnRows::items_of(const CombinedRun& run, const std::vector<Word>& words) const {
  std::vector<std::uint32_t> had;
  for (const Word& word : words) had.push_back(word.item);
  for (std::uint32_t item = 0; item < items_.size(); ++item)
    if (items_[item].subject != Subject::parameter && has(run, items_[item])) had.push_back(item);
  return had;
}

bool DrawnRows::has(const CombinedRun& run, const Item& item) const {
  const cli::ReplayOption& replay = run.options.replay;
  switch (item.subject) {
    case Subject::parameter: break;
    case Subject::kind: return std::ranges::find(run.faults, kinds_[item.which]) != run.faults.end();
    case Subject::durability: return run.durability == name_of(durabilities[item.which]);
    case Subject::prefill: return run.options.prefill_percent == prefills[item.which];
    case Subject::replay: return replay.mode == replays[item.which].mode && replay.depth == replays[item.which].depth;
  }
  return false;
}

}  // namespace tessera
