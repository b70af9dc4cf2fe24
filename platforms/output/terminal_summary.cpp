#include "platforms/output/terminal_summary.hpp"

#include <algorithm>
#include <optional>

#include "platforms/output/figure_text.hpp"
#include "platforms/output/time_parts.hpp"

namespace tessera {

namespace {

/// What fills or learns, and what it counts. Cleanings have words of their own, and so has a clock that is not among these: its name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> clocks{
    {{"heat_intervals", "the layer learns by intervals, of which came"},
     {"role_reviews", "the layer sizes its buffers by reviews, of which came"},
     {"flash_cache", "the flash cache took in"},
     {"read_cache", "the layer's read cache took in"}}};

std::string words_of_clock(std::string_view clock) {
  for (const auto& [name, words] : clocks)
    if (name == clock) return std::string(words);
  std::string words(clock);
  std::ranges::replace(words, '_', ' ');
  return words + " of the layer, of which came";
}

constexpr double few_cleanings = 20;  // as comparisons rank (docs/guide/compare.md)
constexpr std::size_t shown_resources = 4;

std::optional<double> value_of(const MetricSet& metrics, std::string_view name) {
  const Metric* metric = metrics.find(name);
  return metric == nullptr ? std::nullopt : metric->value;
}

std::string shown(const MetricSet& metrics, std::string_view name) {
  const Metric* metric = metrics.find(name);
  return metric == nullptr ? "-" : figure_text(metric->value, metric->unit);
}

/// "3 blocks"
std::string counted(const MetricSet& metrics, std::string_view name, const std::string& noun) {
  return shown(metrics, name) + " " + noun + (value_of(metrics, name) == 1.0 ? "" : "s");
}

/// Whether there is anything of it: defined and not 0.
bool some(const MetricSet& metrics, std::string_view name) { return value_of(metrics, name).value_or(0) != 0; }

/// A resource and the metrics that say how busy it was; of several, the busiest counts.
struct Resource {
  const char* name;
  std::string_view prefix;
  std::string_view suffix;
};
constexpr const char* media = "media";
constexpr Resource resources[] = {
    {media, "disk_channel.utilisation", ""},
    {"CPU", "cpu.utilisation", ""},
    {"flash die", "nand.die.", ".utilisation"},
    {"flash channel", "nand.channel.", ".utilisation"},
    {"bus", "bus.utilisation", ""},
    {"DRAM", "dram.utilisation", ""},
    {"link", "link.utilisation", ""},
};

double busiest(const MetricSet& metrics, const Resource& resource) {
  double busy = 0;
  for (const Metric& metric : metrics.all())
    if (metric.name.starts_with(resource.prefix) && metric.name.ends_with(resource.suffix) &&
        (!resource.suffix.empty() || metric.name == resource.prefix))
      busy = std::max(busy, metric.value.value_or(0));
  return busy;
}

/// The name, and the text in a column of its own, which goes on below itself where it is too long for a terminal.
std::string line(const std::string& name, std::string text) {
  constexpr std::size_t column = 14;
  constexpr std::size_t width = 80 - column;
  std::string lines = "  " + name;
  lines.append(column - std::min(column - 1, lines.size()), ' ');
  while (text.size() > width) {
    std::size_t space = text.rfind(' ', width);
    const std::size_t clause = std::max(text.rfind(", ", width - 1) + 1, text.rfind("; ", width - 1) + 1);
    if (clause != 0) space = clause;  // rather than between a figure and its unit
    if (space == std::string::npos) break;
    lines += text.substr(0, space) + "\n" + std::string(column, ' ');
    text.erase(0, space + 1);
  }
  return lines + text + "\n";
}

std::string requests_text(const MetricSet& metrics) {
  std::string text = shown(metrics, "host.served") + " served";
  if (const auto reads = value_of(metrics, "host.reads"); reads && some(metrics, "host.served"))
    text += ", " + percent_text(*reads / *value_of(metrics, "host.served")) + " of them reads";
  if (some(metrics, "host.failed")) text += ", " + shown(metrics, "host.failed") + " failed";
  return text;
}

std::string throughput_text(const MetricSet& metrics) {
  return figure_text(value_of(metrics, "host.throughput"), "1") + " requests/s, " + shown(metrics, "host.bandwidth");
}

std::string amplification_text(const MetricSet& metrics) {
  std::string text = "write amplification " + shown(metrics, "write_amplification.total");
  if (some(metrics, "rmw.count")) text += ", " + counted(metrics, "rmw.count", "read-modify-write");
  return text;
}

/// With what the gain of the format rests on.
std::string capacity_text(const MetricSet& metrics) {
  std::string text = shown(metrics, "capacity.user");
  if (value_of(metrics, "capacity.gain_vs_cmr").value_or(1) == 1) return text;
  text += ", " + shown(metrics, "capacity.gain_vs_cmr") + " times that of conventional recording";
  if (value_of(metrics, "media.density_gain")) return text + " (assumed: media.density_gain)";
  return text + (value_of(metrics, "media.shingled_gain") ? " (as sold)" : " (by the papers' formula)");
}

/// A part of the flash that wears by itself, as the layer divides it.
struct FlashPart {
  const char* metric;
  const char* name;
};
constexpr FlashPart flash_parts[] = {{"rewrite_journal", "rewrite journal"},
                                     {"write_journal", "write journal"},
                                     {"read_cache", "read cache"},
                                     {"flash_cache", "flash cache"}};

/// Where a part of the flash lasts less than half as long as all of it would: which one, and how long the others last.
std::string shortest_lived(const MetricSet& metrics) {
  const std::string years = "nand.lifetime.years.";
  const double levelled = value_of(metrics, years + "mean").value_or(0);
  const FlashPart* shortest = nullptr;
  for (const FlashPart& part : flash_parts) {
    const auto lasts = value_of(metrics, years + part.metric);
    if (lasts && *lasts < levelled / 2 && (shortest == nullptr || *lasts < *value_of(metrics, years + shortest->metric))) shortest = &part;
  }
  if (shortest == nullptr) return "";
  std::string text = ", of the " + shown(metrics, std::string("flash.area.") + shortest->metric + ".blocks") + " over which the " +
                     shortest->name + " rotates";
  for (const FlashPart& part : flash_parts)
    if (&part != shortest && value_of(metrics, years + part.metric))
      text += "; " + std::string(part.name) + " alone " + shown(metrics, years + part.metric);
  return text;
}

/// Whether the worst block lasts less than half as long as flash that wears alike, after so few erases that this is no pace.
bool too_few_erases(const MetricSet& metrics) {
  constexpr double enough_erases = 4;  // of one block
  return value_of(metrics, "nand.lifetime.years.worst_block").value_or(0) < value_of(metrics, "nand.lifetime.years.mean").value_or(0) / 2 &&
         value_of(metrics, "nand.wear.max").value_or(0) < enough_erases;
}

std::string lifetime_text(const MetricSet& metrics) {
  std::string why = shortest_lived(metrics);
  if (why.empty() && too_few_erases(metrics)) why = ", after too few erases to tell";
  return shown(metrics, "nand.lifetime.years.worst_block") + " (worst block" + why + "; " + shown(metrics, "nand.lifetime.years.mean") +
         " with perfect wear levelling)";
}

std::string dram_text(const MetricSet& metrics, Bytes size) {
  const std::string of = size == Bytes(0) ? "" : " of " + figure_text(static_cast<double>(size.value()), "B");
  return shown(metrics, "dram.reserved.total") + of + " reserved, " + shown(metrics, "metadata.bytes") + " of it for tables";
}

std::string power_cuts_text(const MetricSet& metrics, std::uint64_t cuts) {
  return (cuts == 1 ? "cut once" : "cut " + std::to_string(cuts) + " times") +
         (some(metrics, "recovery.time") ? "; the last recovery took " + shown(metrics, "recovery.time") : "");
}

std::string flash_cache_text(const MetricSet& metrics) {
  const auto ratio = value_of(metrics, "flash_cache.hit_ratio");
  return (ratio ? percent_text(*ratio) + " of the sectors read that DRAM did not have came from it"
                : "no sector was read that DRAM did not have") +
         "; " + shown(metrics, "flash_cache.admitted") + " taken in";
}

/// Of flash that takes writes in front of what is on the platters.
std::string written_flash_text(const MetricSet& metrics) {
  return shown(metrics, "flash.written") + " written to it, " + shown(metrics, "flash.past") + " past it; " +
         shown(metrics, "flash.moved_on") + " moved on to the platters";
}

std::string dirty_text(const MetricSet& metrics) {
  return shown(metrics, "power.dirty.peak") + " at most; to save them takes " + shown(metrics, "power.dirty.hold_up") + " and " +
         shown(metrics, "power.dirty.energy");
}

std::string checked_text(const MetricSet& metrics) {
  return shown(metrics, "scoreboard.checked") + " blocks, " + shown(metrics, "scoreboard.errors") + " wrong";
}

}  // namespace

