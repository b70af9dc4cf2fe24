// The clock that runs while there is work, compared with one that always runs.
#include <catch2/catch.hpp>
#include <systemc>
#include <vector>

#include "base/error.hpp"
#include "rtl/gated_clock_module.hpp"

using namespace tessera;
using sc_core::sc_time;

namespace {

/// Notes when a clock rises.
struct Edges : sc_core::sc_module {
  sc_core::sc_in<bool> clk{"clk"};
  std::vector<std::uint64_t> rises;  // ns

  explicit Edges(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Edges);
    SC_METHOD(rise);
    sensitive << clk.pos();
    dont_initialize();
  }
  void rise() { rises.push_back(sc_core::sc_time_stamp().value() / 1000); }
};

struct Bench {
  sc_core::sc_signal<bool> clk{"clk"}, busy{"busy"};
  GatedClock clock;
  Edges edges{"edges"};

  explicit Bench(GatedClock::Gate gate = GatedClock::Gate::closes) : clock("clock", sc_time(10, sc_core::SC_NS), gate) {
    clock.out(clk);
    clock.busy(busy);
    edges.clk(clk);
  }
};

void run(double ns) { sc_core::sc_start(sc_time(ns, sc_core::SC_NS)); }

}  // namespace

TEST_CASE("it rises on the grid of its period while somebody asks for it, and counts the edges that it left out") {
  Bench bench;
  run(33);
  CHECK(bench.edges.rises.empty());
  bench.clock.request();
  run(22);
  CHECK(bench.edges.rises == std::vector<std::uint64_t>{40, 50});
  bench.clock.release();
  run(100);
  CHECK(bench.edges.rises == std::vector<std::uint64_t>{40, 50});
  CHECK_FALSE(bench.clk.read());
  CHECK(bench.clock.ran() == 2);
  CHECK(bench.clock.cycles() == 15);
  CHECK(bench.clock.skipped() == 13);
}

TEST_CASE("a request at the instant of an edge comes after that edge, and the last of several ends it") {
  Bench bench;
  run(40);
  bench.clock.request();
  bench.clock.request();
  run(15);
  bench.clock.release();
  run(10);
  CHECK(bench.edges.rises == std::vector<std::uint64_t>{50, 60});
  bench.clock.release();
  run(50);
  CHECK(bench.edges.rises.size() == 2);
}

TEST_CASE("RTL that says that it has work keeps it running") {
  Bench bench;
  run(5);
  bench.busy.write(true);
  run(30);
  bench.busy.write(false);
  run(50);
  CHECK(bench.edges.rises == std::vector<std::uint64_t>{10, 20, 30});
}

TEST_CASE("with an open gate it leaves out nothing") {
  Bench bench(GatedClock::Gate::always_open);
  run(105);
  CHECK(bench.edges.rises.size() == 10);
  CHECK(bench.clock.skipped() == 0);
}

TEST_CASE("a period without a half in picoseconds is refused") {
  CHECK_THROWS_AS(GatedClock("clock", sc_time::from_value(5)), InputError);
  CHECK_THROWS_WITH(GatedClock("other", sc_core::SC_ZERO_TIME), Catch::Contains("other: a period of 0 s"));
}
