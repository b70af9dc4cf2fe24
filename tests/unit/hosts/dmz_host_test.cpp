// The dm-zoned-like host on a small drive: random histories against the scoreboard and a plain array, reclaim, power cuts.
#include <catch2/catch.hpp>
#include <map>

#include "host_bench.hpp"
#include "stimuli/hosts/dmz_host.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::ZonedLink;

namespace {

/// Two zones of metadata, four random ones and 20 sequential ones, one of them in reserve.
constexpr DriveZones small_drive{.zones = 26, .conventional = 6, .zone_sectors = 64, .tags = 8, .content = ContentMode::tags};

DmzHostConfig small_host() {
  DmzHostConfig config;
  config.copy = 64_KiB;
  config.idle_after = 100_ms;
  config.flush_every = 200_ms;
  return config;
}

struct DmzParts {
  using Config = DmzHostConfig;
  using Host = DmzHost;
  using Layout = DmzLayout;
  static DmzLayout plan(const DmzHostConfig& config, const DriveZones& drive, std::string& problem) {
    return plan_dmz(config, drive, problem);
  }
  static DurabilityPromise promise(const DmzHostConfig&) { return DurabilityPromise::flushed; }
};

using Bench = tessera::test::HostBench<DmzParts>;

}  // namespace

TEST_CASE("dmz: a random history reads what it wrote, while zones are reclaimed and reset") {
  const std::uint32_t random_zones = GENERATE(2U, 4U, 12U);
  const std::uint32_t reserved = GENERATE(1U, 3U);
  const bool full = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    DmzHostConfig config = small_host();
    config.reserved_zones = reserved;
    DriveZones drive = small_drive;
    drive.conventional = 2 + random_zones;
    Bench bench(config, seed, 1500, drive);
    INFO("seed " << seed << ", random zones " << random_zones << ", reserved " << reserved << ", full " << full);
    if (full) bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
    bench.player.start();
    bench.run_to_end();
    bench.read_all();
    bench.check();
    CHECK(bench.figure("translation.reclaims.move") > 5);
    CHECK(bench.figure("translation.reclaims.merge") > 5);
    CHECK(bench.link.resets > 5);
  }
}

TEST_CASE("dmz: after a power cut at any instant everything is there that was flushed") {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    DmzHostConfig config = small_host();
    config.reserved_zones = static_cast<std::uint32_t>(1 + seed % 3);
    DriveZones drive = small_drive;
    drive.conventional = seed % 2 == 0 ? 4 : 7;
    Bench bench(config, seed, 1500, drive);
    RandomStream random(seed, "cuts");
    bench.player.start();
    INFO("seed " << seed);
    while (!bench.player.ended()) {
      for (std::uint64_t actions = random.below(900); actions > 0 && !bench.player.ended(); --actions) bench.timeline.step();
      if (bench.player.ended()) break;
      bench.player.power_lost();
      bench.cut();
      while (random.below(3) == 0) {  // again, in the recovery or right after it
        static_cast<void>(bench.boot(random.below(60)));
        bench.cut();
      }
      REQUIRE(bench.boot());
      bench.read_all();
      bench.player.power_restored();
    }
    bench.check();
    CHECK(bench.figure("translation.recovery.reads") > 0);
  }
}

namespace {

/// Passes commands on and names them: "write 4:0+2" are two sectors from the start of zone 4.
class NamedCommands final : public HostLink {
 public:
  NamedCommands(HostLink& below, const DriveZones& drive) : below_(below), drive_(drive) {}
  void issue(HostRequest& request) override {
    const std::uint64_t first = request.blocks.first.value() / drive_.sector_blocks;
    const std::string zone = std::to_string(first / drive_.zone_sectors);
    const std::string run =
        zone + ":" + std::to_string(first % drive_.zone_sectors) + "+" + std::to_string(request.blocks.count / drive_.sector_blocks);
    switch (request.op) {
      case HostOp::write: names.push_back("write " + run); break;
      case HostOp::read: names.push_back("read " + run); break;
      case HostOp::flush: names.emplace_back("flush"); break;
      case HostOp::zone_reset: names.push_back("reset " + zone); break;
      default: names.emplace_back("report"); break;
    }
    below_.issue(request);
  }
  void abort(HostRequest& request) override { below_.abort(request); }

  std::vector<std::string> names;

