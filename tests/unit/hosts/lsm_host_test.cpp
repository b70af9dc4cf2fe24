// The host with a log-structured merge tree on a small drive: random histories against the scoreboard, compactions, collections, power
// cuts.
#include <catch2/catch.hpp>

#include "host_bench.hpp"
#include "stimuli/hosts/lsm_host.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr DriveZones lsm_drive{.zones = 62, .conventional = 2, .zone_sectors = 64, .tags = 8, .content = ContentMode::tags};

LsmHostConfig small_tree() {
  LsmHostConfig config;
  config.over_provisioning = 0.45;
  config.memtable = config.file = 32_KiB;
  config.level_base = 64_KiB;
  config.level_ratio = 3;
  config.level0_files = 2;
  config.level0_stop = 6;
  config.grandparents = 6;
  config.record = 32_KiB;
  config.batch = 64_KiB;
  config.write_delay = 20_ms;
  return config;
}

struct LsmParts {
  using Config = LsmHostConfig;
  using Host = LsmHost;
  using Layout = LsmLayout;
  static LsmLayout plan(const LsmHostConfig& config, const DriveZones& drive, std::string& problem) {
    return plan_lsm(config, drive, problem);
  }
  static DurabilityPromise promise(const LsmHostConfig&) { return DurabilityPromise::flushed; }
};

using Bench = tessera::test::HostBench<LsmParts>;

constexpr std::uint64_t first_manifest_sector = std::uint64_t{lsm_drive.conventional} * lsm_drive.zone_sectors;
constexpr std::uint64_t first_data_sector = first_manifest_sector + 2 * lsm_copies * lsm_drive.zone_sectors;

}  // namespace

TEST_CASE("lsm: a random history reads what it wrote, while levels are compacted, and zones collected and reset") {
  const bool lifetimes = GENERATE(true, false);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    LsmHostConfig config = small_tree();
    config.lifetimes = lifetimes;
    Bench bench(config, seed, 3000, lsm_drive);
    bench.player.start();
    bench.run_to_end();
    bench.read_all();
    INFO("seed " << seed << ", lifetimes " << lifetimes);
    bench.check();
    CHECK(bench.figure("translation.compactions") > 20);
    CHECK(bench.figure("translation.flushes") > 20);
    CHECK(bench.link.resets > 20);
    CHECK(bench.figure("translation.collections") > 0);
    CHECK(bench.host.tree().sectors() <= Bench::planned(config, lsm_drive).full_sectors);
  }
}

TEST_CASE("lsm: after a power cut at any instant everything is there that was flushed") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    LsmHostConfig config = small_tree();
    config.lifetimes = seed % 2 == 0;
    Bench bench(config, seed, 2500, lsm_drive);
    RandomStream random(seed, "cuts");
    bench.player.start();
    INFO("seed " << seed);
    for (std::uint32_t cuts = 0; !bench.player.ended(); ++cuts) {
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
    CHECK(bench.figure("translation.recovery.records") > 0);
  }
}

TEST_CASE("lsm: filters spare reads of files that have not the key") {
  double in_vain[2];
  for (const bool filters : {false, true}) {
    LsmHostConfig config = small_tree();
    config.filter_bits = filters ? 10 : 0;
    Bench bench(config, 1, 1500, lsm_drive);
    bench.player.start();
    bench.run_to_end();
    bench.check();
    in_vain[filters ? 1 : 0] = bench.figure("translation.reads.in_vain");
  }
  CHECK(in_vain[0] > 1000);
  CHECK(in_vain[1] < in_vain[0] / 50);  // 0.82 % of them
}

