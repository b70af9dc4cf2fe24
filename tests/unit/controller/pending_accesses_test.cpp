// A task's accesses to tables, priced together when somebody asks for the core's time, against the same ones priced one by one.
#include <catch2/catch.hpp>
#include <vector>

#include "base/random.hpp"
#include "controller/memory_controller.hpp"
#include "support/placed_in_tcm.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

enum class Pricing : std::uint8_t { together, one_by_one };

/// A bus and a DRAM behind it.
struct Memory final : CpuLink, DramLink {
  explicit Memory(Pricing how) : pricing(how) {}
  Picoseconds access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) override {
    return path.access(address, bytes, access, at);
  }
  DmaGrant dma(const DmaTransfer& transfer, Picoseconds at) override { return path.dma(transfer, at); }
  [[nodiscard]] MemoryPath direct() const override { return pricing == Pricing::together ? path : MemoryPath(); }

  Pricing pricing;
  Interconnect bus{{}, 0};
  DramDevice dram{DramConfig()};
  MemoryPath path{bus, dram};
};

ControllerConfig controller_config(std::uint32_t cores) {
  ControllerConfig config;
  config.cores = cores;
  config.staging_buffer = 64_KiB;
  return config;
}

struct Outcome {
  std::vector<Picoseconds> times;
  std::vector<double> figures;
};

class Drive final : private TimelineListener {
 public:
  Drive(Pricing how, std::uint32_t cores, std::uint64_t seed)
      : link_(how),
        config_(controller_config(cores)),
        cpu_(timeline_, config_),
        memory_(cpu_, link_, link_, link_.bus, {4096, ContentMode::tags}, {16_MiB, 256_KiB, test::placed_in_tcm({})}, config_),
        tables_(memory_.reserve(MemoryCategory::metadata, 8_MiB, "tables").address),
        random_(seed, "accesses") {}

  Outcome run() {
    for (int task = 0; task < 4; ++task) cpu_.start(work(), nullptr, Picoseconds(task * 1'000));
    timeline_.post(5_us, *this);
    timeline_.run();
    MetricSet metrics;
    const Picoseconds end = timeline_.now() + 1_s;
    cpu_.report(metrics, end);
    link_.dram.report(metrics, end);
    link_.bus.report(metrics, end);
    for (const char* name : {"cpu.utilisation", "cpu.by_operation.table_access.count", "dram.accesses", "dram.row_hits", "dram.row_misses",
                             "dram.row_conflicts", "dram.energy", "dram.refresh_stalls", "dram.refresh_wait", "bus.cpu.bytes",
                             "bus.cpu.utilisation", "bus.cpu.waiting", "bus.copy.waiting"})
      seen_.figures.push_back(metrics.find(name)->value.value());
    return seen_;
  }

 private:
  /// Accesses of all lengths, with work, copies and waits between them.
  Task<void> work() {
    DataBuffer from = memory_.acquire(2);
    DataBuffer to = memory_.acquire(2);
    for (int step = 0; step < 300; ++step) {
      for (std::uint64_t i = random_.below(30); i > 0; --i) {
        const std::uint64_t place = random_.below(3) * (2_KiB * 8).value() + random_.below(3) * 2048 + random_.below(2048);
        memory_.touch(tables_ + place, random_.below(8) == 0 ? 256 : 8, random_.below(3) == 0 ? Access::write : Access::read);
        if (random_.below(5) == 0) cpu_.charge(CpuOperation::hash, 1);
      }
      if (random_.below(6) == 0) memory_.copy(from.all(), to.all());
      if (random_.below(3) == 0) seen_.times.push_back(cpu_.now());
      if (random_.below(4) == 0) co_await cpu_.sleep_until(cpu_.now() + Picoseconds(random_.below(20'000'000)));
    }
    seen_.times.push_back(cpu_.now());
  }
  /// A device moves data now and then.
  void on_time(std::uint64_t) override {
    static_cast<void>(memory_.dma({BusInitiator::disk, tables_ + 3000, 8_KiB, Access::write, 2_us}, timeline_.now()));
    if (timeline_.now() < 20_ms) timeline_.post(timeline_.now() + 50_us, *this);
  }

  Timeline timeline_;
  Memory link_;
  ControllerConfig config_;
  Executor cpu_;
  MemoryController memory_;
  DramAddress tables_;
  RandomStream random_;
  Outcome seen_;
};

void same_together(std::uint32_t cores) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Outcome together = Drive(Pricing::together, cores, seed).run();
    const Outcome one_by_one = Drive(Pricing::one_by_one, cores, seed).run();
    CHECK(together.times == one_by_one.times);
    CHECK(together.figures == one_by_one.figures);
    CHECK(together.times.size() > 100);
  }
}

}  // namespace

TEST_CASE("accesses to tables that are priced together take what they take one by one") { same_together(1); }

TEST_CASE("so they do where several cores' tasks follow each other in another order than their times") { same_together(4); }
