// What the electronics of an old drive take for a command: by operation, by hit or miss, and by the operation before.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

OverheadsConfig one_bit_each() {
  return {.read_hit_after_read = 1_ms,
          .read_hit_after_write = 2_ms,
          .read_miss_after_read = 4_ms,
          .read_miss_after_write = 8_ms,
          .write_hit_after_read = 16_ms,
          .write_hit_after_write = 32_ms,
          .write_miss_after_read = 64_ms,
          .write_miss_after_write = 128_ms};
}

struct Command {
  HostOp op;
  std::uint64_t sector;
  bool fua = false;
};

std::vector<Picoseconds> durations(const FirmwareConfig& config, const std::vector<Command>& commands) {
  TestDrive drive(make_cmr_factory(), {}, small_drive(), config);
  std::vector<Picoseconds> found;
  for (const Command& command : commands) {
    const Picoseconds begin = drive->now();
    REQUIRE(drive->run_until_done(drive->submit(command.op, command.sector * 8, 8, command.fua)) == Status::ok);
    found.push_back(drive->now() - begin);
  }
  return found;
}

/// By how much each command takes longer than on a drive without overheads, in ms.
std::vector<std::uint64_t> overheads(FirmwareConfig config, const std::vector<Command>& commands) {
  const auto without = durations(config, commands);
  config.overheads = one_bit_each();
  const auto with = durations(config, commands);
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < with.size(); ++i) {
    REQUIRE((with[i] - without[i]) % 1_ms == 0_ms);
    found.push_back((with[i] - without[i]) / 1_ms);
  }
  return found;
}

constexpr auto rd = HostOp::read;
constexpr auto wr = HostOp::write;

}  // namespace

TEST_CASE("overheads: reads by hit or miss, writes that go through, each by the operation before") {
  FirmwareConfig config;
  config.read_cache = {.segments = 2, .segment_sectors = 4, .read_ahead = 0, .read_ahead_step = 1};
  // The first command comes behind nothing, which counts as a read.
  CHECK(overheads(config, {{rd, 1}, {rd, 1}, {rd, 9}, {wr, 40}, {rd, 9}, {wr, 40}, {wr, 41}, {rd, 80}, {rd, 81}}) ==
        std::vector<std::uint64_t>{4, 1, 4, 64, 2, 64, 128, 8, 4});
}

TEST_CASE("overheads: a write that the write cache takes is a hit, and so is a read that it holds, but not a FUA write") {
  FirmwareConfig config;
  config.write_cache.capacity = 16_KiB;  // four sectors
  config.write_cache.durability = CacheDurability::volatile_memory;
  config.write_cache.high_mark = 100;
  config.write_cache.idle_after = 10_s;
  CHECK(overheads(config, {{wr, 1}, {wr, 2}, {rd, 1}, {rd, 9}, {wr, 9, true}, {wr, 3}}) ==
        std::vector<std::uint64_t>{16, 32, 2, 4, 64, 32});
  // The fifth finds no slot free.
  CHECK(overheads(config, {{wr, 1}, {wr, 2}, {wr, 3}, {wr, 4}, {wr, 5}}).back() == 128);
}

TEST_CASE("overheads: a command that touches no data has none and is not the operation before") {
  CHECK(overheads({}, {{wr, 1}, {HostOp::trim, 5}, {wr, 2}}) == std::vector<std::uint64_t>{64, 0, 128});
}

TEST_CASE("overheads: a drive has some where one of the eight is more than nothing") {
  CHECK_FALSE(CommandOverheads(OverheadsConfig()).any());
  OverheadsConfig config;
  config.write_miss_after_read = Picoseconds(1);
  CHECK(CommandOverheads(config).any());
}

TEST_CASE("overheads: whether a cache serves a command is asked only where that changes what the command has") {
  OverheadsConfig config;
  config.write_hit_after_read = Picoseconds(1);
  CHECK(CommandOverheads(config).ask_for_hits(HostOp::write));
  CHECK_FALSE(CommandOverheads(config).ask_for_hits(HostOp::read));
  config.write_miss_after_read = Picoseconds(1);
  CHECK_FALSE(CommandOverheads(config).ask_for_hits(HostOp::write));
  config.read_miss_after_write = Picoseconds(1);
  CHECK(CommandOverheads(config).ask_for_hits(HostOp::read));
}
