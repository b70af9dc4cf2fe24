// Faults that a description asks for, at the media's own interface.
#include <catch2/catch.hpp>

#include "small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::perform;
using test::read_step;
using test::tag_of;
using test::tagged;
using test::write_step;

namespace {

constexpr SectorShape tags{4096, ContentMode::tags};
constexpr PhysicalTrack track{0, 5};

/// The first tag of every sector that a fault destroyed.
struct Destroyed final : FaultListener {
  void destroyed(ConstContentSpan sector) override {
    Tag tag = 0;
    if (!sector.empty()) std::memcpy(&tag, sector.data(), sizeof tag);
    seen.push_back(tag);
  }
  std::vector<Tag> seen;
};

struct Bench {
  explicit Bench(const MediaConfig& config, std::uint64_t seed = 1) : device(config, {}, ContentMode::tags, seed) {
    device.set_fault_listener(&destroyed);
  }
  Status write(PhysicalRun run, Tag tag, SectorHeader* header = nullptr) {
    DataBuffer data = tagged(run.count, tag);
    MediaStep step = write_step(run, data.all());
    step.header = header;
    return perform(device, step, now);
  }
  Status read(PhysicalRun run) {
    back = DataBuffer(DramAddress(0), run.count, tags);
    return perform(device, read_step(run, back.all()), now);
  }
  [[nodiscard]] double metric(const std::string& name) const {
    MetricSet metrics;
    device.report(metrics, now);
    return metrics.find("media." + name)->value.value_or(-1);
  }
  MediaDevice device;
  Destroyed destroyed;
  DataBuffer back;
  Picoseconds now;
};

}  // namespace

TEST_CASE("a marginal sector fails as many reads in a row as stated, goes well once, and begins anew, and its neighbours are delivered") {
  MediaConfig config = test::small_drive();
  config.transient_sectors = {{0, 5, 42, 2}};
  Bench bench(config);
  REQUIRE(ok(bench.write({track, 40, 5}, 1000)));
  for (int sequence = 0; sequence < 2; ++sequence) {
    for (int failing = 0; failing < 2; ++failing) {
      REQUIRE(bench.read({track, 40, 5}) == Status::media_error);
      for (std::uint32_t s = 0; s < 5; ++s) {
        REQUIRE(bench.back.is_lost(s) == (s == 2));
        REQUIRE(tag_of(bench.back, s) == (s == 2 ? destroyed : 1000 + 8 * s));
      }
    }
    REQUIRE(ok(bench.read({track, 40, 5})));
    REQUIRE(tag_of(bench.back, 2) == 1016);
  }
  REQUIRE(bench.read({track, 42, 1}) == Status::media_error);
  REQUIRE(ok(bench.write({track, 42, 1}, 2000)));  // a write begins the sequence anew
  CHECK(bench.read({track, 42, 1}) == Status::media_error);
  CHECK(bench.read({track, 42, 1}) == Status::media_error);
  CHECK(ok(bench.read({track, 42, 1})));
  CHECK(ok(bench.read({track, 43, 2})));
  CHECK(ok(bench.read({track, 40, 2})));
  CHECK(bench.destroyed.seen.empty());
  CHECK(bench.metric("faults.transient") == 7);
}

TEST_CASE("a marginal sector counts as destroyed once so many reads in a row have failed as the firmware tries, and not before") {
  MediaConfig config = test::small_drive();
  config.transient_sectors = {{0, 5, 42, 4}};
  Bench bench(config);
  bench.device.set_fault_listener(&bench.destroyed, 3);
  REQUIRE(ok(bench.write({track, 42, 1}, 1000)));
  for (const std::size_t told : {0, 0, 1, 2}) {
    REQUIRE(bench.read({track, 42, 1}) == Status::media_error);
    CHECK(bench.destroyed.seen == std::vector<Tag>(told, 1000));
  }
  CHECK(ok(bench.read({track, 42, 1})));
  CHECK(bench.read({track, 42, 1}) == Status::media_error);  // counted anew
  CHECK(bench.destroyed.seen.size() == 2);
}

TEST_CASE(
    "while there is a sector that could not be read, whoever asked for it is called before each write is stored, and not after one in its "
    "place") {
  MediaConfig config = test::small_drive();
  config.unreadable_sectors = {{0, 5, 42}};
  Bench bench(config);
  std::vector<std::size_t> unread;
  bench.device.before_write_with_unread([&] { unread.push_back(bench.device.unread().size()); });
  REQUIRE(ok(bench.write({track, 40, 1}, 1000)));
  CHECK(unread.empty());
  REQUIRE(bench.read({track, 42, 1}) == Status::media_error);
  REQUIRE(ok(bench.write({track, 40, 1}, 1000)));
  REQUIRE(ok(bench.write({track, 42, 1}, 1000)));
  CHECK(unread == std::vector<std::size_t>{1, 1});
  REQUIRE(ok(bench.write({track, 42, 1}, 1000)));
  CHECK(unread.size() == 2);
}