TEST_CASE("lsm: a sector that cannot be read when it is merged or moved is lost alone, and stays so over power cuts until it is written") {
  const bool collected = GENERATE(false, true);
  LsmHostConfig config = small_tree();
  config.level0_files = collected ? 5 : 2;
  config.collect_below = collected ? 1 : 0;
  config.collect_slope = 100;
  Bench bench(config, 5, 1, lsm_drive);
  Status answered = Status::aborted;
  bench.host.set_receiver([&answered](HostRequest& request) { answered = request.status; });
  const auto run = [&](HostOp op, std::uint64_t sector, std::uint32_t sectors, std::uint32_t blocks = 8) {
    HostRequest request;
    request.op = op;
    request.blocks = {HostBlock(sector * 8), (sectors - 1) * 8 + blocks};
    request.content.resize(request.blocks.count * kept_per_block(ContentMode::tags));
    bench.host.issue(request);
    bench.timeline.run_until(bench.timeline.now() + 1_s);
    return answered;
  };
  for (const std::uint64_t first : {0, 100}) REQUIRE(run(HostOp::write, first, 8) == Status::ok);  // the second write fills the first table
  REQUIRE(bench.host.tree().level(0).size() == 1);
  const LsmFilePtr file = bench.host.tree().level(0).front();
  bench.link.unreadable.insert(first_data_sector + file->run(*file->find(3), 1).place);
  bench.link.unreadable.insert(first_data_sector + file->run(8, 1).place);  // its index
  for (std::uint64_t i = 2; bench.figure("translation.sectors.lost") == 0 && i < 200; ++i)
    REQUIRE(run(HostOp::write, collected ? 100 + i % 2 * 8 : 100 * (i % 9 + 1), 8) == Status::ok);
  CHECK((bench.figure("translation.collections") > 0) == collected);
  for (const bool after_cut : {false, true}) {
    INFO("after a cut " << after_cut);
    for (std::uint64_t sector = 0; sector < 8; ++sector)
      CHECK(run(HostOp::read, sector, 1) == (sector == 3 ? Status::media_error : Status::ok));
    CHECK(run(HostOp::write, 3, 1, 2) == Status::media_error);
    if (after_cut) break;
    REQUIRE(run(HostOp::flush, 0, 1) == Status::ok);
    bench.cut();
    REQUIRE(bench.boot());
  }
  CHECK(run(HostOp::write, 3, 1) == Status::ok);
  CHECK(run(HostOp::read, 0, 8) == Status::ok);
  CHECK(bench.figure("translation.sectors.lost") == 1);
}

TEST_CASE("lsm: a sector of the log that cannot be read after a power cut takes no other with it") {
  Bench bench(small_tree(), 5, 1, lsm_drive);
  REQUIRE(bench.ask(HostOp::write, 20, 5) == Status::ok);
  REQUIRE(bench.ask(HostOp::flush, 0, 1) == Status::ok);
  bench.link.unreadable.insert(first_data_sector + 1 + 2);  // after the header: the data of sector 22
  for (const int boots : {1, 2}) {
    INFO("boot " << boots);
    bench.cut();
    REQUIRE(bench.boot());
    for (std::uint64_t sector = 20; sector < 25; ++sector)
      CHECK(bench.ask(HostOp::read, sector, 1) == (sector == 22 ? Status::media_error : Status::ok));
  }
  CHECK(bench.ask(HostOp::write, 22, 1) == Status::ok);
  CHECK(bench.ask(HostOp::read, 20, 5) == Status::ok);
}

TEST_CASE(
    "lsm: what a boot could not read of the log stays lost in the file that it becomes, and every other sector keeps its own content") {
  Bench bench(small_tree(), 5, 1, lsm_drive);
  for (std::uint64_t sector = 20; sector < 25; ++sector) REQUIRE(bench.write_mark(sector) == Status::ok);
  REQUIRE(bench.ask(HostOp::flush, 0, 1) == Status::ok);
  bench.link.unreadable.insert(first_data_sector + 2 * 3 + 1);  // of the third record, between its headers: the data of sector 22
  bench.cut();
  REQUIRE(bench.boot());
  REQUIRE(bench.ask(HostOp::flush, 0, 1) == Status::ok);
  REQUIRE(bench.host.tree().level(0).size() == 1);
  for (const bool after_cut : {false, true}) {
    for (std::uint64_t sector = 20; sector < 25; ++sector) {
      INFO("sector " << sector << ", after another cut " << after_cut);
      if (sector == 22)
        CHECK(bench.ask(HostOp::read, sector, 1) == Status::media_error);
      else
        CHECK(bench.read_mark(sector) == sector);
    }
    bench.cut();
    REQUIRE(bench.boot());
  }
}