std::vector<std::string> what_is_wrong(const MetricSet& metrics, const RunVerdict& verdict) {
  std::vector<std::string> wrong;
  if (some(metrics, "scoreboard.errors")) wrong.push_back(counted(metrics, "scoreboard.errors", "block") + " came back wrong");
  if (some(metrics, "host.failed")) wrong.push_back(counted(metrics, "host.failed", "request") + " failed");
  if (verdict.partial) wrong.emplace_back("ended before its input: these are the figures of a part");
  if (!some(metrics, "host.served") && !some(metrics, "host.failed")) {
    wrong.emplace_back("no request was measured: the warm-up covers all that there was");
    return wrong;
  }
  if (verdict.unstable) wrong.emplace_back("unstable: requests piled up to the end, so latencies measure the length of the run");
  if (verdict.unsteady && !verdict.unstable)
    wrong.emplace_back("not steady: latencies still changed in the second half of the run, so its figures depend on its length");
  const double cleanings = value_of(metrics, "cleaning.count").value_or(0);
  const bool learns = metrics.find("progress.heat_intervals.of") != nullptr;  // its cleanings are moves of what it has learnt
  if (verdict.cleans && !learns && cleanings == 0)
    wrong.emplace_back("too short: the layer never had to clean, so do not compare these results with other layers");
  else if (verdict.cleans && !learns && cleanings < few_cleanings)
    wrong.push_back("only " + counted(metrics, "cleaning.count", "cleaning") + ": too few to compare these results with other layers");
  if (!verdict.caches.empty()) wrong.push_back(verdict.caches);
  constexpr std::string_view begin = "progress.";
  constexpr std::string_view end = ".done";
  for (const Metric& metric : metrics.all()) {
    if (!metric.name.starts_with(begin) || !metric.name.ends_with(end)) continue;
    const std::string clock = metric.name.substr(begin.size(), metric.name.size() - begin.size() - end.size());
    const std::string of = std::string(begin) + clock + ".of";
    if (clock != "cleanings" && clock != "flash_wear" && metric.value.value_or(0) < value_of(metrics, of).value_or(0))
      wrong.push_back("not yet: " + words_of_clock(clock) + " only " + shown(metrics, metric.name) + " of " + shown(metrics, of) +
                      ", so do not compare these results with others");
  }
  return wrong;
}