TEST_CASE("a grown defect is readable until its instant and unreadable from it on, and takes what it held") {
  // Sector 39 of 100 ends 4 ms behind the index mark: a read that starts 3 ms behind the tenth one ends 104 ms after power-on.
  const auto [from, readable] = GENERATE(table<double, bool>({{104, false}, {105, true}}));
  MediaConfig config = test::small_drive();
  config.grown_defects = {{0, 5, 39, from}};
  Bench bench(config);
  REQUIRE(ok(bench.write({track, 39, 1}, 1000)));
  bench.now = 103_ms;
  REQUIRE(bench.read({track, 39, 1}) == (readable ? Status::ok : Status::media_error));
  REQUIRE(bench.now == 104_ms);
  CHECK(bench.destroyed.seen == (readable ? std::vector<Tag>{} : std::vector<Tag>{1000}));
  CHECK(bench.read({track, 39, 1}) == Status::media_error);  // 10 ms later
  CHECK(bench.destroyed.seen.back() == 1000);
  CHECK(ok(bench.read({track, 40, 1})));
}

TEST_CASE("what is written to an unreadable sector is lost without anybody noticing, and its header too") {
  MediaConfig config = test::small_drive();
  config.unreadable_sectors = {{0, 5, 42}};
  Bench bench(config);
  SectorHeader header;
  header.fill(std::byte{7});
  REQUIRE(ok(bench.write({track, 40, 3}, 1000, &header)));
  CHECK(bench.destroyed.seen == std::vector<Tag>{1016});
  CHECK(bench.metric("faults.latent_writes") == 1);
  DataBuffer back(DramAddress(0), 3, tags);
  MediaStep step = read_step({track, 40, 3}, back.all());
  step.header = &header;
  REQUIRE(perform(bench.device, step, bench.now) == Status::media_error);
  CHECK(header == SectorHeader{});
  CHECK(back.is_lost(2));
  CHECK_FALSE(back.any_lost(0, 2));
}

TEST_CASE(
    "a write stops at a sector that cannot be written: what passed before is new, the sector is gone, the rest and the header are old") {
  MediaConfig config = test::small_drive();
  config.write_fault_sectors = {{0, 5, 2}};
  const bool wraps = GENERATE(false, true);
  const PhysicalRun run = wraps ? PhysicalRun{track, 98, 6} : PhysicalRun{track, 0, 6};
  const std::uint32_t bad = wraps ? 4 : 2;  // place of the bad sector in the run
  Bench bench(config);
  SectorHeader header;
  header.fill(std::byte{7});
  REQUIRE(bench.write(run, 1000, &header) == Status::media_error);
  REQUIRE(bench.destroyed.seen == std::vector<Tag>{0, 1000 + 8 * bad});  // nothing was held before
  for (std::uint32_t s = 0; s < 6; ++s) {
    const Status read = bench.read({track, (run.first + s) % 100, 1});
    INFO(s);
    CHECK(read == (s == bad ? Status::media_error : Status::ok));
    CHECK(tag_of(bench.back, 0) == (s < bad ? 1000 + 8 * s : s == bad ? destroyed : never_written));
  }
  SectorHeader read_back;
  bench.device.content().read_header(bench.device.geometry().linear(track), (run.first + 5) % 100, read_back);
  CHECK(read_back == SectorHeader{});
  CHECK(ok(bench.write({track, 3, 90}, 5000)));  // up to the sector's neighbours on both sides
  CHECK(bench.metric("faults.write") == 1);
  CHECK(bench.metric("errors") == 2);  // the read of the sector is the other
}

TEST_CASE("a whole track that is written from its middle on stops at the bad sector in order of transfer") {
  MediaConfig config = test::small_drive();
  config.write_fault_sectors = {{0, 5, 10}};
  Bench bench(config);
  DataBuffer data = tagged(100, 1000);
  const MediaStep step = write_step({track, 0, 100}, data.all());
  bench.now = 3'330_us;  // the head comes to the track while sector 40 or so is under it
  REQUIRE(perform(bench.device, step, bench.now) == Status::media_error);
  std::uint32_t fresh = 0;
  for (std::uint32_t s = 0; s < 100; ++s) {
    const Status read = bench.read({track, s, 1});
    REQUIRE(read == (s == 10 ? Status::media_error : Status::ok));
    if (tag_of(bench.back, 0) == 1000 + 8 * s) ++fresh;
    if (s > 10 && s < 20) REQUIRE(tag_of(bench.back, 0) == never_written);  // behind the bad sector
    if (s < 10) REQUIRE(tag_of(bench.back, 0) == 1000 + 8 * s);             // before it
  }
  CHECK(fresh > 10);
  CHECK(fresh < 99);
}

