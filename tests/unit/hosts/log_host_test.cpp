// The log-structured host on a small drive: random histories against the scoreboard and a plain array, cleaning, power cuts.
#include <catch2/catch.hpp>
#include <map>

#include "host_bench.hpp"
#include "stimuli/hosts/log_host.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::ZonedLink;

namespace {

constexpr DriveZones small_drive{.zones = 26, .conventional = 2, .zone_sectors = 64, .tags = 8, .content = ContentMode::tags};

LogHostConfig small_host() {
  LogHostConfig config;
  config.over_provisioning = 0.2;
  config.record = 32_KiB;
  config.write_buffer = 96_KiB;
  config.write_delay = 20_ms;
  config.idle_after = 50_ms;
  config.checkpoint_every = 1_MiB;
  return config;
}

struct LogParts {
  using Config = LogHostConfig;
  using Host = LogHost;
  using Layout = LogLayout;
  static LogLayout plan(const LogHostConfig& config, const DriveZones& drive, std::string& problem) {
    return plan_log(config, drive, problem);
  }
  static DurabilityPromise promise(const LogHostConfig& config) {
    return config.write_back ? DurabilityPromise::flushed : DurabilityPromise::acknowledged;
  }
};

using Bench = tessera::test::HostBench<LogParts>;

}  // namespace

TEST_CASE("a random history reads what it wrote, while zones are cleaned and reset") {
  const LogCleaning cleaning = GENERATE(LogCleaning::greedy, LogCleaning::cost_benefit);
  const bool write_back = GENERATE(true, false);
  const std::uint32_t conventional = GENERATE(2U, 0U);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    LogHostConfig config = small_host();
    config.cleaning = cleaning;
    config.write_back = write_back;
    DriveZones drive = small_drive;
    drive.conventional = conventional;
    Bench bench(config, seed, 3000, drive);
    bench.player.start();
    bench.run_to_end();
    bench.read_all();
    INFO("seed " << seed << ", write-back " << write_back);
    bench.check();
    CHECK(bench.figure("cleaning.count") > 20);
    CHECK(bench.figure("translation.checkpoints") > 3);
    CHECK(bench.link.resets > 20);
  }
}

TEST_CASE("after a power cut at any instant everything is there that was promised") {
  const bool write_back = GENERATE(true, false);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    LogHostConfig config = small_host();
    config.write_back = write_back;
    config.cleaning = seed % 2 == 0 ? LogCleaning::greedy : LogCleaning::cost_benefit;
    config.checkpoint_every = seed % 3 == 0 ? 1_MiB : 64_KiB;
    config.writes_in_flight = seed % 4 < 2 ? 4 : 1;
    Bench bench(config, seed, 2500, small_drive);
    RandomStream random(seed, "cuts");
    bench.player.start();
    INFO("seed " << seed << ", write-back " << write_back);
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

TEST_CASE("what the first read after a power cut does not bring, the next one does: nothing counts as not written") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    INFO("seed " << seed);
    LogHostConfig config = small_host();
    config.write_back = false;
    Bench bench(config, seed, 600, small_drive);
    bench.player.start();
    for (std::uint32_t actions = 0; actions < 800 && !bench.player.ended(); ++actions) bench.timeline.step();
    bench.player.power_lost();
    bench.cut();
    for (std::uint64_t sector = 0; sector < small_drive.zones * small_drive.zone_sectors; ++sector) bench.link.unread_once.insert(sector);
    REQUIRE(bench.boot());
    bench.link.unread_once.clear();
    bench.read_all();
    bench.check();
  }
}

TEST_CASE("a sector of the last record before a power cut that cannot be read takes no other with it") {
  LogHostConfig config = small_host();
  config.write_back = false;
  Bench bench(config, 5, 1, small_drive);
  REQUIRE(bench.ask(HostOp::write, 0, 4) == Status::ok);
  const std::uint64_t first = std::uint64_t{small_drive.conventional} * small_drive.zone_sectors;
  bench.link.unreadable.insert(first + bench.host.zones().place(1));
  bench.cut();
  REQUIRE(bench.boot());
  for (std::uint64_t sector = 0; sector < 4; ++sector) {
    INFO("sector " << sector);
    CHECK(bench.host.zones().place(sector) != nowhere);
    CHECK(bench.ask(HostOp::read, sector, 1) == (sector == 1 ? Status::media_error : Status::ok));
  }
}

