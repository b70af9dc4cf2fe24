#include "platforms/run/measurement.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

namespace {

double value_of(const MetricSet& metrics, std::string_view name) {
  const Metric* metric = metrics.find(name);
  return metric == nullptr ? 0.0 : metric->value.value_or(0.0);
}

constexpr std::string_view written = "media.sectors_written.";

/// Regions whose writes are scratch or log rather than user data; `write_amplification.no_backup` leaves them out.
constexpr std::array<std::string_view, 6> scratch_regions{"backup", "checkpoint", "journal", "log", "map", "moves"};

bool is_scratch(std::string_view region) {
  return std::any_of(scratch_regions.begin(), scratch_regions.end(), [region](std::string_view name) { return region.starts_with(name); });
}

/// Layers that divide the flash say how much of it each part has, and how often it was erased.
void add_area_lifetimes(MetricSet& metrics, const std::function<std::optional<double>(double)>& years) {
  constexpr std::string_view area = "flash.area.";
  constexpr std::string_view blocks = ".blocks";
  std::vector<std::pair<std::string, double>> areas;
  for (const Metric& metric : metrics.all())
    if (metric.name.starts_with(area) && metric.name.ends_with(blocks))
      areas.emplace_back(metric.name.substr(area.size(), metric.name.size() - area.size() - blocks.size()), metric.value.value_or(0));
  for (const auto& [name, size] : areas)
    metrics.add("nand.lifetime.years." + name, years(value_of(metrics, std::string(area) + name + ".erases") / size), "years",
                "until the blocks of this area of the flash have had nand.endurance erases, at the erases a second of the measured time");
}

}  // namespace

void Measurement::begin() {
  begin_ = drive_.timeline().now();
  rested_ = {};
  drive_.reset_statistics();
  start_ = {};
  report(start_, Picoseconds(0));
}

void Measurement::report(MetricSet& metrics, LongTime elapsed) const {
  drive_.report(metrics, elapsed);
  if (host_ != nullptr) host_->report(metrics);
}

std::uint64_t Measurement::user_sectors() const { return host_ == nullptr ? drive_.firmware().user_sectors() : host_->user_sectors(); }

void Measurement::add_write_amplification(MetricSet& metrics) const {
  const double sector = drive_.sector_shape().sector_bytes;
  const double host = value_of(metrics, "host.bytes_written") / sector;
  double user = 0;
  double scratch = 0;
  for (const Metric& metric : metrics.all()) {
    if (!metric.name.starts_with(written) || metric.name == "media.sectors_written.total") continue;
    (is_scratch(std::string_view(metric.name).substr(written.size())) ? scratch : user) += metric.value.value_or(0.0);
  }
  const double flash = value_of(metrics, "nand.programs");
  const double flash_logs = value_of(metrics, "rewrite_journal.sectors") + value_of(metrics, "write_journal.sectors");
  const auto over_host = [host](double sectors) { return host == 0 ? std::nullopt : std::optional(sectors / host); };
  metrics.add("write_amplification.total", over_host(user + scratch + flash), "1",
              "sectors and pages written to platters and flash, over the host's bytes in sectors");
  metrics.add("write_amplification.media", over_host(user + scratch), "1",
              "sectors written to the platters, over the host's bytes in sectors");
  metrics.add("write_amplification.flash", over_host(flash), "1", "pages written to flash, over the host's bytes in sectors");
  metrics.add("write_amplification.no_backup", over_host(user + flash - flash_logs), "1",
              "as write_amplification.total, without scratch space and logs: closest to the definitions of the papers");
  if (host_ == nullptr) return;
  metrics.add("write_amplification.host", over_host(value_of(metrics, "translation.sectors.written")), "1",
              "sectors that the translating host wrote to the drive, over the application's bytes in sectors");
}

