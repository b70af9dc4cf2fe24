// Runs of single accesses over bus and DRAM against the same ones, one by one and step by step.
#include <catch2/catch.hpp>
#include <vector>

#include "base/random.hpp"
#include "dram/memory_path.hpp"
#include "unit/dram/nobody.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::Nobody;

namespace {

struct Outcome {
  std::vector<Picoseconds> taken;
  std::vector<double> figures;
};

/// Up to twelve accesses over a few rows and banks with work between them.
std::vector<TableAccess> random_run(RandomStream& random, const DramConfig& dram, Picoseconds at) {
  std::vector<TableAccess> run(1 + random.below(12));
  for (TableAccess& one : run) {
    at += Picoseconds(random.below(20) == 0 ? random.below(9'000'000) : random.below(50'000));
    const std::uint64_t row_size = dram.row_size.value();
    one = {DramAddress(random.below(3) * row_size * dram.banks + random.below(4) * row_size + random.below(row_size)), at,
           random.below(6) == 0 ? static_cast<std::uint32_t>(random.below(300)) : 8, random.below(3) == 0 ? Access::write : Access::read};
  }
  return run;
}

/// While anybody watches a signal, every access goes step by step.
Outcome outcome(const DramConfig& config, std::uint64_t seed, bool in_runs) {
  Interconnect bus({}, 1);
  DramDevice dram(config);
  const MemoryPath path(bus, dram);
  SignalScope scope;
  static_cast<void>(scope.bit("watched"));
  Nobody nobody;
  if (!in_runs) scope.watch(0, nobody, 0);
  RandomStream random(seed, "runs");
  Outcome seen;
  Picoseconds now;
  for (int step = 0; step < 1000; ++step) {
    if (random.below(5) == 0) {
      const DmaTransfer extent{BusInitiator::disk, DramAddress(random.below(100'000)), Bytes(4096), Access::write, 3_us};
      seen.taken.push_back(path.dma(extent, now).end);
    }
    const std::vector<TableAccess> run = random_run(random, config, now);
    Picoseconds taken;
    if (in_runs)
      taken = path.access(run);
    else
      for (const TableAccess& one : run) {
        const Picoseconds at = one.at + taken;
        taken += path.access(one.address, one.bytes, one.access, at) - at;
      }
    seen.taken.push_back(taken);
    now = run.back().at + taken + Picoseconds(random.below(3) == 0 ? random.below(9'000'000) : 0);
    if (step == 700) dram.cut();
  }
  scope.unwatch(nobody);
  MetricSet metrics;
  dram.report(metrics, now + 1_s);
  bus.report(metrics, now + 1_s);
  for (const char* name : {"dram.accesses", "dram.row_hits", "dram.row_misses", "dram.row_conflicts", "dram.energy", "dram.refresh_stalls",
                           "dram.refresh_wait", "bus.cpu.bytes", "bus.cpu.utilisation", "bus.cpu.waiting"})
    seen.figures.push_back(metrics.find(name)->value.value());
  return seen;
}

void same_both_ways(const DramConfig& config) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Outcome in_runs = outcome(config, seed, true);
    const Outcome stepwise = outcome(config, seed, false);
    CHECK(in_runs.taken == stepwise.taken);
    CHECK(in_runs.figures == stepwise.figures);
  }
}

}  // namespace

TEST_CASE("a run of single accesses takes what they take step by step") { same_both_ways(DramConfig()); }

TEST_CASE("so it does without refreshes, and where columns keep a distance") {
  DramConfig config;
  config.refresh_interval = Picoseconds(0);
  same_both_ways(config);
  config = DramConfig();
  config.write_to_read = 7'500_ps;
  same_both_ways(config);
}
