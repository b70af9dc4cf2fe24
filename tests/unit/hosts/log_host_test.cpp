// The log-structured host on a small drive: random histories against the scoreboard and a plain array, cleaning, power cuts.
#include <catch2/catch.hpp>
#include <map>

#include "stimuli/hosts/log_host.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"
#include "zoned_link.hpp"

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

/// Requests anywhere, some close together, some of parts of sectors.
class RandomRequests final : public TraceSource {
 public:
  RandomRequests(std::uint64_t seed, std::uint64_t blocks, std::uint64_t requests)
      : random_(seed, "random_requests"), blocks_(blocks), left_(requests) {}
  bool next(TraceRecord& record) override {
    if (left_ == 0) return false;
    --left_;
    record = {};
    now_ += Picoseconds(random_.below(random_.below(200) == 0 ? 200'000'000'000 : 3'000'000'000));
    record.arrival = now_;
    const std::uint64_t kind = random_.below(100);
    record.op = kind < 60 ? HostOp::write : kind < 92 ? HostOp::read : kind < 96 ? HostOp::flush : HostOp::trim;
    record.force_unit_access = kind < 5;
    if (record.op == HostOp::flush) return true;
    const std::uint64_t reach = random_.below(3) == 0 ? blocks_ : blocks_ / 4;
    const bool whole = random_.below(4) != 0;
    std::uint64_t count = 1 + random_.below(random_.below(10) == 0 ? 200 : 24);
    std::uint64_t first = random_.below(reach - count);
    if (whole) {
      first = first / 8 * 8;
      count = (count + 7) / 8 * 8;
    }
    record.offset = Bytes(first * host_block_bytes);
    record.size = Bytes(std::min(count, blocks_ - first) * host_block_bytes);
    return true;
  }
  [[nodiscard]] std::string position() const override { return "random"; }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  RandomStream random_;
  std::uint64_t blocks_;
  std::uint64_t left_;
  Picoseconds now_;
};

/// Reads of everything.
class ReadAll final : public TraceSource {
 public:
  explicit ReadAll(std::uint64_t blocks) : blocks_(blocks) {}
  bool next(TraceRecord& record) override {
    if (at_ == blocks_) return false;
    record = {};
    record.offset = Bytes(at_ * host_block_bytes);
    const std::uint64_t count = std::min<std::uint64_t>(100, blocks_ - at_);
    record.size = Bytes(count * host_block_bytes);
    at_ += count;
    return true;
  }
  [[nodiscard]] std::string position() const override { return "all"; }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  std::uint64_t blocks_;
  std::uint64_t at_ = 0;
};

class Bench {
 public:
  Bench(const LogHostConfig& config, std::uint64_t seed, std::uint64_t requests, DriveZones drive = small_drive)
      : shape_(drive),
        layout_(planned(config, drive)),
        link(timeline, drive, seed),
        host(config, {}, drive, layout_, timeline, link),
        board(ContentMode::tags, config.write_back ? DurabilityPromise::flushed : DurabilityPromise::acknowledged),
        source_(seed, layout_.user_sectors * drive.sector_blocks, requests),
        player({ReplayPolicy::parse("timed"), drive.tags, 0}, timeline, source_, host) {
    link.answer = [this](HostRequest& command) { host.completed(command); };
    host.set_receiver([this](HostRequest& request) { player.completed(request); });
    player.set_checker(board);
  }
  static LogLayout planned(const LogHostConfig& config, const DriveZones& drive) {
    std::string problem;
    LogLayout layout = plan_log(config, drive, problem);
    REQUIRE(problem.empty());
    return layout;
  }
  void cut() {
    link.cut();
    host.power_lost();
  }
  /// To the end of the recovery; false where the power is to be cut after so many more actions, and that was before it.
  bool boot(std::uint64_t actions = ~std::uint64_t{0}) {
    bool booted = false;
    const Picoseconds on = timeline.now() + 10_ms;
    timeline.run_until(on);  // requests arrive meanwhile
    timeline.advance_to(on);
    host.recover([&booted](Status status) {
      REQUIRE(status == Status::ok);
      booted = true;
    });
    while (!booted && actions-- > 0) timeline.step();
    return booted;
  }
  void read_all() {
    ReadAll source(layout_.user_sectors * shape_.sector_blocks);
    Player reader({ReplayPolicy::parse("closed:4"), shape_.tags, 0}, timeline, source, host);
    reader.set_checker(board);
    host.set_receiver([&reader](HostRequest& request) { reader.completed(request); });
    reader.start();
    while (!reader.ended()) timeline.step();
    host.set_receiver([this](HostRequest& request) { player.completed(request); });
    CHECK(reader.statistics().failed() == 0);
  }
  void run_to_end() {
    while (!player.ended()) timeline.step();
  }
  double figure(const char* name) const {
    MetricSet metrics;
    host.report(metrics);
    REQUIRE(metrics.find(name) != nullptr);
    return metrics.find(name)->value.value_or(-1);
  }
  void check() const {
    for (const std::string& message : board.messages()) UNSCOPED_INFO(message);
    CHECK(board.errors() == 0);
    CHECK(link.refused == 0);
    CHECK(player.statistics().failed() == 0);
  }

 private:
  DriveZones shape_;
  LogLayout layout_;

 public:
  Timeline timeline;
  ZonedLink link;
  LogHost host;
  Scoreboard board;

 private:
  RandomRequests source_;

 public:
  Player player;
};

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
    Bench bench(config, seed, 2500);
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

TEST_CASE("a full drive goes on taking writes") {
  LogHostConfig config = small_host();
  Bench bench(config, 5, 3000);
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
  Bench bench(config, 5, 400);
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
    Bench bench(small_host(), 9, 1500);
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