/// What the media worked for most, but the host, as a share of all time: " (cleaning 71 %)". Empty where that is little.
std::string media_work(const MetricSet& metrics) {
  constexpr double worth_a_word = 0.01;
  std::pair<double, Cause> most{0, Cause::host};
  for (std::size_t i = 0; i < causes; ++i) {
    const auto cause = static_cast<Cause>(i);
    most = std::max(most, {value_of(metrics, std::string("disk_channel.work.") + to_string(cause)).value_or(0), cause});
  }
  return most.first < worth_a_word ? "" : " (" + std::string(name_of(most.second)) + " " + percent_text(most.first) + ")";
}

/// Waits for tags or at the flash that are most of all requests' latency, which no resource's share shows: "; waits for tags: 93 % of the
/// latency".
std::string waits(const MetricSet& metrics) {
  constexpr double most = 0.5;
  const double latency = value_of(metrics, "host.latency.mean").value_or(0) * value_of(metrics, "host.served").value_or(0);
  std::string text;
  for (const Cause cause : {Cause::tags, Cause::flash}) {
    double waited = 0;
    for (const char* const ops : {"read", "write"})
      waited += value_of(metrics, std::string("host.") + ops + "s").value_or(0) *
                value_of(metrics, std::string("host.") + ops + ".cause." + to_string(cause)).value_or(0);
    if (waited > most * latency) text += "; " + std::string(name_of(cause)) + ": " + percent_text(waited / latency) + " of the latency";
  }
  return text;
}

std::string bound_by(const MetricSet& metrics) {
  constexpr double worth_a_word = 0.001;
  std::vector<std::pair<double, const char*>> shares;
  for (const Resource& resource : resources)
    if (const double busy = busiest(metrics, resource); busy >= worth_a_word) shares.emplace_back(busy, resource.name);
  std::stable_sort(shares.begin(), shares.end(), [](const auto& one, const auto& other) { return one.first > other.first; });
  shares.resize(std::min(shares.size(), shown_resources));
  std::string text;
  for (const auto& [share, name] : shares)
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + percent_text(share) + (name == media ? media_work(metrics) : "");
  return text.empty() ? text : text + waits(metrics);
}

