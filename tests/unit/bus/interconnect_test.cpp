// The default bus: 8 bytes in 2 ns, 4 GB/s; a crossing takes 8 ns.
#include "bus/interconnect.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr Picoseconds crossing = 8_ns;

DmaGrant moved(Interconnect& bus, BusInitiator engine, Bytes bytes, Picoseconds begin, Picoseconds pace) {
  return bus.transfer({engine, {}, bytes, Access::read, pace}, begin);
}

double metric(const Interconnect& bus, const char* name, Picoseconds now) {
  MetricSet metrics;
  bus.report(metrics, now);
  return *metrics.find(name)->value;
}

}  // namespace

TEST_CASE("an extent takes its beats and the crossing, or the time of its device") {
  Interconnect bus({}, 1);
  CHECK(moved(bus, BusInitiator::host, 4_KiB, 1_us, 0_ps).end == 1_us + 1'024_ns + crossing);
  CHECK(moved(bus, BusInitiator::disk, 9_B, 10_us, 0_ps).end == 10_us + 4_ns + crossing);  // two beats
  CHECK(moved(bus, flash_engine(0), 4_KiB, 20_us, 30_us).end == 50_us + crossing);
}

TEST_CASE("a transfer that has been flowing for some time is priced from its begin") {
  Interconnect bus({}, 0);
  CHECK(bus.transfer({BusInitiator::disk, {}, 4_KiB, Access::write, 20_us, 20_us}, 50_us).end == 50_us + crossing);
  CHECK(bus.transfer({BusInitiator::host, {}, 4_KiB, Access::write, 30_us, 10_us}, 50_us).end == 70_us + crossing);
}

TEST_CASE("a bus of a byte and 50 MHz cannot feed a platter of 200 MB/s, and says by how much") {
  BusConfig config;
  config.width = 1;
  config.clock = Hertz(50'000'000);
  Interconnect bus(config, 0);
  // 1 MB in 5 ms; the bus takes 20 ms. When the platter has delivered all, a quarter is moved.
  const auto grant = moved(bus, BusInitiator::disk, Bytes(1'000'000), 0_ps, 5_ms);
  CHECK(grant.end == 20_ms + 80_ns);
  CHECK(grant.behind >= Bytes(749'990));
  CHECK(grant.behind <= Bytes(750'010));
}

TEST_CASE("flash channels have an engine each and share one account") {
  Interconnect bus({}, 2);
  CHECK(moved(bus, flash_engine(0), 4_KiB, 0_us, 0_ps).end == 1'024_ns + crossing);
  CHECK(moved(bus, flash_engine(1), 4_KiB, 0_us, 0_ps).end == 2'048_ns + crossing);
  CHECK(metric(bus, "bus.flash.bytes", 10_us) == 8192);
  CHECK(metric(bus, "bus.flash.utilisation", 10_us) == Approx(0.2048));
  CHECK(metric(bus, "bus.flash.waiting", 10_us) == Approx(1'024e-9 * 1e3));
  CHECK(metric(bus, "bus.utilisation", 10_us) == Approx(0.2048));
}

TEST_CASE("fixed priority lets the platters go first, weights divide") {
  BusConfig config;
  config.arbitration = BusArbitration::fixed_priority;
  Interconnect fixed(config, 0);
  CHECK(moved(fixed, BusInitiator::disk, 4_KiB, 0_us, 0_ps).end == 1'024_ns + crossing);
  CHECK(moved(fixed, BusInitiator::host, 4_KiB, 0_us, 0_ps).end == 2'048_ns + crossing);
  CHECK(moved(fixed, BusInitiator::disk, 4_KiB, 1'024_ns, 0_ps).end == 2'048_ns + crossing);  // the host gives way
  config.arbitration = BusArbitration::weighted;
  config.weights.disk = 3;
  Interconnect weighted(config, 0);
  CHECK(moved(weighted, BusInitiator::disk, 12_KiB, 0_us, 0_ps).end == 3'072_ns + crossing);
  CHECK(moved(weighted, BusInitiator::host, 4_KiB, 0_us, 0_ps).end == 4'096_ns + crossing);
}

TEST_CASE("an access of the CPU crosses the bus, behind the burst under way") {
  Interconnect bus({}, 0);
  CHECK(bus.access(8_B, 0_us) == crossing);
  moved(bus, BusInitiator::host, 4_KiB, 1_us, 0_ps);
  CHECK(bus.access(8_B, 1_us + 1_ns) == 1_us + 32_ns + crossing);  // 16 beats
  CHECK(metric(bus, "bus.cpu.bytes", 10_us) == 16);
  CHECK(metric(bus, "bus.cpu.waiting", 10_us) == Approx(31e-9 * 1e3));
}

TEST_CASE("a bus without a clock is left out: nothing takes time") {
  BusConfig config;
  config.clock = Hertz(0);
  Interconnect bus(config, 1);
  CHECK(moved(bus, BusInitiator::host, 32_MiB, 1_us, 0_ps).end == 1_us);
  CHECK(moved(bus, BusInitiator::disk, 32_MiB, 1_us, 7_us).end == 8_us);
  CHECK(moved(bus, BusInitiator::disk, 32_MiB, 1_us, 0_ps).behind == 0_B);
  CHECK(bus.access(8_B, 1_us) == 1_us);
}

TEST_CASE("utilisation is that of the measured time, bytes and waiting are counts since power-on") {
  // 4 KiB are 512 beats of 2 ns: 1024 ns.
  Interconnect bus({}, 0);
  bus.transfer({BusInitiator::host, DramAddress(0), 4_KiB, Access::write}, 0_us);
  bus.exchange(BusExchange::register_access, 1, 5_us);
  bus.reset_statistics(10_us);
  bus.transfer({BusInitiator::host, DramAddress(0), 4_KiB, Access::write}, 11_us);
  bus.exchange(BusExchange::register_access, 3, 15_us);
  MetricSet metrics;
  bus.report(metrics, 20_us);
  CHECK(*metrics.find("bus.host.utilisation")->value == Approx(0.1024));
  CHECK(*metrics.find("bus.registers.utilisation")->value == Approx(3 * 2e-3 / 10));
  CHECK(*metrics.find("bus.utilisation")->value == Approx(0.1024 + 0.0006));
  CHECK(*metrics.find("bus.host.bytes")->value == 8192);
}
