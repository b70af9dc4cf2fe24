#include "platforms/torture/combined_draw.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/random.hpp"
#include "platforms/torture/drawn_extras.hpp"
#include "platforms/torture/drawn_faults.hpp"
#include "platforms/torture/drawn_parameters.hpp"
#include "platforms/torture/torture_durability.hpp"

namespace tessera {

namespace {

constexpr std::uint64_t most_attempts = 200;
/// Draws after which only the durability and the faults are left: a layer that refuses what its own sizes have become.
constexpr std::uint64_t attempts_with_sizes = 100;

/// Parameters of the layer's own, and the caches of the firmware.
void draw_sizes(const std::vector<Parameter>& parameters, const std::string& layer, RandomStream& random, std::vector<std::string>& set) {
  for (std::string& word : draw_own_sizes(parameters, layer, random)) set.push_back(std::move(word));
  if (random.below(2) == 0) {
    constexpr std::array capacities{"16 KiB", "32 KiB", "256 KiB"};
    set.push_back(std::string("firmware.write_cache.capacity=") + capacities[random.below(capacities.size())]);
  }
  if (random.below(4) == 0) set.push_back("firmware.read_cache.segments=" + std::to_string(1 + random.below(4)));
  if (random.below(4) == 0) set.push_back("controller.cores=" + std::to_string(2 + random.below(3)));
}

/// One run in so many has flash in front of its layer. From a stream of its own: the other draws are those of runs without.
void draw_flash_cache(DriveConfig& plain, const std::string& layer, std::uint64_t one_in, RandomStream random,
                      std::vector<std::string>& set) {
  if (plain.nand.blocks == 0 || random.below(one_in) != 0) return;
  const auto factory = std::ranges::find(plain.layers, layer, [](const auto& one) { return one->name(); });
  constexpr std::array capacities{"768 KiB", "1 MiB", "2 MiB"};
  constexpr std::array uses{"reads", "writes", "both"};
  constexpr std::array admissions{"second_read", "every_read"};
  const std::string path = "firmware.flash_cache.";
  set.push_back(path + "capacity=" + (factory->get()->needs_flash() ? capacities[0] : capacities[random.below(capacities.size())]));
  set.push_back(path + "use=" + (factory->get()->needs_flash() ? uses[0] : uses[random.below(uses.size())]));
  set.push_back(path + "admit=" + admissions[random.below(admissions.size())]);
  set.push_back(path + "evict_after=5 ms");
  set.push_back(path + "free_share=" + std::to_string(10 * random.below(6)));
}

/// From two slots to all that plain runs write.
void draw_write_cache(RandomStream& random, std::vector<std::string>& set) {
  constexpr std::array capacities{"8 KiB", "16 KiB", "32 KiB", "64 KiB", "128 KiB", "256 KiB", "1 MiB"};
  set.push_back(std::string("firmware.write_cache.capacity=") + capacities[random.below(capacities.size())]);
}

cli::ReplayOption draw_replay(RandomStream& random) {
  using Mode = cli::ReplayMode;
  constexpr std::array<cli::ReplayOption, 6> replays{
      {{Mode::queue, 32}, {Mode::queue, 32}, {Mode::queue, 8}, {Mode::closed, 1}, {Mode::closed, 8}, {Mode::closed, 24}}};
  return replays[random.below(replays.size())];
}

/// Every third with one request at a time, of which each answer has one right content.
cli::ReplayOption draw_plain_replay(RandomStream& random) {
  const auto mode = random.below(2) == 0 ? cli::ReplayMode::queue : cli::ReplayMode::closed;
  constexpr std::array<std::uint32_t, 9> depths{1, 1, 1, 2, 3, 4, 8, 16, 32};
  return {mode, depths[random.below(depths.size())]};
}

}  // namespace

namespace {

std::vector<Parameter> parameters_of(DriveConfig& drive) {
  ParameterCollector collector;
  drive.describe(collector);
  return collector.parameters();
}

/// As the first layer that takes them has the settings.
DriveConfig first_that_loads(const CombinedDraw::Load& load, const std::vector<std::string>& set, const std::vector<std::string>& layers) {
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    try {
      return load(set, layers[i]);
    } catch (const InputError&) {
      continue;
    }
  }
  return load(set, layers.back());
}

}  // namespace

CombinedDraw::CombinedDraw(std::string drive, std::uint64_t seed, std::vector<std::string> layers, std::vector<std::string> set, Load load,
                           std::uint64_t draw)
    : drive_(std::move(drive)),
      seed_(seed),
      layers_(std::move(layers)),
      set_(std::move(set)),
      load_(std::move(load)),
      draw_(draw),
      plain_(first_that_loads(load_, set_, layers_)),
      parameters_(parameters_of(plain_)) {}

