// Accesses whose time is known at once against the same ones step by step: while anybody watches a signal, every access goes step by step.
#include <catch2/catch.hpp>
#include <vector>

#include "base/random.hpp"
#include "dram/dram_device.hpp"
#include "unit/dram/nobody.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::Nobody;

namespace {

struct Outcome {
  std::vector<Picoseconds> ends;
  std::vector<double> figures;
};

/// Accesses over a few rows and banks, one after the other or apart, and some DMA between them.
Outcome outcome(const DramConfig& config, std::uint64_t seed, bool stepwise) {
  DramDevice dram{config};
  SignalScope scope;
  static_cast<void>(scope.bit("watched"));
  Nobody nobody;
  if (stepwise) scope.watch(0, nobody, 0);
  RandomStream random(seed, "hits");
  Outcome seen;
  Picoseconds now;
  for (int step = 0; step < 3000; ++step) {
    const DramAddress address(random.below(3) * config.row_size.value() * 8 + random.below(4) * config.row_size.value() +
                              random.below(config.row_size.value()));
    const Access access = random.below(3) == 0 ? Access::write : Access::read;
    if (random.below(20) == 0) {
      const DmaTransfer extent{BusInitiator::disk, address, Bytes(4096), access, 10_us};
      seen.ends.push_back(dram.dma(extent, now).end);
    }
    const std::uint32_t bytes = random.below(10) == 0 ? 64 : 8;
    seen.ends.push_back(dram.access(address, bytes, access, now));
    now = random.below(4) == 0 ? now + Picoseconds(random.below(2'000'000)) : seen.ends.back() + 2_ns;
    if (step == 2000) dram.cut();
  }
  scope.unwatch(nobody);
  MetricSet metrics;
  dram.report(metrics, now + 1_s);
  for (const char* name : {"dram.accesses", "dram.row_hits", "dram.row_misses", "dram.row_conflicts", "dram.energy"})
    if (const auto* metric = metrics.find(name)) seen.figures.push_back(metric->value.value());
  return seen;
}

void same_both_ways(const DramConfig& config) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Outcome at_once = outcome(config, seed, false);
    const Outcome stepwise = outcome(config, seed, true);
    CHECK(at_once.ends == stepwise.ends);
    CHECK(at_once.figures == stepwise.figures);
    CHECK(at_once.figures.size() >= 4);
  }
}

}  // namespace

TEST_CASE("an access to an open row that nobody disturbs ends when it does step by step") { same_both_ways(DramConfig()); }

TEST_CASE("so it does where reads may be closed early, and without refreshes") {
  DramConfig config;
  config.read_to_precharge = 7'500_ps;
  same_both_ways(config);
  config.refresh_interval = Picoseconds(0);
  same_both_ways(config);
}

TEST_CASE("so it does where columns keep a distance, and in banks that bursts go round") {
  DramConfig config;
  config.write_to_read = 7'500_ps;
  same_both_ways(config);
  config.bank_groups = 4;
  config.interleave_groups = true;
  same_both_ways(config);
}
