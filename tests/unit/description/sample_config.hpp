#pragma once
// A configuration made up for these tests: nested, with a field of every type.
#include <string>
#include <vector>

#include "base/parameter.hpp"

namespace tessera::test {

enum class Timing { rotational, expected };

struct ZoneConfig {
  std::uint32_t zones = 4;
  std::vector<NumberRow> table{{0, 120}, {1000.5, 90}};

  void describe(ParameterVisitor& visitor) {
    visitor.field("zones", zones, {1, 64}, "number of zones");
    visitor.table("table", table, {"first_cylinder", "sectors"}, "first cylinder and sectors a track of each zone");
  }
};

struct MediaConfig {
  Rpm rpm{7200};
  Picoseconds settle{1'300'000'000};
  Timing timing = Timing::rotational;
  double skew = 0.25;
  ZoneConfig zone;

  void describe(ParameterVisitor& visitor) {
    visitor.field("rpm", rpm, {60, 100'000}, "spindle speed");
    visitor.field("settle", settle, {}, "write settle");
    visitor.enumeration("timing", timing, {"rotational", "expected"}, "timing | model");
    visitor.field("skew", skew, {0, 1}, "track skew, revolutions");
    visitor.section("zone", zone, "zoned recording");
  }
};

struct SampleConfig {
  std::string layer = "cmr";
  std::uint64_t seed = 1;
  MediaConfig media;
  bool cache = true;
  Bytes capacity{64u << 20};
  BytesPerSecond link{600'000'000};
  Hertz clock{500'000'000};
  Microwatts idle{5'300'000};
  Picojoules program{2'100};
  std::uint32_t tags = 32;

  void describe(ParameterVisitor& visitor) {
    visitor.field("layer", layer, "translation layer");
    visitor.section("media", media, "head-media assembly");
    visitor.field("seed", seed, {}, "seed of the random streams");
    visitor.enter("controller", "the controller");
    visitor.field("cache", cache, "write cache on");
    visitor.field("capacity", capacity, {4096, 1e12}, "DRAM capacity");
    visitor.field("link", link, {1, 1e12}, "link rate");
    visitor.field("clock", clock, {1, 1e11}, "CPU clock");
    visitor.field("idle", idle, {}, "idle power");
    visitor.field("program", program, {}, "energy of a page program");
    visitor.leave();
    visitor.enter("host", "");
    visitor.field("tags", tags, {1, 256}, "command tags");
    visitor.leave();
  }
};

}  // namespace tessera::test