std::string latency_text(const MetricSet& metrics, const std::vector<Percentile>& percentiles) {
  std::string text = "mean " + shown(metrics, "host.latency.mean");
  if (percentiles.empty())
    for (const auto& [name, suffix] : {std::pair("p50", "p50"), {"p99", "p99"}, {"p99.9", "p999"}})
      if (value_of(metrics, std::string("host.latency.") + suffix))
        text += std::string(", ") + name + " " + shown(metrics, std::string("host.latency.") + suffix);
  for (const auto& percentile : percentiles) text += ", p" + percentile.text + " " + shown(metrics, "host.latency." + percentile.suffix());
  return text + ", max " + shown(metrics, "host.latency.max");
}

/// What bounds a run is busy nearly all the time, or what most of the latency waits for; otherwise requests wait for each other.
std::string busy_lines(const MetricSet& metrics) {
  constexpr double nearly_all = 0.7;
  double most = 0;
  for (const Resource& resource : resources) most = std::max(most, busiest(metrics, resource));
  const std::string busy = bound_by(metrics);
  if (busy.empty()) return "";
  return line(most >= nearly_all || !waits(metrics).empty() ? "bound by" : "busy", busy);
}

/// Reads or writes: on average and the slowest, where their time went and for whose work.
std::string lives_lines(const MetricSet& metrics, const std::string& name, const std::string& ops) {
  const MetricLookup metric = [&metrics](std::string_view asked) { return value_of(metrics, asked); };
  const auto [times, phases] = time_parts(metric, ops);
  if (times.mean.empty()) return "";
  const auto [mean_work, slowest_work] = cause_parts(metric, ops);
  std::string text = line(name, times.mean + " on average: " + phases.mean);
  if (!mean_work.empty()) text += line("", "spent on " + mean_work);
  text += line("slowest 1 %", times.slowest + " on average: " + phases.slowest);
  if (!slowest_work.empty()) text += line("", "spent on " + slowest_work);
  return text;
}

std::string terminal_summary(const MetricSet& metrics, const RunVerdict& verdict) {
  std::string text;
  for (const std::string& wrong : what_is_wrong(metrics, verdict)) text += "  ! " + wrong + "\n";
  text += line("requests", requests_text(metrics));
  if (some(metrics, "host.throughput")) text += line("throughput", throughput_text(metrics));
  if (value_of(metrics, "host.latency.mean")) text += line("latency", latency_text(metrics, verdict.percentiles));
  if (some(metrics, "host.steady.from") && !verdict.unsteady)
    text += line("warm-up", "suggested: the first " + shown(metrics, "host.steady.from") + " requests; mean " +
                                shown(metrics, "host.latency.mean") + " with them, as here, " + shown(metrics, "host.steady.mean") +
                                " without");
  text += busy_lines(metrics);
  text += lives_lines(metrics, "reads", "host.read");
  text += lives_lines(metrics, "writes", "host.write");
  if (value_of(metrics, "write_amplification.total")) text += line("written", amplification_text(metrics));
  if (some(metrics, "cleaning.count"))
    text += line("cleaning", counted(metrics, "cleaning.count", "cleaning") + " of " + shown(metrics, "cleaning.mean") + " on average");
  text += line("capacity", capacity_text(metrics));
  text += line("DRAM", dram_text(metrics, verdict.dram));
  if (metrics.find("flash.written") != nullptr) text += line("flash cache", written_flash_text(metrics));
  if (metrics.find("flash_cache.hits") != nullptr) text += line("flash cache", flash_cache_text(metrics));
  if (some(metrics, "nand.lifetime.years.mean")) text += line("flash life", lifetime_text(metrics));
  if (some(metrics, "power.dirty.peak")) text += line("unsaved", dirty_text(metrics));
  if (verdict.power_cuts != 0)
    text += line("power", power_cuts_text(metrics, verdict.power_cuts));
  else if (verdict.recovered && some(metrics, "recovery.time"))
    text += line("recovery", shown(metrics, "recovery.time"));
  if (metrics.find("scoreboard.checked") != nullptr) text += line("checked", checked_text(metrics));
  text += line("time", shown(metrics, "run.simulated_seconds") + " simulated, " +
                           figure_text(value_of(metrics, "run.requests_per_cpu_second"), "1") + " requests per CPU-second");
  return text;
}

}  // namespace tessera