TEST_CASE("lsm: of two extents that a collection moves at once each keeps what was lost of it") {
  LsmHostConfig config = small_tree();
  config.collect_below = 1;
  config.collect_slope = 100;
  config.lifetimes = false;
  config.record = 64_KiB;                                           // a file's extent is read as one piece, and the next one with it
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 9));  // which read ends first
  INFO("seed " << seed);
  Bench bench(config, seed, 1, lsm_drive);
  const auto write = [&bench](std::uint64_t first) { REQUIRE(bench.ask(HostOp::write, first, 8) == Status::ok); };
  for (const std::uint64_t first : {0, 100, 200, 300, 400}) write(first);
  const auto file_of = [&bench](std::uint64_t key) -> LsmFilePtr {
    for (std::uint32_t level = 1; level < lsm_levels; ++level)
      if (const LsmFilePtr file = bench.host.tree().covering(level, key); file != nullptr && file->find(key)) return file;
    return nullptr;
  };
  for (const std::uint64_t key : {3, 103}) {
    const LsmFilePtr file = file_of(key);
    REQUIRE(file != nullptr);
    bench.link.unreadable.insert(first_data_sector + file->run(*file->find(key), 1).place);
  }
  REQUIRE(file_of(3)->id != file_of(103)->id);
  for (std::uint64_t i = 0; bench.figure("translation.sectors.lost") < 2 && i < 200; ++i) write(500 + i % 2 * 8);
  CHECK(bench.figure("translation.collections") > 0);
  for (const bool after_cut : {false, true}) {
    for (const std::uint64_t first : {0, 100})
      for (std::uint64_t sector = first; sector < first + 8; ++sector) {
        INFO("sector " << sector << ", after a cut " << after_cut);
        CHECK(bench.ask(HostOp::read, sector, 1) == (sector == first + 3 ? Status::media_error : Status::ok));
      }
    REQUIRE(bench.ask(HostOp::flush, 0, 1) == Status::ok);
    bench.cut();
    REQUIRE(bench.boot());
  }
  CHECK(bench.figure("translation.sectors.lost") == 2);
}

TEST_CASE("lsm: a sector of the manifest or the header of a record that cannot be read is told by its copy") {
  struct Case {
    const char* name;
    std::uint32_t tables;  ///< that are written first, so that the manifest has some edits
    std::vector<std::uint64_t> unreadable;
    bool boots;
  };
  // The first boot writes a manifest into the third zone and its copy into the fourth. Of the log a header, 5 sectors, and the header.
  constexpr std::uint64_t list = first_manifest_sector + 2 * lsm_drive.zone_sectors;
  constexpr std::uint64_t copy = list + lsm_drive.zone_sectors;
  const Case cases[] = {{"header", 0, {first_data_sector}, true},
                        {"its copy", 0, {first_data_sector + 6}, true},
                        {"both headers", 0, {first_data_sector, first_data_sector + 6}, false},
                        {"manifest", 0, {list}, true},
                        {"its copy", 0, {copy}, true},
                        {"both copies", 0, {list, copy}, false},
                        {"an edit", 6, {list + 1}, true},
                        {"each copy in another place", 6, {list, copy + 1}, true},
                        {"both copies of an edit", 6, {list + 1, copy + 1}, false}};
  for (const Case& tried : cases) {
    INFO(tried.name);
    Bench bench(small_tree(), 5, 1, lsm_drive);
    bench.cut();
    REQUIRE(bench.boot());
    for (std::uint32_t i = 0; i < 2 * tried.tables; ++i) REQUIRE(bench.ask(HostOp::write, 8 * i, 8) == Status::ok);
    REQUIRE(bench.ask(HostOp::write, 20, 5) == Status::ok);
    REQUIRE(bench.ask(HostOp::flush, 0, 1) == Status::ok);
    bench.link.unreadable.insert(tried.unreadable.begin(), tried.unreadable.end());
    bench.cut();
    bench.timeline.run_until(bench.timeline.now() + 10_ms);
    std::optional<Status> booted;
    bench.host.recover([&booted](Status status) { booted = status; });
    while (!booted) bench.timeline.step();
    CHECK(booted == (tried.boots ? Status::ok : Status::media_error));
    if (!tried.boots) continue;
    CHECK(bench.ask(HostOp::read, 20, 5) == Status::ok);
    CHECK(bench.figure("translation.sectors.lost") == 0);
  }
}

TEST_CASE("lsm: two runs of one history do and count the same") {
  std::vector<double> first;
  for (const int run : {1, 2}) {
    Bench bench(small_tree(), 4, 1500, lsm_drive);
    bench.player.start();
    bench.run_to_end();
    std::vector<double> figures;
    for (const char* name :
         {"translation.commands", "translation.sectors.written", "translation.compactions", "translation.cpu", "translation.resets"})
      figures.push_back(bench.figure(name));
    figures.push_back(static_cast<double>(bench.timeline.now().value()));
    if (run == 1) first = figures;
    CHECK(figures == first);
  }
}