TEST_CASE("the last sectors of a record that the drive has acknowledged are lost where they cannot be read, and not taken for torn") {
  LogHostConfig config = small_host();
  config.write_back = false;
  Bench bench(config, 5, 1, small_drive);
  for (const std::uint64_t first : {0, 2, 0}) REQUIRE(bench.ask(HostOp::write, first, 4) == Status::ok);
  const std::uint64_t first = std::uint64_t{small_drive.conventional} * small_drive.zone_sectors;
  for (const LogSector sector : {2U, 3U}) bench.link.unreadable.insert(first + bench.host.zones().place(sector));
  for (const int boots : {1, 2}) {
    bench.cut();
    REQUIRE(bench.boot());
    for (std::uint64_t sector = 0; sector < 6; ++sector) {
      INFO("sector " << sector << ", boot " << boots);
      CHECK(bench.ask(HostOp::read, sector, 1) == (sector == 2 || sector == 3 ? Status::media_error : Status::ok));
    }
  }
}

TEST_CASE("sectors in every zone that cannot be read keep no zone from being cleaned, and the host from no write") {
  const std::uint32_t apart = GENERATE(1U, 5U, 64U);  // all of them, every fifth, one in each zone
  Bench bench(small_host(), 5, 3000, small_drive);
  bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
  for (std::uint64_t sector = small_drive.conventional * small_drive.zone_sectors + 9;
       sector < small_drive.zones * small_drive.zone_sectors; sector += apart)
    bench.link.unreadable.insert(sector);
  bench.player.start();
  for (std::uint64_t actions = 0; actions < 1'000'000 && !bench.player.ended(); ++actions) bench.timeline.step();
  REQUIRE(bench.player.ended());
  CHECK(bench.board.errors() == 0);
  CHECK(bench.link.refused == 0);
  CHECK(bench.figure("cleaning.count") > 20);
  CHECK(bench.figure("translation.sectors.lost") >= 10);
}

TEST_CASE("a sector that cannot be read when its zone is cleaned is lost alone, and stays so over power cuts until it is written") {
  LogHostConfig config = small_host();
  config.clean_idle_below = small_drive.zones;
  config.cleaning = LogCleaning::greedy;
  const bool checkpointed = GENERATE(false, true);  // or known by the record alone
  config.checkpoint_every = checkpointed ? 4096_B : 64_MiB;
  Bench bench(config, 5, 1, small_drive);
  bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
  Status answered = Status::aborted;
  bench.host.set_receiver([&answered](HostRequest& request) { answered = request.status; });
  const auto run = [&](HostOp op, std::uint64_t sector, std::uint32_t blocks) {
    HostRequest request;
    request.op = op;
    request.blocks = {HostBlock(sector * 8), blocks};
    request.content.resize(request.blocks.count * kept_per_block(ContentMode::tags));
    bench.host.issue(request);
    bench.timeline.run_until(bench.timeline.now() + 10_ms);
    return answered;
  };
  const std::uint64_t first = std::uint64_t{small_drive.conventional} * small_drive.zone_sectors;
  for (const std::uint32_t sector : {3U, 9U, 21U}) bench.link.unreadable.insert(first + bench.host.zones().place(sector));
  for (std::uint64_t sector = 0; sector < 40; sector += 2) REQUIRE(run(HostOp::trim, sector, 8) == Status::ok);
  REQUIRE(run(HostOp::flush, 0, 0) == Status::ok);
  bench.timeline.run_until(bench.timeline.now() + 10_s);
  REQUIRE(bench.link.resets > 0);
  CHECK(bench.figure("translation.sectors.lost") == 3);
  for (int cuts = 0; cuts < 3; ++cuts) {
    for (std::uint32_t sector = 1; sector < 40; ++sector) {
      INFO("sector " << sector << ", cuts " << cuts);
      const bool lost = sector == 3 || sector == 9 || sector == 21;
      CHECK(run(HostOp::read, sector, 8) == (lost ? Status::media_error : Status::ok));
      CHECK((bench.host.zones().place(sector) == lost_place) == lost);
    }
    bench.cut();
    REQUIRE(bench.boot());
  }
  CHECK(run(HostOp::write, 3, 4) == Status::media_error);  // its other half is not known
  CHECK(run(HostOp::write, 3, 8) == Status::ok);
  CHECK(run(HostOp::trim, 9, 8) == Status::ok);
  CHECK(run(HostOp::flush, 0, 0) == Status::ok);
  bench.cut();
  REQUIRE(bench.boot());
  CHECK(run(HostOp::read, 3, 7 * 8) == Status::ok);
  CHECK(run(HostOp::read, 21, 8) == Status::media_error);
}

