#include "platforms/output/band_log.hpp"

#include <catch2/catch.hpp>

#include "scratch.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

const std::string header = "time_s,band,sectors,held,cached\n";

}  // namespace

TEST_CASE("bands are looked at with the first request behind each interval, and those that changed have a line") {
  const test::Scratch scratch;
  BandLevels bands{{100, 10, 0}, {100, 0, 3}};
  BandLog log(scratch / "b.csv", {1_s, 0}, [&bands] { return bands; });
  log.on_complete({}, 400_ms);
  bands[1].cached = 5;
  log.on_complete({}, 999_ms);  // within the interval
  log.on_complete({}, 1_s);     // on its end
  bands[0] = {100, 15, 1};
  log.on_complete({}, 3500_ms);
  bands[0].cached = 2;
  log.on_complete({}, 3900_ms);
  log.close(3950_ms);
  CHECK(test::contents(scratch / "b.csv") == header + "0.4,0,100,10,0\n0.4,1,100,0,3\n1,1,100,0,5\n3.5,0,100,15,1\n3.95,0,100,15,2\n");
}

TEST_CASE("bands are looked at after so many requests") {
  const test::Scratch scratch;
  BandLevels bands{{8, 0, 0}};
  BandLog log(scratch / "b.csv", {Picoseconds(0), 2}, [&bands] { return bands; });
  for (const std::uint64_t second : {1, 2, 3}) {
    ++bands[0].cached;
    log.on_complete({}, second * 1_s);
  }
  log.close(4_s);
  CHECK(test::contents(scratch / "b.csv") == header + "1,0,8,0,1\n3,0,8,0,3\n");
}

TEST_CASE("a look while the power is off changes nothing") {
  const test::Scratch scratch;
  BandLevels bands{{8, 0, 4}};
  BandLog log(scratch / "b.csv", {1_s, 0}, [&bands] { return bands; });
  log.on_complete({}, 1_s);
  bands.clear();
  log.on_complete({}, 2_s);
  bands = {{8, 0, 4}};
  log.on_complete({}, 3_s);
  log.close(4_s);
  CHECK(test::contents(scratch / "b.csv") == header + "1,0,8,0,4\n");
}