TEST_CASE("lsm: what use left is read, written over and trimmed like what was written") {
  LsmHostConfig config = small_tree();
  Bench bench(config, 7, 2500, lsm_drive);
  const std::uint64_t user = bench.host.user_sectors();
  bench.link.prefill(bench.host.prefill(user));
  std::uint32_t levels = 0;
  for (std::uint32_t level = 1; level < lsm_levels; ++level) levels += bench.host.tree().level(level).empty() ? 0 : 1;
  CHECK(levels >= 2);
  CHECK(bench.host.tree().covering(lsm_levels - 1, user - 1) != nullptr);
  bench.player.start();
  for (std::uint32_t actions = 0; actions < 3000 && !bench.player.ended(); ++actions) bench.timeline.step();
  if (!bench.player.ended()) {
    bench.player.power_lost();
    bench.cut();
    REQUIRE(bench.boot());
    bench.player.power_restored();
  }
  bench.run_to_end();
  bench.read_all();
  bench.check();
}

TEST_CASE("lsm: a deletion stays until the last level, where what it deletes is") {
  Bench bench(small_tree(), 7, 1, lsm_drive);
  bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
  bench.host.set_receiver([](HostRequest&) {});
  const auto run = [&](HostOp op, std::uint64_t sector, std::uint32_t sectors) {
    HostRequest request;
    request.op = op;
    request.blocks = {HostBlock(sector * 8), sectors * 8};
    request.content.resize(op == HostOp::write ? request.blocks.count * kept_per_block(ContentMode::tags) : 0);
    bench.host.issue(request);
    bench.timeline.run_until(bench.timeline.now() + 1_s);
  };
  const auto newest_is_data = [&](std::uint64_t key) {
    const LsmTree& tree = bench.host.tree();
    for (const LsmFilePtr& file : tree.level(0))
      if (file->find(key) || file->deletes(key)) return file->find(key).has_value();
    for (std::uint32_t level = 1; level < lsm_levels; ++level)
      if (const LsmFilePtr file = tree.covering(level, key); file != nullptr && (file->find(key) || file->deletes(key)))
        return file->find(key).has_value();
    return false;
  };
  CHECK(newest_is_data(500));
  run(HostOp::trim, 500, 2);
  std::uint32_t through = 0;  // levels between the first and the last that the deletion came by
  for (std::uint64_t i = 0; i < 60; ++i) {
    run(HostOp::write, i % 2 == 0 ? 440 : 520, 8);
    if (i > 2) CHECK_FALSE(newest_is_data(500));
    for (std::uint32_t level = 1; level + 1 < lsm_levels; ++level)
      if (const LsmFilePtr file = bench.host.tree().covering(level, 500); file != nullptr && file->deletes(500)) through |= 1U << level;
  }
  CHECK(through != 0);
  CHECK(bench.figure("translation.compactions") > 5);
}

TEST_CASE("lsm: with little over-provisioning the application sees what compactions leave, and a full drive is written over") {
  LsmHostConfig config = small_tree();
  config.over_provisioning = 0.01;
  const LsmLayout layout = Bench::planned(config, lsm_drive);
  CHECK(layout.user_sectors * 100 < std::uint64_t{85} * layout.data_zones * layout.zone_sectors);
  Bench bench(config, 3, 2500, lsm_drive);
  bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
  bench.player.start();
  bench.run_to_end();
  bench.read_all();
  bench.check();
  CHECK(bench.figure("translation.zones.least_free") >= 0);
}

TEST_CASE("lsm: a drive that is too small is told what it takes") {
  const auto problem_of = [](LsmHostConfig config, DriveZones drive) {
    std::string problem;
    static_cast<void>(plan_lsm(config, drive, problem));
    return problem;
  };
  LsmHostConfig config;
  CHECK(problem_of(config, {.zones = 10, .conventional = 2, .zone_sectors = 1000}).find("make zones smaller") != std::string::npos);
  const DriveZones drive{.zones = 256, .conventional = 2, .zone_sectors = 65536};
  CHECK(problem_of(config, drive).empty());
  config.level0_stop = 1000;
  CHECK(problem_of(config, drive).find("a smaller hosts.lsm.level0_stop than 1000") != std::string::npos);
  const DriveZones of_small_zones{.zones = 300, .conventional = 2, .zone_sectors = 64};  // lists of files of 18 sectors would take too much
  CHECK(problem_of({}, of_small_zones).empty());
  config = {};
  config.file = 72_KiB;
  CHECK(problem_of(config, of_small_zones).find("make zones or hosts.lsm.file larger") != std::string::npos);
  config = {};
  config.level0_stop = 4;
  CHECK(problem_of(config, drive).find("hosts.lsm.level0_stop is 4; expected more than hosts.lsm.level0_files, 4") != std::string::npos);
  config = {};
  config.record = 4_KiB;
  CHECK(problem_of(config, drive).find("hosts.lsm.record") != std::string::npos);
}