TEST_CASE("a write with FUA whose data a TRIM takes before it is on the drive ends when the TRIM is there") {
  LogHostConfig config = small_host();
  config.writes_in_flight = 1;
  Bench bench(config, 5, 1, small_drive);
  REQUIRE(bench.ask(HostOp::write, 5, 1) == Status::ok);
  REQUIRE(bench.ask(HostOp::flush, 0, 1) == Status::ok);
  HostRequest requests[3];
  bool ended = false;
  bench.host.set_receiver([&](HostRequest& request) { ended = ended || &request == &requests[1]; });
  for (std::uint32_t i = 0; i < 3; ++i) {
    HostRequest& request = requests[i];
    request.op = i == 2 ? HostOp::trim : HostOp::write;
    request.force_unit_access = i != 2;
    request.blocks = {HostBlock(i == 0 ? 0 : 5 * 8), 8};  // the first one keeps the second from being sent
    request.tag = i;
    request.content.resize(8 * kept_per_block(ContentMode::tags));
    request.life.begin(bench.timeline.now());
    bench.host.issue(request);
  }
  while (!ended) bench.timeline.step();
  bench.cut();
  REQUIRE(bench.boot());
  CHECK(bench.host.zones().place(5) == nowhere);
}

TEST_CASE("a write of a part of a sector whose rest cannot be read fails, and changes nothing") {
  Bench bench(small_host(), 5, 1, small_drive);
  bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
  const std::uint64_t place = bench.host.zones().place(0) + std::uint64_t{small_drive.conventional} * small_drive.zone_sectors;
  bench.link.unreadable.insert(place);
  Status answered = Status::ok;
  bench.host.set_receiver([&answered](HostRequest& request) { answered = request.status; });
  HostRequest request;
  request.op = HostOp::write;
  request.blocks = {HostBlock(1), 2};
  request.content.resize(2 * kept_per_block(ContentMode::tags));
  bench.host.issue(request);
  while (ok(answered)) bench.timeline.step();
  CHECK(answered == Status::media_error);
  CHECK(bench.host.zones().place(0) + std::uint64_t{small_drive.conventional} * small_drive.zone_sectors == place);
}

TEST_CASE(
    "a write of a part of a sector waits for the read of its rest although a TRIM makes that of no use, and no later request gets the "
    "answer") {
  Bench bench(small_host(), 5, 1, small_drive);
  bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
  const std::uint64_t place = bench.host.zones().place(0) + std::uint64_t{small_drive.conventional} * small_drive.zone_sectors;
  bench.link.unreadable.insert(place);
  std::vector<Status> answers;
  bench.host.set_receiver([&answers](HostRequest& request) { answers.push_back(request.status); });
  const auto issue = [&](HostRequest& request, HostOp op, std::uint64_t block, std::uint32_t blocks, std::uint32_t tag) {
    request.op = op;
    request.blocks = {HostBlock(block), blocks};
    request.tag = tag;
    request.content.resize(blocks * kept_per_block(ContentMode::tags));
    request.life.begin(bench.timeline.now());
    bench.host.issue(request);
  };
  HostRequest part, trim, whole;
  issue(part, HostOp::write, 1, 2, 0);
  issue(trim, HostOp::trim, 0, 8, 1);
  while (answers.size() < 2) bench.timeline.step();
  issue(whole, HostOp::write, 16, 8, 0);
  while (answers.size() < 3) bench.timeline.step();
  CHECK(part.status == Status::media_error);
  CHECK(trim.status == Status::ok);
  CHECK(whole.status == Status::ok);
}

