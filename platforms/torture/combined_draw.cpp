#include "platforms/torture/combined_draw.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "platforms/torture/drawn_extras.hpp"
#include "platforms/torture/drawn_faults.hpp"
#include "platforms/torture/drawn_parameters.hpp"
#include "platforms/torture/legal_part.hpp"
#include "platforms/torture/torture_durability.hpp"

namespace tessera {

namespace {

constexpr std::uint64_t most_attempts = 200;
/// Draws after which only the durability and the faults are left: a layer that refuses what its own sizes have become.
constexpr std::uint64_t attempts_with_sizes = 100;
/// In front of a row, whose words may say otherwise. It may make a drive of parts each of which is slow: one that never answers is found by
/// its work or the processor's time. And whatever it puts into the TCM has room.
constexpr std::array room_for_rows{"host.timeout=1000000 s", "controller.tcm.size=16 MiB"};
/// After which only the parameters of its row are left: a layer that refuses the row's durability, or a kind of faults.
constexpr std::uint64_t attempts_with_all_of_row = 20;

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

std::vector<std::string> with_words(std::vector<std::string> set, std::size_t place, const std::vector<DrawnRows::Word>& words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const DrawnRows::Word& word : words) texts.push_back(word.text);
  set.insert(set.begin() + static_cast<std::ptrdiff_t>(place), texts.begin(), texts.end());
  return set;
}

}  // namespace

CombinedDraw::CombinedDraw(std::string drive, std::uint64_t seed, std::vector<std::string> layers, std::vector<std::string> set, Load load,
                           Fits fits, std::uint64_t draw)
    : drive_(std::move(drive)),
      seed_(seed),
      layers_(std::move(layers)),
      set_(std::move(set)),
      load_(std::move(load)),
      fits_(std::move(fits)),
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

DrawnRows* CombinedDraw::rows_of(const std::string& layer) {
  if (draw_ != plain_draw && draw_ < first_draw_of_rows) return nullptr;
  std::unique_ptr<DrawnRows>& rows = rows_[layer];
  if (rows == nullptr) rows = std::make_unique<DrawnRows>(parameters_, layer, draw_ == plain_draw, seed_);
  return rows.get();
}

void CombinedDraw::prepare(std::uint64_t number) {
  if (DrawnRows* rows = rows_of(layer_of(number)); rows != nullptr) rows->prepare(row_of(number));
}

/// Whether the layer takes these words at `place` among the settings of `run`; `made`: and the drive can be made.
bool CombinedDraw::takes(const CombinedRun& run, std::size_t place, const Words& words, bool made) const {
  try {
    const DriveConfig drive = load_(with_words(run.options.set, place, words), run.options.layer);
    const FormatPlan plan = plan_drive(drive);
    return (draw_ != plain_draw || !drive.asks_for_faults()) && (!made || fits_(drive, plan));
  } catch (const InputError&) {
    return false;
  }
}

/// Of the words of a row, those that it takes.
CombinedDraw::Words CombinedDraw::accepted(const CombinedRun& run, std::size_t place, const Words& words, bool made) const {
  if (!takes(run, place, {}, made)) throw InputError("the layer does not take what was drawn next to the row");
  return legal_part<DrawnRows::Word>(words, [&](const Words& some) { return takes(run, place, some, made); });
}

/// Puts the words of its row into a run that is drawn but for them. What kinds of faults set stays: they need it.
void CombinedDraw::put_row(CombinedRun& run, std::size_t place, Words words) {
  std::vector<std::string>& set = run.options.set;
  std::erase_if(words, [&](const DrawnRows::Word& word) {
    return std::any_of(set.begin() + static_cast<std::ptrdiff_t>(place), set.end(),
                       [&](const std::string& other) { return other.starts_with(word.path() + "="); });
  });
  words = accepted(run, place, words, false);
  if (!takes(run, place, words, true)) words = accepted(run, place, words, true);
  set = with_words(set, place, words);
  run.parameters.clear();
  for (const DrawnRows::Word& word : words) run.parameters.push_back(word.text);
  if (!words.empty()) run.faults.emplace_back("parameters");
  std::ranges::sort(run.faults);
  DriveConfig drive = load_(set, run.options.layer);
  std::set<std::string> unused;
  for (const Parameter& parameter : parameters_of(drive))
    if (!parameter.unused.empty()) unused.insert(parameter.path());
  std::erase_if(words, [&](const DrawnRows::Word& word) { return unused.contains(word.path()); });
  run.met = rows_of(run.options.layer)->items_of(run, words);
}