 private:
  HostLink& below_;
  DriveZones drive_;
};

/// One request after another, each to its end and to the end of what it sets off. Zones 0 and 1 hold the metadata, 2 and 3 are random, and
/// the sequential ones begin with 4.
class Steps {
 public:
  static constexpr DriveZones drive{.zones = 12, .conventional = 4, .zone_sectors = 64, .tags = 8, .content = ContentMode::tags};
  Steps() : link(timeline, drive, 1), named(link, drive), layout(planned()), host(config(), {}, drive, layout, timeline, named) {
    link.answer = [this](HostRequest& command) { host.completed(command); };
    host.set_receiver([this](HostRequest&) { done_ = true; });
    host.application_ended();  // nothing happens for the time that passes
  }
  static DmzHostConfig config() {
    DmzHostConfig config = small_host();
    config.reserved_zones = 2;
    return config;
  }
  static DmzLayout planned() {
    std::string problem;
    DmzLayout layout = plan_dmz(config(), drive, problem);
    REQUIRE(problem.empty());
    return layout;
  }
  /// The drive's commands for it. Content of a write is its number in each block.
  std::vector<std::string> run(HostOp op, std::uint32_t chunk = 0, std::uint32_t sector = 0, std::uint32_t sectors = 0) {
    return run_blocks(op, (chunk * drive.zone_sectors + sector) * 8, sectors * 8);
  }
  std::vector<std::string> run_blocks(HostOp op, std::uint64_t first, std::uint32_t blocks) {
    begin(op, first, blocks);
    while (!done_) timeline.step();
    ended = timeline.now();
    while (!link.quiet()) timeline.step();
    return named.names;
  }
  void begin(HostOp op, std::uint64_t first = 0, std::uint32_t blocks = 0) {
    request = HostRequest();
    request.op = op;
    request.blocks = {HostBlock(first), blocks};
    request.content.resize(std::size_t{blocks} * 8, std::byte{op == HostOp::write ? ++writes_ : std::uint8_t{0}});
    request.life.begin(timeline.now());
    named.names.clear();
    done_ = false;
    host.issue(request);
  }
  void begin_write(std::uint32_t chunk, std::uint32_t sector, std::uint32_t sectors) {
    begin(HostOp::write, (chunk * drive.zone_sectors + sector) * 8, sectors * 8);
  }
  /// Cuts the power so many of the drive's answers after the begin of something, and boots; true: it had ended before.
  template <class Begin>
  bool cut_within(std::uint32_t actions, Begin begin) {
    done_ = false;
    begin();
    while (actions-- > 0 && !link.quiet()) timeline.step();
    const bool ended_before = link.quiet();
    link.cut();
    host.power_lost();
    named.names.clear();
    bool booted = false;
    host.recover([&booted](Status status) { booted = ok(status); });
    while (!booted) timeline.step();
    while (!link.quiet()) timeline.step();
    return ended_before;
  }
  std::vector<std::string> write(std::uint32_t chunk, std::uint32_t sector, std::uint32_t sectors) {
    return run(HostOp::write, chunk, sector, sectors);
  }
  /// The number of the write that a sector holds.
  int holds(std::uint32_t chunk, std::uint32_t sector) { return holds_block((chunk * drive.zone_sectors + sector) * 8); }
  int holds_block(std::uint64_t block) {
    static_cast<void>(run_blocks(HostOp::read, block, 1));
    return std::to_integer<int>(request.content.front());
  }

  Timeline timeline;
  ZonedLink link;
  NamedCommands named;
  DmzLayout layout;
  DmzHost host;
  HostRequest request;
  Picoseconds ended;