TEST_CASE("a full drive goes on taking writes") {
  LogHostConfig config = small_host();
  Bench bench(config, 5, 3000, small_drive);
  bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
  CHECK(bench.host.zones().free_zones() == 5);
  bench.player.start();
  bench.run_to_end();
  bench.check();
  CHECK(bench.figure("cleaning.count") > 20);
  CHECK(bench.figure("translation.zones.least_free") >= 0);
}

TEST_CASE("zones are cleaned in idle time until the application has ended") {
  const bool ends = GENERATE(false, true);
  LogHostConfig config = small_host();
  config.clean_idle_below = 12;
  Bench bench(config, 5, 400, small_drive);
  bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
  bench.player.start();
  bench.run_to_end();
  const double before = bench.figure("translation.cleaning.idle");
  if (ends) bench.host.application_ended();
  const std::uint32_t free = bench.host.zones().free_zones();
  const Picoseconds later = bench.timeline.now() + 100_s;
  bench.timeline.run_until(later);
  CHECK(free < 12);
  CHECK((bench.figure("translation.cleaning.idle") > before + 1) == !ends);
  CHECK(bench.host.idle());
  bench.check();
}

TEST_CASE("requests one after another read what a plain array holds") {
  const LogLayout layout = Bench::planned(small_host(), small_drive);
  Timeline timeline;
  ZonedLink link(timeline, small_drive, 3);
  LogHost host(small_host(), {}, small_drive, layout, timeline, link);
  link.answer = [&](HostRequest& command) { host.completed(command); };
  bool done = false;
  host.set_receiver([&](HostRequest&) { done = true; });
  std::vector<std::uint64_t> array(layout.user_sectors * 8);
  RandomStream random(3, "array");
  for (std::uint64_t number = 1; number <= 4000; ++number) {
    HostRequest request;
    const std::uint64_t kind = random.below(10);
    request.op = kind < 6 ? HostOp::write : HostOp::read;
    request.blocks.count = static_cast<std::uint32_t>(1 + random.below(40));
    request.blocks.first = HostBlock(random.below(array.size() - request.blocks.count));
    request.content.resize(request.blocks.count * 8);
    auto* const tags = reinterpret_cast<std::uint64_t*>(request.content.data());
    const std::uint64_t first = request.blocks.first.value();
    if (request.op == HostOp::write)
      for (std::uint32_t i = 0; i < request.blocks.count; ++i) array[first + i] = tags[i] = number << 20 | i;
    request.life.begin(timeline.now());
    done = false;
    host.issue(request);
    while (!done) timeline.step();
    if (request.op == HostOp::read)
      REQUIRE(std::equal(tags, tags + request.blocks.count, array.begin() + static_cast<std::ptrdiff_t>(first)));
    REQUIRE(request.life.total() == timeline.now() - request.life.arrival);
  }
  CHECK(host.zones().free_zones() >= log_reserved_zones);
}

TEST_CASE("a write that is not acknowledged from memory takes one record of a header and a sector") {
  LogHostConfig config = small_host();
  config.write_back = false;
  const LogLayout layout = Bench::planned(config, small_drive);
  Timeline timeline;
  ZonedLink link(timeline, small_drive, 3);
  LogHost host(config, {}, small_drive, layout, timeline, link);
  link.answer = [&](HostRequest& command) { host.completed(command); };
  bool done = false;
  host.set_receiver([&](HostRequest&) { done = true; });
  HostRequest request;
  request.op = HostOp::write;
  request.blocks = {HostBlock(80), 8};
  request.content.resize(64);
  host.issue(request);
  while (!done) timeline.step();
  MetricSet metrics;
  host.report(metrics);
  CHECK(metrics.find("translation.sectors.written")->value == 2);
  CHECK(metrics.find("translation.commands")->value == 1);
  CHECK(host.zones().place(10) == 1);
}

TEST_CASE("two runs of one history do and count the same") {
  const auto figures = [] {
    Bench bench(small_host(), 9, 1500, small_drive);
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
