#include "platforms/compare/time_lines.hpp"

#include <catch2/catch.hpp>

using namespace tessera;

namespace {

RunResult run_of(const std::string& layer, std::map<std::string, std::optional<double>, std::less<>> metrics) {
  RunResult run;
  run.layer = layer;
  run.metrics = std::move(metrics);
  return run;
}

}  // namespace

TEST_CASE("a comparison says where the time of each layer goes, over its seeds") {
  const std::vector<RunResult> runs{
      run_of("cmr", {{"host.read.time.seek", 4.0}, {"host.read.slowest.seek", 8.0}}),
      run_of("cmr", {{"host.read.time.seek", 2.0}, {"host.read.time.lock", 2.0}, {"host.read.slowest.lock", 8.0}}),
      run_of("imr-rmw", {{"host.write.time.background_wait", 9.0}, {"host.write.slowest.background_wait", 90.0}})};
  CHECK(time_lines(runs) ==
        "\nWhere the time goes:\n"
        "cmr      reads   mean 4.00 ms: media 75 %, lock 25 %; slowest 1 % 8.00 ms: lock 50 %, media 50 %\n"
        "imr-rmw  writes  mean 9.00 ms: background work 100 %; slowest 1 % 90.0 ms: background work 100 %\n");
}

TEST_CASE("of runs that measured nothing there is no line, and a failed seed does not thin the mean") {
  CHECK(time_lines(std::vector<RunResult>{run_of("cmr", {})}).empty());
  const std::vector<RunResult> runs{run_of("cmr", {}), run_of("cmr", {{"host.read.time.seek", 4.0}, {"host.read.slowest.seek", 4.0}})};
  CHECK_THAT(time_lines(runs), Catch::Contains("mean 4.00 ms: media 100 %"));
}