CombinedRun CombinedDraw::attempt(std::uint64_t number, std::uint64_t attempt) {
  const std::string which = "." + std::to_string(number) + "." + std::to_string(attempt);
  RandomStream random(seed_, "torture.campaign" + which);
  CombinedRun run;
  run.number = number;
  cli::RunOptions& options = run.options;
  options.drive = drive_;
  options.layer = layer_of(number);
  const std::string layer = options.layer.substr(0, options.layer.find(':'));  // without the host of a zoned one
  options.check = true;
  options.content = cli::ContentOption::tags;
  options.seed = random.below(1'000'000);
  DrawnRows::Asked asked;
  if (DrawnRows* rows = rows_of(options.layer); rows != nullptr) {
    RandomStream values(seed_, "torture.campaign.row" + which);
    asked = rows->asked(row_of(number), values);
    if (attempt >= attempts_with_all_of_row) asked = {std::move(asked.words), {}, {}, {}, {}};
  }
  const auto durability = asked.durability.value_or(static_cast<cli::TortureDurability>(random.below(4)));
  run.durability = name_of(durability);
  if (rows_of(options.layer) != nullptr) options.set.assign(room_for_rows.begin(), room_for_rows.end());
  options.set.insert(options.set.end(), set_.begin(), set_.end());
  if (attempt < attempts_with_sizes) {
    draw_sizes(parameters_, layer, random, options.set);
    draw_flash_cache(plain_, layer, draw_ == plain_draw ? 2 : 4, RandomStream(seed_, "torture.campaign.flash" + which), options.set);
    if (draw_ == plain_draw) draw_write_cache(random, options.set);
  }
  for (std::string& word : durability_settings(plain_, layer, durability)) options.set.push_back(std::move(word));
  // A capacity that was drawn stands before those of the durability: it takes away what "none" means.
  constexpr std::array<std::uint32_t, 4> prefills{0, 50, 100, 100};
  options.prefill_percent = asked.prefill_percent.value_or(prefills[random.below(prefills.size())]);
  run.wanted = std::move(asked.kinds);
  if (rows_of(options.layer) == nullptr) {
    draw_what_happens(run, plain_, random, which);
    return run;
  }
  // What happens is drawn for the drive with its row, and may set some of the same parameters.
  const std::size_t place = options.set.size();
  const Words words = accepted(run, place, asked.words, false);
  options.set = with_words(options.set, place, words);
  for (const DrawnRows::Word& word : words) run.parameters.push_back(word.text);
  draw_what_happens(run, load_(options.set, options.layer), random, which);
  if (asked.replay) options.replay = *asked.replay;
  const auto begin = options.set.begin() + static_cast<std::ptrdiff_t>(place);
  options.set.erase(begin, begin + static_cast<std::ptrdiff_t>(words.size()));
  put_row(run, place, words);
  return run;
}

/// Requests, cuts and faults. `drive`: what they are drawn for.
void CombinedDraw::draw_what_happens(CombinedRun& run, const DriveConfig& drive, RandomStream& random, const std::string& which) const {
  cli::RunOptions& options = run.options;
  if (draw_ == plain_draw) {
    options.replay = draw_plain_replay(random);
    draw_plain(run, drive, plan_drive(load_(options.set, options.layer)), random);
    return;
  }
  const bool translated = options.layer.find(':') != std::string::npos;
  options.replay = draw_replay(random);
  run.requests = 20 + random.below(random.below(4) == 0 ? 480 : 160);
  if (random.below(4) == 0) run.saved_after = 1 + random.below(run.requests - 1);
  run.cuts = static_cast<std::uint32_t>(random.below(8) == 0 ? 0 : 1 + random.below(5));
  run.faults = draw_faults(drive, run.wanted, random, options);
  // Earlier draws knew hosts that had no answer to sectors that cannot be read or written.
  if (draw_ < 5 && translated && load_(options.set, options.layer).asks_for_faults())
    throw InputError("faults of media or flash below a host that translates");
  if (draw_ == 1) return;
  const FormatPlan plan = plan_drive(load_(options.set, options.layer));
  draw_second(run, drive, plan, RandomStream(seed_, "torture.campaign.extras" + which));
  if (draw_ > 2) draw_third(run, drive, plan, RandomStream(seed_, "torture.campaign.third" + which));
  if (draw_ > 3) draw_fourth(run, drive, plan, RandomStream(seed_, "torture.campaign.fourth" + which));
  if (draw_ > 4) draw_fifth(run, drive, plan, RandomStream(seed_, "torture.campaign.fifth" + which));
  if (draw_ > 5) draw_sixth(run, drive, plan, RandomStream(seed_, "torture.campaign.sixth" + which));
  if (draw_ > 6) draw_seventh(run, drive, plan, RandomStream(seed_, "torture.campaign.seventh" + which));
  RandomStream eighth(seed_, "torture.campaign.eighth" + which);
  if (draw_ == 8) draw_eighth(run, parameters_, eighth);
}

}  // namespace tessera