/// Erases go on at the pace of the measured part; the worst block's are those by which the largest wear grew.
void Measurement::add_lifetime(MetricSet& metrics, double seconds) const {
  const auto endurance = static_cast<double>(drive_.nand()->device().config().endurance);
  const auto blocks = static_cast<double>(drive_.nand()->device().config().blocks);
  const auto years = [endurance, seconds](double erases_a_block) {
    constexpr double seconds_a_year = 365.25 * 86'400;
    return erases_a_block > 0 ? std::optional(endurance / erases_a_block * seconds / seconds_a_year) : std::nullopt;
  };
  metrics.add("nand.endurance", endurance, "1", "erases that a block is specified for");
  metrics.add("nand.lifetime.years.mean", years(value_of(metrics, "nand.erases") / blocks), "years",
              "until blocks have had nand.endurance erases if all wear alike, at the erases a second of the measured time");
  add_area_lifetimes(metrics, years);
  const double grown = value_of(metrics, "nand.wear.max") - value_of(start_, "nand.wear.max");
  metrics.add("nand.lifetime.years.worst_block", years(grown), "years",
              "until a new block has had nand.endurance erases, at the pace at which nand.wear.max grew in the measured time");
  if (value_of(metrics, "nand.programs") == 0) return;  // nothing wears
  constexpr double enough_erases = 20;                  // a pace of whole erases is then known to a twentieth
  metrics.add("progress.flash_wear.done", grown, "1", "erases by which nand.wear.max grew");
  metrics.add("progress.flash_wear.of", enough_erases, "1",
              "as many are enough for nand.lifetime.years.worst_block; other figures do not need them");
}

/// What a power loss must save when the write cache is at its dirtiest; the engine is built for the whole buffer (power.dump.*).
void Measurement::add_dirty_peak(MetricSet& metrics) const {
  const Bytes dirty(static_cast<std::uint64_t>(value_of(metrics, "cache.dirty.peak")));
  const DumpEngine& engine = drive_.dump_engine();
  metrics.add("power.dirty.peak", static_cast<double>(dirty.value()), "B", "most dirty data in DRAM at once");
  metrics.add("power.dirty.hold_up", engine.dump_time(dirty), "hold-up time that dumping power.dirty.peak takes");
  metrics.add("power.dirty.energy", static_cast<double>(engine.dump_energy(dirty).value()) * 1e-9, "mJ",
              "hold-up energy that dumping power.dirty.peak takes");
}

void Measurement::add_totals(MetricSet& metrics) const {
  const double joules =
      value_of(metrics, "media.energy.total") + value_of(metrics, "nand.energy.total") * 1e-3 + value_of(metrics, "dram.energy") * 1e-3;
  metrics.add("energy.total", joules, "J", "energy of head-disk assembly, flash and DRAM over the measured time");
  const double physical = static_cast<double>(drive_.physical_sectors());
  const double user = static_cast<double>(user_sectors());
  const double user_bytes = user * drive_.sector_shape().sector_bytes;
  const double gain = user * drive_.density_gain() / physical;
  metrics.add("capacity.user", user_bytes, "B", "what the host can address");
  metrics.add("capacity.gain_vs_cmr", gain, "1",
              "user capacity over that of the same platters recorded conventionally: what guards and reserves leave, times the gain of the "
              "format: media.shingled_gain as sold, media.density_gain, or the tracks under the head (SG = W N / (N + G))");
  const Bytes reserved(static_cast<std::uint64_t>(value_of(metrics, "dram.reserved.total")));
  const DriveConfig& config = drive_.config();
  metrics.add("cost.per_user_tb", config.cost.per_user_tb(user_bytes, gain, reserved, config.flash_in_use()), "$",
              "price of platters, DRAM and flash in use for a TB of user capacity, by the prices in [cost]");
  // Layers without the operation still report that none happened, so that tables over layers have no holes.
  for (const auto& [name, words] : {std::pair("rmw.count", "read-modify-writes"), std::pair("cleaning.count", "cleanings")})
    if (metrics.find(name) == nullptr) metrics.add(name, 0.0, "1", words);
  for (const auto& [name, words] : {std::pair("cleaning.mean", "mean time of a cleaning"), std::pair("cleaning.max", "longest cleaning")})
    if (metrics.find(name) == nullptr) metrics.add(name, std::nullopt, "ms", words);
  if (metrics.find("nand.erases") == nullptr) metrics.add("nand.erases", 0.0, "1", "blocks erased: the drive has no flash");
}

MetricSet Measurement::end(const Player& player) {
  MetricSet host;
  player.report(host);
  return end(std::move(host));
}

MetricSet Measurement::end(MetricSet metrics) {
  const Picoseconds now = drive_.timeline().now();
  const LongTime elapsed = rested_ + (now - begin_);
  report(metrics, elapsed);
  metrics.subtract(start_);
  layer_cleans_ = metrics.find("cleaning.count") != nullptr;
  const double seconds = elapsed.in_picoseconds() * 1e-12;
  add_write_amplification(metrics);
  add_totals(metrics);
  if (drive_.nand() != nullptr) add_lifetime(metrics, seconds);
  add_dirty_peak(metrics);
  metrics.add("run.measured_seconds", seconds, "s", "simulated time of the measured part");
  return metrics;
}

}  // namespace tessera