CombinedDraw::Drawn CombinedDraw::draw(std::uint64_t number) {
  for (std::uint64_t tried = 0;; ++tried) {
    try {
      return exactly(attempt(number, tried));
    } catch (const InputError&) {
      if (tried == most_attempts) throw;
    }
  }
}

CombinedDraw::Drawn CombinedDraw::exactly(CombinedRun run) const {
  DriveConfig drive = load_(run.options.set, run.options.layer);
  refuse_lun_volumes(drive.logical_units, "torture");
  if (drive.hosts.translates()) run.saved_after = 0;  // the host's memory is no part of a state
  FormatPlan plan = plan_drive(drive);
  return {std::move(run), std::move(drive), std::move(plan)};
}

CombinedRun CombinedDraw::attempt(std::uint64_t number, std::uint64_t attempt) {
  RandomStream random(seed_, "torture.campaign." + std::to_string(number) + "." + std::to_string(attempt));
  CombinedRun run;
  run.number = number;
  cli::RunOptions& options = run.options;
  options.drive = drive_;
  options.layer = layer_of(number);
  const std::string layer = options.layer.substr(0, options.layer.find(':'));  // without the host of a zoned one
  options.check = true;
  options.content = cli::ContentOption::tags;
  options.seed = random.below(1'000'000);
  const auto durability = static_cast<cli::TortureDurability>(random.below(4));
  run.durability = name_of(durability);
  options.set = set_;
  if (attempt < attempts_with_sizes) {
    draw_sizes(parameters_, layer, random, options.set);
    const std::string stream = "torture.campaign.flash." + std::to_string(number) + "." + std::to_string(attempt);
    draw_flash_cache(plain_, layer, draw_ == plain_draw ? 2 : 4, RandomStream(seed_, stream), options.set);
    if (draw_ == plain_draw) draw_write_cache(random, options.set);
  }
  for (std::string& word : durability_settings(plain_, layer, durability)) options.set.push_back(std::move(word));
  // A capacity that was drawn stands before those of the durability: it takes away what "none" means.
  constexpr std::array<std::uint32_t, 4> prefills{0, 50, 100, 100};
  options.prefill_percent = prefills[random.below(prefills.size())];
  if (draw_ == plain_draw) {
    options.replay = draw_plain_replay(random);
    draw_plain(run, plain_, plan_drive(load_(options.set, options.layer)), random);
    draw_eighth(run, parameters_, random);
    if (load_(options.set, options.layer).asks_for_faults()) throw InputError("faults in a plain run");
    return run;
  }
  options.replay = draw_replay(random);
  run.requests = 20 + random.below(random.below(4) == 0 ? 480 : 160);
  if (random.below(4) == 0) run.saved_after = 1 + random.below(run.requests - 1);
  run.cuts = static_cast<std::uint32_t>(random.below(8) == 0 ? 0 : 1 + random.below(5));
  run.faults = draw_faults(plain_, random, options);
  // Earlier draws knew hosts that had no answer to sectors that cannot be read or written.
  if (draw_ < 5 && layer != options.layer && load_(options.set, options.layer).asks_for_faults())
    throw InputError("faults of media or flash below a host that translates");
  if (draw_ > 1) {
    const std::string which = "." + std::to_string(number) + "." + std::to_string(attempt);
    const FormatPlan plan = plan_drive(load_(options.set, options.layer));
    draw_second(run, plain_, plan, RandomStream(seed_, "torture.campaign.extras" + which));
    if (draw_ > 2) draw_third(run, plain_, plan, RandomStream(seed_, "torture.campaign.third" + which));
    if (draw_ > 3) draw_fourth(run, plain_, plan, RandomStream(seed_, "torture.campaign.fourth" + which));
    if (draw_ > 4) draw_fifth(run, plain_, plan, RandomStream(seed_, "torture.campaign.fifth" + which));
    if (draw_ > 5) draw_sixth(run, plain_, plan, RandomStream(seed_, "torture.campaign.sixth" + which));
    if (draw_ > 6) draw_seventh(run, plain_, plan, RandomStream(seed_, "torture.campaign.seventh" + which));
    RandomStream eighth(seed_, "torture.campaign.eighth" + which);
    if (draw_ > 7) draw_eighth(run, parameters_, eighth);
  }
  return run;
}

}  // namespace tessera