TEST_CASE("a power cut behind a sector that cannot be written leaves what the fault left") {
  MediaConfig config = test::small_drive();
  config.write_fault_sectors = {{0, 5, 2}};
  Bench bench(config);
  REQUIRE(ok(bench.write({track, 3, 3}, 500)));
  DataBuffer data = tagged(6, 1000);
  const MediaStep step = write_step({track, 0, 6}, data.all());
  const MediaTiming timing = bench.device.start(step, bench.now);
  bench.device.cut(timing.end - 50_us);  // in the last of six sectors
  bench.device.restore(timing.end);
  bench.now = timing.end;
  for (std::uint32_t s = 0; s < 6; ++s) {
    const Status read = bench.read({track, s, 1});
    CHECK(read == (s == 2 ? Status::media_error : Status::ok));
    if (s != 2) CHECK(tag_of(bench.back, 0) == (s < 2 ? 1000 + 8 * s : 500 + 8 * (s - 3)));
  }
}

TEST_CASE("drawn read errors go away after at most as many reads as stated, and unrecoverable ones never do") {
  MediaConfig config = test::small_drive();
  config.transient_errors_per_million = 20'000;
  config.transient_error_reads = 3;
  Bench bench(config, 11);
  REQUIRE(ok(bench.write({track, 0, 100}, 1000)));
  std::array<int, 5> tries{};
  for (int round = 0; round < 100; ++round) {
    for (std::uint32_t s = 0; s < 100; s += 50) {
      std::size_t failed = 0;
      while (bench.read({track, s, 1}) == Status::media_error) ++failed;
      REQUIRE(failed <= 2 * 3);  // a sector may be drawn again on the read that ends the first sequence
      ++tries[std::min<std::size_t>(failed, 4)];
    }
  }
  CHECK(tries[0] > 180);
  CHECK(tries[1] + tries[2] + tries[3] > 0);
  CHECK(bench.destroyed.seen.empty());

  config.transient_errors_per_million = 0;
  config.unrecoverable_errors_per_billion = 50'000'000;
  Bench worse(config, 11);
  REQUIRE(ok(worse.write({track, 0, 100}, 1000)));
  REQUIRE(worse.read({track, 0, 100}) == Status::media_error);
  std::vector<bool> lost(100);
  for (std::uint32_t s = 0; s < 100; ++s) lost[s] = worse.back.is_lost(s);
  const auto first_lost = std::count(lost.begin(), lost.end(), true);
  CHECK(first_lost > 0);
  CHECK(first_lost < 20);
  REQUIRE(worse.read({track, 0, 100}) == Status::media_error);
  for (std::uint32_t s = 0; s < 100; ++s) CHECK((!lost[s] || worse.back.is_lost(s)));
  CHECK(worse.destroyed.seen.size() >= 2 * static_cast<std::size_t>(first_lost));
}

TEST_CASE("a drawn write fault stops one write, and the next one goes well") {
  MediaConfig config = test::small_drive();
  config.write_faults_per_million = 10'000;
  Bench bench(config, 3);
  int faults = 0;
  for (int round = 0; round < 200; ++round) {
    int tries = 1;
    while (bench.write({track, 0, 10}, 1000 + 100 * static_cast<Tag>(round)) == Status::media_error) ++tries;
    faults += tries - 1;
    REQUIRE(tries < 10);
    REQUIRE(ok(bench.read({track, 0, 10})));
    REQUIRE(tag_of(bench.back, 9) == 1072 + 100 * static_cast<Tag>(round));
  }
  CHECK(faults > 5);  // 20 expected
  CHECK(faults < 60);
  CHECK(bench.metric("faults.write") == faults);
}

TEST_CASE("a servo fault costs whole revolutions before the transfer, and nothing else changes") {
  MediaConfig config = test::small_drive();
  MediaConfig slow = config;
  slow.servo_faults_per_million = 1'000'000;
  const auto [retry, turns] = GENERATE(table<Picoseconds, std::uint64_t>({{0_ps, 1}, {1_ps, 1}, {10_ms, 1}, {10_ms + 1_ps, 2}}));
  slow.servo_retry_time = retry;
  MediaDevice plain(config, {}, ContentMode::tags, 1);
  MediaDevice faulty(slow, {}, ContentMode::tags, 1);
  DataBuffer data = tagged(4, 1000);
  const MediaStep step = write_step({{1, 20}, 30, 4}, data.all());
  const MediaTiming a = plain.start(step, 5_ms);
  const MediaTiming b = faulty.start(step, 5_ms);
  CHECK(b.end == a.end + 10_ms * turns);
  CHECK(b.rotation == a.rotation + 10_ms * turns);
  CHECK(b.seek == a.seek);
  CHECK(b.transfer == a.transfer);
  CHECK(ok(faulty.finish()));
  CHECK(faulty.statistics().servo_faults == 1);
}

TEST_CASE("rates are drawn from streams of their own: one does not shift another, and none shifts a power cut") {
  MediaConfig config = test::small_drive();
  config.write_faults_per_million = 10'000;
  MediaConfig both = config;
  both.servo_faults_per_million = 300'000;
  both.transient_errors_per_million = 300'000;
  Bench one(config, 3);
  Bench two(both, 3);
  for (int round = 0; round < 300; ++round) {
    static_cast<void>(two.read({track, 20, 5}));
    REQUIRE(one.write({track, 0, 10}, 1000) == two.write({track, 0, 10}, 1000));
  }
}
