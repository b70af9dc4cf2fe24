#include <optional>
#include <string>

#include "nand/nand_device.hpp"

namespace tessera {

namespace {

double millijoules(Picojoules energy) { return static_cast<double>(energy.value()) * 1e-9; }

}  // namespace

Picojoules NandDevice::energy_of(FlashOp op) const {
  switch (op) {
    case FlashOp::read:
    case FlashOp::read_oob: return tessera::energy(config_.read_power, counters_.reading);
    case FlashOp::copyback:
    case FlashOp::program: return tessera::energy(config_.program_power, counters_.programming);
    case FlashOp::erase: break;
  }
  return tessera::energy(config_.erase_power, counters_.erasing);
}

double NandDevice::energy(Picoseconds now) const {
  const LongTime whole = rested_ + now;
  const LongTime::Rep standby = long_energy(config_.standby_power, whole) * config_.total_dies();
  const Picojoules work = energy_of(FlashOp::read) + energy_of(FlashOp::program) + energy_of(FlashOp::erase);
  return static_cast<double>(work.value() + wide_product(config_.bus_energy_per_byte.value(), counters_.transferred.value()) + standby);
}

void NandDevice::report(MetricSet& metrics, Picoseconds now) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* description) {
    metrics.count(name, static_cast<double>(value), "1", description);
  };
  count("nand.reads", counters_.reads, "pages read");
  count("nand.oob_reads", counters_.oob_reads, "out-of-band areas read alone");
  count("nand.programs", counters_.programs, "pages programmed, failed ones included");
  if (config_.copyback) count("nand.copybacks", counters_.copybacks, "of these, pages that were moved inside their plane");
  count("nand.padding", counters_.padding, "sectors for which a programmed page had room and got none");
  count("nand.erases", counters_.erases, "blocks erased, failed ones included");
  count("nand.read_failures", counters_.read_failures, "reads of unreadable pages");
  count("nand.program_failures", counters_.program_failures, "programs that failed or met a bad block");
  count("nand.erase_failures", counters_.erase_failures, "erases that failed or met a bad block");
  count("nand.rule_violations", counters_.rule_violations, "programs refused: not the next page of an erased block");
  count("nand.torn", counters_.torn, "programs and erases that a power cut ended");
  count("nand.read_retries", counters_.retries, "reads at a level of read retry");
  if (config_.suspend) count("nand.suspends", counters_.suspends, "programs and erases that a read suspended");
  if (config_.cache_program) count("nand.loaded_ahead", counters_.ahead, "programs whose data was loaded while the die programmed");
  count("nand.uncorrectable", array_.uncorrectable(), "pages that error correction could not save at any level");
  count("nand.grown_bad", array_.grown_bad(), "blocks that went bad in use");

  const NandWear wear = array_.wear(NandBlock(array_.blocks()));
  const NandWear layer = array_.wear(NandBlock(config_.blocks));
  const auto blocks = static_cast<double>(wear.blocks);
  const auto endurance = static_cast<double>(config_.endurance);
  std::optional<double> used, repeats_worst, repeats_levelled;
  if (wear.blocks > 0) used = wear.max / endurance;
  if (wear.total > 0) {
    repeats_worst = endurance / wear.max;
    repeats_levelled = endurance * blocks / static_cast<double>(wear.total);
  }
  metrics.add("nand.wear.min", wear.min, "1", "erases of the least erased block");
  metrics.add("nand.wear.mean", wear.mean(), "1", "erases of a block, mean");
  metrics.add("nand.wear.max", wear.max, "1", "erases of the most erased block");
  metrics.add("nand.wear.layer.min", layer.min, "1",
              "erases of the least erased block that the layer may use: blocks for logs and dumps left out");
  metrics.add("nand.wear.layer.mean", layer.mean(), "1", "erases of a block that the layer may use, mean");
  metrics.add("nand.wear.layer.max", layer.max, "1", "erases of the most erased block that the layer may use");
  metrics.add("nand.wear.used", used, "1", "share of its endurance that the most erased block has used");
  metrics.add("nand.lifetime.worst_block", repeats_worst, "1", "times this run could take place until the most erased block is worn out");
  metrics.add("nand.lifetime.levelled", repeats_levelled, "1", "the same if all blocks wore alike");

  for (std::size_t d = 0; d < dies_.size(); ++d)
    metrics.add("nand.die." + std::to_string(d) + ".utilisation", share_of(busy_until(dies_[d], now), rested_ + now), "1",
                "share of time in which the die was busy");
  for (std::size_t c = 0; c < channels_.size(); ++c)
    metrics.add("nand.channel." + std::to_string(c) + ".utilisation", share_of(busy_until(channels_[c], now), rested_ + now), "1",
                "share of time in which the channel moved data");
  metrics.count("nand.transferred", static_cast<double>(counters_.transferred.value()), "B", "bytes over all channels");

  metrics.count("nand.energy.read", millijoules(energy_of(FlashOp::read)), "mJ", "energy of page and out-of-band reads");
  metrics.count("nand.energy.program", millijoules(energy_of(FlashOp::program)), "mJ", "energy of page programs");
  metrics.count("nand.energy.erase", millijoules(energy_of(FlashOp::erase)), "mJ", "energy of block erases");
  metrics.count("nand.energy.total", energy(now) * 1e-9, "mJ", "energy of the flash: operations, bus and standby");
}

}  // namespace tessera