 private:
  bool done_ = false;
  std::uint8_t writes_ = 0;
};

using Names = std::vector<std::string>;

/// A flush of metadata: the changed runs to set B in zone 1, and what makes them count; then the same for set A in zone 0.
Names flush_of(const Names& runs) {
  Names names;
  for (const char* const set : {"1:", "0:"}) {
    for (const std::string& run : runs) names.push_back("write " + (set + run));
    names.insert(names.end(), {"flush", std::string("write ") + set + "0+1", "flush"});
  }
  return names;
}

Names operator+(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

/// Of the metadata: block 1 is the map, and the bitmap of zone Z block 2 + Z. Chunk 0 is in zone 5, written up to sector 11; chunk 1 in
/// zone 4 up to 6, with sector 1 in its buffer, zone 3; and chunk 2 in zone 2.
void reach_a_buffered_chunk(Steps& steps) {
  steps.write(1, 0, 4);
  steps.write(0, 0, 6);
  steps.write(0, 9, 2);
  steps.write(2, 5, 1);
  steps.write(1, 4, 2);
  steps.write(1, 1, 1);
  const DmzTables& tables = steps.host.tables();
  REQUIRE(tables.chunk(0).data == 5);
  REQUIRE(tables.zone(5).pointer == 11);
  REQUIRE(tables.chunk(1).data == 4);
  REQUIRE(tables.zone(4).pointer == 6);
  REQUIRE(tables.chunk(1).buffer == 3);
  REQUIRE(tables.chunk(2).data == 2);
}

}  // namespace

TEST_CASE("dmz: a chunk begins in a random zone, and a flush writes what changed to both sets, one after the other") {
  Steps steps;
  CHECK(steps.write(0, 8, 4) == Names{"write 2:8+4"});
  CHECK(steps.write(0, 2, 1) == Names{"write 2:2+1"});
  CHECK(steps.run(HostOp::read, 0, 0, 16) == Names{"read 2:2+1", "read 2:8+4"});
  CHECK(steps.run(HostOp::flush) == flush_of({"1+1", "4+1"}));
  CHECK(steps.run(HostOp::flush) == Names{"flush"});
  CHECK(steps.write(1, 0, 1) == Names{"write 3:0+1"});
  CHECK(steps.run(HostOp::flush) == flush_of({"1+1", "5+1"}));
}

TEST_CASE("dmz: a write across chunks is one command in each") {
  Steps steps;
  CHECK(steps.write(0, 62, 4) == Names{"write 2:62+2", "write 3:0+2"});
}

TEST_CASE("dmz: a part of a sector is read first where the sector is valid") {
  Steps steps;
  steps.write(0, 3, 1);
  CHECK(steps.run_blocks(HostOp::write, 3 * 8 + 7, 2) == Names{"read 2:3+1", "write 2:3+2"});
  CHECK(steps.holds_block(3 * 8 + 6) == 1);
  CHECK(steps.holds_block(3 * 8 + 7) == 2);
  CHECK(steps.holds_block(3 * 8 + 8) == 2);
  CHECK(steps.holds_block(3 * 8 + 9) == 0);
}

TEST_CASE(
    "dmz: the random zone used the longest time ago moves to a sequential zone, gaps filled, before it is written for another chunk") {
  Steps steps;
  steps.write(0, 1, 2);
  steps.write(0, 6, 3);
  steps.write(1, 0, 4);
  CHECK(steps.write(2, 5, 1) == Names{"read 2:1+2", "read 2:6+3", "write 4:0+1", "write 4:1+2", "write 4:3+3", "write 4:6+3"} +
                                    flush_of({"1+1", "4+3"}) + Names{"write 2:5+1"});
  CHECK(steps.host.tables().chunk(0).data == 4);
  CHECK(steps.holds(0, 0) == 0);
  CHECK(steps.holds(0, 2) == 1);
  CHECK(steps.holds(0, 6) == 2);
}

TEST_CASE("dmz: a write at the write pointer goes there, any other to the buffer, and reads take each sector from where it is newest") {
  Steps steps;
  reach_a_buffered_chunk(steps);
  CHECK(steps.write(1, 6, 1) == Names{"write 4:6+1"});
  CHECK(steps.write(1, 8, 1) == Names{"write 3:8+1"});
  CHECK(steps.run(HostOp::read, 1, 0, 10) == Names{"read 4:0+1", "read 3:1+1", "read 4:2+5", "read 3:8+1"});
  CHECK(steps.write(1, 7, 2) == Names{"write 4:7+2"});
  CHECK(steps.run(HostOp::read, 1, 7, 2) == Names{"read 4:7+2"});
}

TEST_CASE("dmz: reclaim appends what a buffer holds beyond the write pointer, gaps filled") {
  Steps steps;
  reach_a_buffered_chunk(steps);
  CHECK(steps.write(0, 30, 2) ==
        Names{"read 2:5+1", "write 6:0+5", "write 6:5+1"} + flush_of({"1+1", "4+3", "8+1"}) + Names{"write 2:30+2"});
  static_cast<void>(steps.run(HostOp::read, 1, 0, 2));  // so that chunk 0 is the one used the longest time ago
  CHECK(steps.write(3, 0, 1) ==
        Names{"read 2:30+2", "write 5:11+16", "write 5:27+3", "write 5:30+2"} + flush_of({"1+1", "4+1", "7+1"}) + Names{"write 2:0+1"});
  CHECK(steps.host.tables().chunk(0).buffer == no_zone);
  CHECK(steps.holds(0, 31) == 7);
  CHECK(steps.holds(0, 20) == 0);
  CHECK(steps.holds(0, 9) == 3);
}

TEST_CASE("dmz: reclaim merges a data zone into its buffer, and resets it after the flush; then that one moves") {
  Steps steps;
  reach_a_buffered_chunk(steps);
  steps.write(0, 30, 2);
  CHECK(steps.write(3, 0, 1) == Names{"read 4:0+1", "read 4:2+4", "write 3:0+1", "write 3:2+4"} + flush_of({"1+1", "4+3"}) +
                                    Names{"read 3:0+6", "reset 4", "write 7:0+6"} + flush_of({"1+1", "5+1", "9+1"}) + Names{"write 3:0+1"});
  CHECK(steps.host.tables().chunk(1).data == 7);
  CHECK(steps.host.tables().free_sequential() == 5);
  CHECK(steps.holds(1, 0) == 1);
  CHECK(steps.holds(1, 1) == 6);
  CHECK(steps.holds(1, 5) == 5);
}

TEST_CASE("dmz: a zone without valid sectors is free, but for others only after a flush") {
  Steps steps;
  steps.write(0, 0, 4);
  steps.write(1, 0, 1);
  CHECK(steps.run(HostOp::trim, 0, 0, 4).empty());
  CHECK(steps.host.tables().chunk(0).data == no_zone);
  CHECK(steps.holds(0, 1) == 0);
  CHECK(steps.write(2, 0, 1) == flush_of({"1+1", "4+2"}) + Names{"write 2:0+1"});
}

TEST_CASE("dmz: a data zone whose last valid sector is written again gives way to its buffer") {
  Steps steps;
  reach_a_buffered_chunk(steps);
  steps.write(1, 0, 6);
  CHECK(steps.host.tables().chunk(1).data == 3);
  CHECK(steps.host.tables().chunk(1).buffer == no_zone);
  CHECK(steps.run(HostOp::flush) == flush_of({"1+1", "5+2"}) + Names{"reset 4"});
}

TEST_CASE("dmz: a cut after any action of a reclaim keeps everything that was flushed, and what is written over it reads") {
  const std::uint32_t chunk = GENERATE(2U, 3U);  // one reclaim, or the two of the chunk that is buffered
  bool through = false;
  for (std::uint32_t actions = 0; !through; ++actions) {
    INFO("cut after " << actions << " actions");
    Steps steps;
    reach_a_buffered_chunk(steps);
    steps.write(0, 30, 2);
    static_cast<void>(steps.run(HostOp::flush));
    through = steps.cut_within(actions, [&] { steps.begin_write(chunk, 0, 1); });
    CHECK(steps.holds(1, 0) == 1);
    CHECK(steps.holds(1, 1) == 6);
    CHECK(steps.holds(1, 5) == 5);
    CHECK(steps.holds(0, 9) == 3);
    CHECK(steps.holds(0, 31) == 7);
    CHECK(steps.holds(2, 5) == 4);
    steps.write(1, 1, 4);
    steps.write(3, 8, 4);
    steps.write(0, 12, 4);
    CHECK(steps.holds(1, 1) == 9);
    CHECK(steps.holds(3, 9) == 10);
    CHECK(steps.holds(0, 13) == 11);
    CHECK(steps.holds(0, 31) == 7);
    CHECK(steps.link.refused == 0);
  }
}

TEST_CASE("dmz: after a cut the newest whole set counts, and the other is made the same") {
  Steps steps;
  steps.write(0, 0, 4);
  static_cast<void>(steps.run(HostOp::flush));
  const auto cut_after = [&](std::uint32_t actions) { static_cast<void>(steps.cut_within(actions, [&] { steps.begin(HostOp::flush); })); };
  steps.write(0, 4, 1);
  SECTION("set A, while B is written") {
    cut_after(1);
    CHECK(steps.named.names == Names{"report", "read 1:0+1", "read 0:0+14", "write 1:1+13", "flush", "write 1:0+1", "flush"});
    CHECK(steps.holds(0, 4) == 0);
  }
  SECTION("set B, while A is written") {
    cut_after(5);
    CHECK(steps.named.names == Names{"report", "read 0:0+1", "read 1:0+14", "write 0:1+13", "flush", "write 0:0+1", "flush"});
    CHECK(steps.holds(0, 4) == 2);
  }
  CHECK(steps.holds(0, 3) == 1);
}

TEST_CASE("dmz: sectors that were written at a pointer after the last flush are dead, and written in the buffer") {
  Steps steps;
  reach_a_buffered_chunk(steps);
  static_cast<void>(steps.run(HostOp::flush));
  CHECK(steps.write(1, 6, 3) == Names{"write 4:6+3"});
  static_cast<void>(steps.cut_within(0, [] {}));
  CHECK(steps.holds(1, 7) == 0);
  CHECK(steps.write(1, 6, 1) == Names{"write 3:6+1"});
  CHECK(steps.write(1, 9, 1) == Names{"write 4:9+1"});
}

TEST_CASE("dmz: a sector that cannot be read when its zone is reclaimed cannot be read until it is written, power cuts or not") {
  const bool cut = GENERATE(false, true);
  Steps steps;
  steps.write(0, 0, 4);
  steps.write(1, 0, 1);
  steps.link.unreadable.insert(2 * Steps::drive.zone_sectors + 2);
  CHECK(steps.write(2, 0, 1) == Names{"read 2:0+4", "read 2:0+1", "read 2:1+1", "read 2:2+1", "read 2:3+1", "write 4:0+1", "write 4:1+1",
                                      "write 4:2+1", "write 4:3+1"} +
                                    flush_of({"1+1", "4+3"}) + Names{"write 2:0+1"});
  if (cut) static_cast<void>(steps.cut_within(0, [] {}));
  CHECK(steps.holds(0, 1) == 1);
  CHECK(steps.holds(0, 3) == 1);
  static_cast<void>(steps.run(HostOp::read, 0, 2, 1));
  CHECK(steps.request.status == Status::media_error);
  static_cast<void>(steps.run(HostOp::read, 0, 0, 4));
  CHECK(steps.request.status == Status::media_error);
  static_cast<void>(steps.run_blocks(HostOp::write, 2 * 8 + 1, 2));  // a part of it, whose rest is lost
  CHECK(steps.request.status == Status::media_error);
  steps.write(0, 2, 1);
  CHECK(steps.holds(0, 2) == 5);
}

TEST_CASE("dmz: requests one after another read what a plain array holds") {
  Steps steps;
  std::vector<int> array(Steps::planned().user_sectors);
  RandomStream random(3, "array");
  for (int number = 1; number <= 1500; ++number) {
    const auto count = static_cast<std::uint32_t>(1 + random.below(12));
    const std::uint64_t first = random.below(array.size() - count);
    const std::uint64_t kind = random.below(10);
    const HostOp op = kind < 6 ? HostOp::write : kind < 9 ? HostOp::read : HostOp::trim;
    static_cast<void>(steps.run_blocks(op, first * 8, count * 8));
    for (std::uint32_t i = 0; i < count; ++i) {
      int& expected = array[first + i];
      if (op == HostOp::write) expected = std::to_integer<int>(steps.request.content.front());
      if (op == HostOp::trim) expected = 0;
      if (op == HostOp::read) REQUIRE(std::to_integer<int>(steps.request.content[i * 64]) == expected);
    }
    REQUIRE(steps.request.life.total() == steps.ended - steps.request.life.arrival);
  }
  CHECK(steps.link.resets > 20);
}

TEST_CASE("dmz: random zones are reclaimed in idle time until the application has ended") {
  const bool ends = GENERATE(false, true);
  DmzHostConfig config = small_host();
  config.reserved_zones = 4;  // room for all chunks in sequential zones
  Bench bench(config, 5, 200, small_drive);
  bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
  bench.player.start();
  bench.run_to_end();
  const double before = bench.figure("translation.cleaning.idle");
  if (ends) bench.host.application_ended();
  bench.timeline.run_until(bench.timeline.now() + 100_s);
  CHECK((bench.host.tables().free_random() == 4) == !ends);
  CHECK((bench.figure("translation.cleaning.idle") > before) == !ends);
  bench.check();
}

TEST_CASE("dmz: two runs of one history do and count the same") {
  const auto figures = [] {
    Bench bench(small_host(), 9, 1000, small_drive);
    bench.player.start();
    bench.run_to_end();
    MetricSet metrics;
    bench.host.report(metrics);
    std::map<std::string, double> all{{"end", static_cast<double>(bench.timeline.now().value())}};
    for (const Metric& metric : metrics.all()) all[metric.name] = metric.value.value_or(-1);
    return all;
  };
  CHECK(figures() == figures());
}

TEST_CASE("dmz: a drive with too few conventional zones is told what it takes") {
  std::string problem;
  DriveZones drive = small_drive;
  drive.zones = 253;
  drive.conventional = 3;
  CHECK(plan_dmz(small_host(), drive, problem).user_sectors == 0);
  CHECK(problem.find("has 3 conventional zones of 253 and hosts.dmz needs at least 10: 8 for two sets") != std::string::npos);
  CHECK(problem.find("--set layers.zoned.conventional=0.042") != std::string::npos);
  drive.conventional = 10;
  CHECK(plan_dmz(small_host(), drive, problem).chunks == 253 - 8 - 15);
  CHECK(problem.empty());
}
