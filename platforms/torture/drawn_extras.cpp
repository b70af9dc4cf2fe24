#include "platforms/torture/drawn_extras.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "media/media_config.hpp"
#include "platforms/torture/drawn_parameters.hpp"

namespace tessera {

namespace {

/// Of refresh: writes next to a track that come while it waits for its turn, as a multiple of the threshold.
constexpr std::uint64_t out_of_reach = 400;
constexpr std::uint64_t lowest_threshold = 16;  // of refresh
constexpr std::uint64_t highest_threshold = 25;

/// What one kind draws from.
struct Extra {
  CombinedRun& run;
  const DriveConfig& drive;
  const FormatPlan& plan;
  RandomStream& random;

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) const { return random.below(bound); }
  template <class T, std::size_t n>
  [[nodiscard]] T one_of(const std::array<T, n>& values) const {
    return values[random.below(n)];
  }
  template <std::size_t n>
  void choose(const std::string& path, const std::array<const char*, n>& values) const {
    set(path, values[random.below(n)]);
  }
  void set(const std::string& path, const std::string& value) const { run.options.set.push_back(path + "=" + value); }
  void set(const std::string& path, std::uint64_t value) const { set(path, std::to_string(value)); }
  [[nodiscard]] bool sets(const std::string& path) const {
    return std::ranges::any_of(run.options.set, [&](const std::string& word) { return word.starts_with(path + "="); });
  }
};

/// Tracks where firmware keeps records of its own; all where it has none.
std::vector<Region> reserved(const FormatPlan& plan) {
  FormatPlan regions = plan;
  std::erase_if(regions, [](const Region& region) { return region.name == "data"; });
  return regions.empty() ? plan : regions;
}

/// Rows of neighbours on a track, which take both copies of a record, or the headers of several; `more` gives the columns after the place.
template <class More>
std::string neighbours(const Extra& extra, std::uint64_t most_groups, More more) {
  const DriveGeometry geometry = geometry_of(extra.drive.media);
  const std::vector<Region> regions = reserved(extra.plan);
  std::string rows;
  for (std::uint64_t groups = 1 + extra.below(most_groups); groups > 0; --groups) {
    const Region& region = regions[extra.below(regions.size())];
    const std::uint64_t surface = extra.below(geometry.surfaces);
    const auto radius = static_cast<std::uint32_t>(region.first + extra.below(region.count));
    const std::uint64_t sectors = geometry.zone_of(radius).sectors_per_track;
    const std::uint64_t count = 1 + extra.below(4);
    const std::uint64_t first = extra.below(sectors - std::min(count, sectors - 1));
    const std::string rest = more();
    for (std::uint64_t sector = first; sector < std::min(first + count, sectors); ++sector)
      rows +=
          (rows.empty() ? "[[" : ",[") + std::to_string(surface) + "," + std::to_string(radius) + "," + std::to_string(sector) + rest + "]";
  }
  return rows + "]";
}

/// Beyond what one boot tries, so that one boot cannot read what a later one can.
void fading(const Extra& extra) {
  if (extra.sets("media.transient_sectors")) return;
  extra.set("media.transient_sectors", neighbours(extra, 12, [&] { return "," + std::to_string(20 + extra.below(400)); }));
}

void scratches(const Extra& extra) {
  if (extra.sets("media.grown_defects")) return;
  extra.set("media.grown_defects",
            neighbours(extra, 6, [&] { return "," + std::to_string(extra.below(std::uint64_t{1} << extra.below(12))); }));
}

void flash_storm(const Extra& extra) {
  if (extra.drive.nand.blocks == 0) return;
  extra.set("nand.ecc_bits", 8);
  extra.set("nand.bit_errors_fresh", extra.one_of<std::uint64_t, 3>({200'000, 400'000, 600'000}));
  extra.set("nand.read_retries", extra.below(3));
  extra.set("nand.program_failures_per_million", extra.one_of<std::uint64_t, 3>({200, 2'000, 10'000}));
  extra.set("nand.erase_failures_per_million", extra.one_of<std::uint64_t, 3>({1'000, 10'000, 50'000}));
  extra.set("power.dump_failures", extra.one_of<std::uint64_t, 3>({100'000, 300'000, 500'000}));
}

void look_ahead(const Extra& extra) {
  const std::string path = "firmware.read_cache.";
  extra.set(path + "segments", 1 + extra.below(6));
  extra.set(path + "segment_sectors", extra.one_of<std::uint64_t, 3>({16, 64, 256}));
  extra.set(path + "read_ahead", extra.one_of<std::uint64_t, 3>({8, 32, 128}));
  extra.set(path + "read_ahead_step", extra.one_of<std::uint64_t, 3>({1, 4, 8}));
  extra.choose<2>(path + "read_ahead_start", {"with_read", "after_read"});
  extra.choose<2>(path + "read_ahead_on", {"any_read", "sequential_read"});
  extra.choose<2>(path + "read_ahead_until", {"next_command", "limit"});
  extra.choose<2>(path + "keep_delivered", {"true", "false"});
  extra.choose<2>(path + "extend_at_hit", {"true", "false"});
  extra.choose<2>(path + "writes_end_segments", {"true", "false"});
}

void write_cache(const Extra& extra) {
  const std::string path = "firmware.write_cache.";
  extra.choose<2>(path + "edges", {"before", "behind"});
  extra.choose<3>(path + "order", {"elevator", "first_come", "positioning"});
  extra.set(path + "destage_depth", 1 + extra.below(8));
  extra.set(path + "high_mark", 50 + extra.below(51));
  extra.set(path + "low_mark", extra.below(51));
}

/// One cut soon after another, and one while the drive is shut down for a saved state.
void hasty(const Extra& extra) {
  extra.run.hasty = true;
  extra.run.cuts = static_cast<std::uint32_t>(2 + extra.below(6));
}

void barriers(const Extra& extra) { extra.run.barriers = true; }

/// Of host-managed zones; what the settings say stays.
void zone_cache(const Extra& extra) {
  const std::string path = "layers.zoned.";
  if (!extra.sets(path + "write_cache")) extra.choose<5>(path + "write_cache", {"8 KiB", "32 KiB", "128 KiB", "1 MiB", "4 MiB"});
  extra.choose<3>(path + "cache_run", {"8 KiB", "64 KiB", "1 MiB"});
  extra.set(path + "cache_depth", extra.one_of<std::uint64_t, 4>({1, 2, 4, 32}));
  extra.choose<3>(path + "cache_idle_after", {"10 us", "5 ms", "1 s"});
}

/// Who waits for whom at the platters.
void queue(const Extra& extra) {
  extra.choose<3>("controller.age_limit", {"20 ms", "200 ms", "2 s"});
  extra.choose<3>("controller.age_pause", {"0 s", "20 ms", "400 ms"});
  extra.choose<3>("controller.read_priority", {"none", "over_updates", "over_all"});
}

/// Each for itself. A pool with the write cache has segments that fit into the drive's own one.
void read_cache_switches(const Extra& extra) {
  const std::string path = "firmware.read_cache.";
  const bool shared = extra.below(2) == 0;
  if (shared || !extra.sets(path + "segments")) {
    extra.set(path + "segments", 1 + extra.below(3));
    extra.set(path + "segment_sectors", shared ? extra.one_of<std::uint64_t, 3>({1, 2, 4}) : extra.one_of<std::uint64_t, 2>({16, 64}));
  }
  if (shared) extra.set(path + "pool", "with_writes");
  if (extra.below(2) == 0) {
    extra.set(path + "segmentation", "adaptive");
    extra.set(path + "largest_segment_sectors", extra.one_of<std::uint64_t, 3>({8, 64, 512}));
  }
  if (extra.below(2) == 0) {
    extra.set(path + "keep_delivered", "true");
    extra.set(path + "zero_latency", "true");
  }
}

void two_arms(const Extra& extra) {
  if (extra.drive.media.surfaces < 2) extra.set("media.surfaces", 2);
  extra.set("media.actuators", 2);
  if (extra.below(3) == 0) extra.set("media.actuators_at_once", 1);
}

/// Known before the first format: firmware never sees them, but data lies elsewhere. Tracks that overlap are left out: a slip shifts the
/// angles of its track, and layers that write parts of tracks do not know what that destroys of the next one (docs/guide/limitations.md).
void factory_defects(const Extra& extra) {
  const auto conventional = [](const Region& region) { return region.format == RecordingFormat::conventional; };
  if (!std::ranges::all_of(extra.plan, conventional)) return;
  extra.set("media.track_spares", 4 + extra.below(5));
  extra.set("media.factory_defects", neighbours(extra, 2, [] { return std::string(); }));
  extra.choose<2>("media.defect_scheme", {"slip", "remap"});
}

/// A head whose inner or outer tracks need more retries than the rest, beyond what one command tries.
void weak_tracks(const Extra& extra) {
  if (extra.sets("media.transient_errors_per_million")) return;
  const DriveGeometry geometry = geometry_of(extra.drive.media);
  const std::uint64_t surface = extra.below(geometry.surfaces);
  const std::uint64_t middle = extra.below(geometry.radii() - 1);
  const std::string begin = "[" + std::to_string(surface) + ",";
  const auto rate = [&] { return std::to_string(extra.one_of<std::uint64_t, 4>({0, 1'000, 10'000, 50'000})) + "]"; };
  std::string rows = "[" + begin + std::to_string(middle) + "," + rate();
  rows += "," + begin + std::to_string(geometry.radii() - 1) + "," + rate() + "]";
  extra.set("media.track_error_rates", rows);
  if (!extra.sets("media.transient_error_reads")) extra.set("media.transient_error_reads", extra.one_of<std::uint64_t, 3>({2, 8, 40}));
}

/// The disk leaves its idle states between requests, and while the firmware works for itself.
void power_conditions(const Extra& extra) {
  const std::string path = "media.power_conditions.";
  extra.choose<3>(path + "idle_a_after", {"0 s", "1 ms", "5 ms"});
  extra.choose<3>(path + "idle_b_after", {"0 s", "6 ms", "20 ms"});
  extra.choose<3>(path + "standby_after", {"0 s", "25 ms", "100 ms"});
  extra.set(path + "standby_recovery", "\"" + std::to_string(10 + extra.below(500)) + " ms\"");  // hosts wait two minutes at most
  extra.set(path + "idle_b_recovery", "\"" + std::to_string(1 + extra.below(200)) + " ms\"");
}

/// Heads that are worn out within the run now and then.
void heat(const Extra& extra) {
  extra.choose<3>("media.heat.laser_warm_up", {"0 s", "20 us", "500 us"});
  if (extra.below(3) != 0) return;
  extra.choose<3>("media.heat.head_life", {"1 MiB", "4 MiB", "32 MiB"});
  extra.set("media.heat.worn_faults_per_million", extra.one_of<std::uint64_t, 3>({100, 1'000, 10'000}));
}

void interference(const Extra& extra, std::uint64_t limit) {
  extra.set("media.interference_limit", limit);
  extra.set("media.interference_errors_per_million", extra.one_of<std::uint64_t, 3>({0, 1'000, 100'000}));
  if (!extra.sets("media.transient_error_reads")) extra.set("media.transient_error_reads", extra.one_of<std::uint64_t, 2>({2, 6}));
}

/// Below hosts that translate, next to refresh.
void interference_below(const Extra& extra) {
  const std::string threshold = "firmware.refresh.threshold";
  const auto of_row = [&](const std::string& word) { return word.starts_with(threshold + "="); };
  if (std::ranges::any_of(extra.run.parameters, of_row)) return;  // it may be out of the reach of what the limit is for
  if (extra.run.options.layer.find(':') != std::string::npos && extra.sets(threshold))
    interference(extra, out_of_reach * highest_threshold);
}

/// Some tracks are refreshed within the run; with interference, which is not to spoil anything.
void refresh(const Extra& extra) {
  const std::string path = "firmware.refresh.";
  const std::uint64_t threshold = lowest_threshold + extra.below(highest_threshold + 1 - lowest_threshold);
  extra.set(path + "threshold", threshold);
  extra.choose<2>(path + "counters", {"track", "area"});
  extra.set(path + "areas_per_track", extra.one_of<std::uint64_t, 3>({2, 4, 16}));
  extra.choose<3>(path + "dumped", {"true", "true", "false"});
  const bool translated = extra.run.options.layer.find(':') != std::string::npos;  // below hosts it came later
  if (translated || extra.below(2) == 0) return;
  interference(extra, out_of_reach * threshold);
}

/// Between requests that come one at a time, and while the drive drains.
void medium_scan(const Extra& extra) {
  const std::string path = "firmware.media_scan.";
  extra.choose<3>(path + "interval", {"50 ms", "500 ms", "10 s"});
  extra.choose<2>(path + "minimum_idle", {"10 ms", "30 ms"});
  extra.set(path + "sectors", extra.one_of<std::uint64_t, 3>({0, 1, 5}));
}

/// Parts of the drive are slow for a while, or stall now and then: what waits waits longer, and in other orders.
void fail_slow(const Extra& extra) {
  const DriveGeometry geometry = geometry_of(extra.drive.media);
  std::string rows;
  for (std::uint64_t left = 1 + extra.below(3); left > 0; --left) {
    const std::uint64_t surface = extra.below(geometry.surfaces);
    const std::uint64_t radius = extra.below(geometry.radii());
    const std::uint64_t from = extra.below(std::uint64_t{1} << extra.below(13));
    const std::uint64_t stall = extra.one_of<std::uint64_t, 4>({0, 1, 30, 300});
    std::string row = std::to_string(surface) + "," + std::to_string(surface + extra.below(3)) + "," + std::to_string(radius) + "," +
                      std::to_string(radius + extra.below(geometry.radii())) + "," + std::to_string(from) + "," +
                      std::to_string(from + 1 + extra.below(4000)) + "," + std::to_string(2 + extra.below(3)) + "," +
                      std::to_string(stall) + "," +
                      std::to_string(stall == 0 ? 0 : extra.one_of<std::uint64_t, 3>({1'000, 20'000, 200'000}));
    rows += (rows.empty() ? "[[" : ",[") + row + "]";
  }
  extra.set("media.fail_slow", rows + "]");
}

/// Commands of different lengths share the link, and what is sent first need not come first.
void frames(const Extra& extra) {
  if (!extra.sets("host.link")) extra.choose<2>("host.link", {"sata", "sas"});
}

struct ExtraKind {
  const char* name;
  std::uint64_t one_in;  ///< runs
  void (*draw)(const Extra&);
};

constexpr std::array<ExtraKind, 7> second_kinds{{
    {"fading", 2, fading},
    {"scratches", 4, scratches},
    {"flash-storm", 6, flash_storm},
    {"look-ahead", 4, look_ahead},
    {"cache-options", 4, write_cache},
    {"hasty-cuts", 3, hasty},
    {"barriers", 3, barriers},
}};

constexpr std::array<ExtraKind, 2> third_kinds{{
    {"read-switches", 3, read_cache_switches},
    {"two-arms", 6, two_arms},
}};

constexpr std::array<ExtraKind, 4> fourth_kinds{{
    {"factory-defects", 4, factory_defects},
    {"weak-tracks", 4, weak_tracks},
    {"idle-states", 4, power_conditions},
    {"heat", 4, heat},
}};

constexpr std::array<ExtraKind, 3> fifth_kinds{{
    {"refresh", 2, refresh},
    {"medium-scan", 3, medium_scan},
    {"frames", 3, frames},
}};

constexpr std::array<ExtraKind, 2> sixth_kinds{{
    {"queue", 3, queue},
    {"interference", 2, interference_below},
}};
constexpr std::array<ExtraKind, 1> sixth_kinds_of_zones{{
    {"zone-cache", 2, zone_cache},
}};

constexpr std::array<ExtraKind, 1> seventh_kinds{{
    {"fail-slow", 3, fail_slow},
}};

constexpr std::array<ExtraKind, 7> plain_kinds{{
    {"cache-options", 1, write_cache},
    {"look-ahead", 2, look_ahead},
    {"read-switches", 3, read_cache_switches},
    {"barriers", 3, barriers},
    {"two-arms", 6, two_arms},
    {"idle-states", 8, power_conditions},
    {"fail-slow", 6, fail_slow},
}};

void draw(std::span<const ExtraKind> kinds, const Extra& extra) {
  for (const ExtraKind& kind : kinds) {
    const bool by_chance = extra.below(kind.one_in) == 0;
    if (!by_chance && std::ranges::find(extra.run.wanted, kind.name) == extra.run.wanted.end()) continue;
    kind.draw(extra);
    extra.run.faults.emplace_back(kind.name);
  }
  std::ranges::sort(extra.run.faults);
}

void append_names(std::span<const ExtraKind> kinds, std::vector<std::string>& names) {
  for (const ExtraKind& kind : kinds) names.emplace_back(kind.name);
}

}  // namespace

std::vector<std::string> extra_kinds() {
  std::vector<std::string> names;
  append_names(second_kinds, names);
  append_names(third_kinds, names);
  append_names(fourth_kinds, names);
  append_names(fifth_kinds, names);
  append_names(sixth_kinds, names);
  append_names(seventh_kinds, names);
  return names;
}

void draw_second(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random) {
  draw(second_kinds, {run, drive, plan, random});
}

void draw_third(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random) {
  draw(third_kinds, {run, drive, plan, random});
}

void draw_fourth(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random) {
  draw(fourth_kinds, {run, drive, plan, random});
}

void draw_fifth(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random) {
  draw(fifth_kinds, {run, drive, plan, random});
}

void draw_sixth(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random) {
  if (run.options.layer.starts_with("zoned")) draw(sixth_kinds_of_zones, {run, drive, plan, random});
  draw(sixth_kinds, {run, drive, plan, random});
}

void draw_seventh(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random) {
  draw(seventh_kinds, {run, drive, plan, random});
}

void draw_eighth(CombinedRun& run, const std::vector<Parameter>& parameters, RandomStream& random) {
  if (random.below(3) != 0) return;
  std::vector<std::string> words = draw_parameters(parameters, run.options.layer, random);
  std::erase_if(words, [&](const std::string& word) {  // what another kind needs stays
    const std::string begin = word.substr(0, word.find('=') + 1);
    return std::ranges::any_of(run.options.set, [&](const std::string& set) { return set.starts_with(begin); });
  });
  if (words.empty()) return;
  std::ranges::copy(words, std::back_inserter(run.options.set));
  run.parameters = std::move(words);
  run.faults.emplace_back("parameters");
  std::ranges::sort(run.faults);
}

void draw_plain(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream& random) {
  constexpr std::array<std::uint64_t, 6> spans{64, 512, 512, 2048, 8192, 0};
  run.span = spans[random.below(spans.size())];
  run.requests = 6 + random.below(random.below(4) == 0 ? 234 : 54);
  draw(plain_kinds, {run, drive, plan, random});
}

}  // namespace tessera
