// Liveness: the watchdog ends a run whose drive leaves a request unanswered, and says what the drive does instead; and the caches of the
// firmware go on when they are full.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "support/crowd.hpp"
#include "support/layer_drive.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// A layer whose tasks wait for one another: the base of the planted deadlocks.
class StuckLayer : public TranslationLayer {
 public:
  explicit StuckLayer(const Ports& ports) : ports_(ports) {}
  [[nodiscard]] std::uint64_t user_sectors() const override { return 256; }
  Task<Status> format() override { co_return Status::ok; }
  Task<Status> recover() override { co_return Status::ok; }
  Task<Status> read(LogicalRun, DataSpan data) override {
    ports_.memory.clear(data);
    co_return Status::ok;
  }
  Task<Status> write(LogicalRun, DataSpan, WriteOptions) override { co_return Status::ok; }
  Task<Status> flush() override { co_return Status::ok; }
  Task<Status> trim(LogicalRun) override { co_return Status::ok; }
  void prefill(std::uint64_t) override {}
  void report(MetricSet&) const override {}

 protected:
  Ports ports_;
};

/// Writes wait for room that nobody makes.
class NeverRoom final : public StuckLayer {
 public:
  explicit NeverRoom(const Ports& ports) : StuckLayer(ports), room_(ports.cpu) {}
  Task<Status> write(LogicalRun, DataSpan, WriteOptions) override {
    co_await room_.change(LifePhase::cleaning);
    co_return Status::ok;
  }

 private:
  WaitQueue room_;
};

/// So do FLUSHes.
class NeverFlushed final : public StuckLayer {
 public:
  explicit NeverFlushed(const Ports& ports) : StuckLayer(ports), room_(ports.cpu) {}
  Task<Status> write(LogicalRun, DataSpan, WriteOptions) override { return wait(); }
  Task<Status> flush() override { return wait(); }

 private:
  Task<Status> wait() {
    co_await room_.change(LifePhase::cleaning);
    co_return Status::ok;
  }
  WaitQueue room_;
};

/// Writes to even sectors lock the map and then the log, writes to odd ones the log and then the map.
class OppositeLocks final : public StuckLayer {
 public:
  explicit OppositeLocks(const Ports& ports) : StuckLayer(ports), map_(ports.cpu), log_(ports.cpu) {}
  Task<Status> write(LogicalRun run, DataSpan, WriteOptions) override {
    const bool even = run.first.value() % 2 == 0;
    auto first = (even ? map_ : log_).exclusive(all);
    co_await first;
    const Picoseconds later = ports_.cpu.now() + 1_ms;
    co_await ports_.cpu.sleep_until(later);
    auto second = (even ? log_ : map_).exclusive(all);
    co_await second;
    co_return Status::ok;
  }

 private:
  static constexpr SectorRange all{LogicalSector(0), LogicalSector(256)};
  SectorLocks map_;
  SectorLocks log_;
};

/// Writes take five minutes: slow, not dead.
class Slow final : public StuckLayer {
 public:
  using StuckLayer::StuckLayer;
  Task<Status> write(LogicalRun, DataSpan, WriteOptions) override {
    const Picoseconds later = ports_.cpu.now() + 300_s;
    co_await ports_.cpu.sleep_until(later);
    co_return Status::ok;
  }
};

/// Events without end, so rare that none of the other bounds is ever reached.
class SlowClock final : public TimelineListener {
 public:
  explicit SlowClock(Timeline& timeline) : timeline_(timeline) { timeline.post(timeline.now(), *this); }
  void on_time(std::uint64_t) override { timeline_.post(timeline_.now() + 2_s, *this); }

 private:
  Timeline& timeline_;
};

/// Events without end.
class Clock final : public TimelineListener {
 public:
  explicit Clock(Timeline& timeline) : timeline_(timeline) { timeline.post(timeline.now(), *this); }
  void on_time(std::uint64_t) override { timeline_.post(timeline_.now() + 10_us, *this); }

 private:
  Timeline& timeline_;
};

class NeverBoots final : public StuckLayer {
 public:
  explicit NeverBoots(const Ports& ports) : StuckLayer(ports), room_(ports.cpu) {}
  Task<Status> recover() override {
    co_await room_.change(LifePhase::cleaning);
    co_return Status::ok;
  }

 private:
  WaitQueue room_;
};

class BootsSlowly final : public StuckLayer {
 public:
  using StuckLayer::StuckLayer;
  Task<Status> recover() override {
    const Picoseconds later = ports_.cpu.now() + 200'000_s;
    co_await ports_.cpu.sleep_until(later);
    co_return Status::ok;
  }
};

template <class Layer>
class StuckDrive : public LayerDrive<Layer> {
 public:
  explicit StuckDrive(const BenchConfig& config = small_drive())
      : LayerDrive<Layer>(
            config, [](const DriveGeometry& geometry, std::string&) { return FormatPlan{{.name = "data", .count = geometry.radii()}}; },
            [](const Ports& ports, const DriveGeometry&, const FormatPlan&) { return std::make_unique<Layer>(ports); }) {}
};

/// What the run dies of.
template <class Action>
std::string bug_of(Action action) {
  try {
    action();
  } catch (const ModelBug& bug) {
    return bug.what();
  }
  return "nothing";
}

bool says(const std::string& text, const std::string& what) {
  INFO(text);
  CHECK(text.find(what) != std::string::npos);
  return text.find(what) != std::string::npos;
}

BenchConfig patience(Picoseconds timeout) {
  BenchConfig config = small_drive();
  config.host.timeout = timeout;
  return config;
}

}  // namespace

TEST_CASE("watchdog: a request that the drive never completes ends the run, with its life and what each task waits for") {
  StuckDrive<NeverRoom> drive;
  REQUIRE(drive.bench().read(0, 8) == Status::ok);
  drive.bench().run_for(50_s);
  HostRequest& stuck = drive.bench().submit(HostOp::write, 24, 8);
  const Picoseconds issued = drive.bench().now();
  const std::string text = bug_of([&] { (void)drive.bench().run_until_done(stuck); });
  CHECK(drive.bench().now() == issued + 120_s);
  says(text, "(write of 8 blocks from 24, tag ");
  says(text, "at the drive for 120000 ms, since 50000");
  says(text, "firmware tasks: 1");
  says(text, "waits for space since");
}

TEST_CASE("watchdog: two tasks that lock in opposite order are named with their locks") {
  StuckDrive<OppositeLocks> drive;
  drive.bench().submit(HostOp::write, 0, 8);
  drive.bench().submit(HostOp::write, 8, 8);
  const std::string text = bug_of([&] { drive.bench().run_until_all_done(); });
  says(text, "has not answered request");
  const std::size_t first = text.find("waits for a lock");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("waits for a lock", first + 1) != std::string::npos);
}

TEST_CASE("watchdog: the time is that of the oldest command, whatever is answered meanwhile") {
  StuckDrive<NeverRoom> drive(patience(5_s));
  drive.bench().submit(HostOp::write, 0, 8);
  for (int second = 0; second < 4; ++second) {
    drive.bench().run_for(1_s);
    REQUIRE(drive.bench().read(64, 8) == Status::ok);
  }
  drive.bench().submit(HostOp::write, 8, 8);
  CHECK(drive.bench().now() < 5_s);
  says(bug_of([&] { drive.bench().run_for(2_s); }), "at the drive for 5000 ms");
}

TEST_CASE("watchdog: a FLUSH has a day, and does not hide a command that was issued behind it") {
  StuckDrive<NeverFlushed> drive(patience(5_s));
  drive.bench().submit(HostOp::flush, 0, 0);
  drive.bench().run_for(86'399_s);
  says(bug_of([&] { drive.bench().run_for(2_s); }), "(flush, tag 0)");

  StuckDrive<NeverFlushed> other(patience(5_s));
  other.bench().submit(HostOp::flush, 0, 0);
  other.bench().run_for(7_s);
  other.bench().submit(HostOp::write, 0, 8);
  other.bench().run_for(4_s);
  says(bug_of([&] { other.bench().run_for(2_s); }), "(write of 8 blocks");
}

TEST_CASE("watchdog: a command lost with the power is not waited for, and its tag counts anew") {
  StuckDrive<NeverRoom> drive(patience(5_s));
  drive.bench().submit(HostOp::write, 0, 8);
  drive.bench().run_for(4_s);
  drive.bench().cut_now();
  drive.bench().run_for(3_s);
  drive.bench().submit(HostOp::write, 0, 8);
  drive.bench().run_for(4_s);
  says(bug_of([&] { drive.bench().run_for(2_s); }), "at the drive for 5000 ms");
}

TEST_CASE("watchdog: a request that takes longer than the timeout while the drive works is counted once, and answered") {
  StuckDrive<Slow> drive;
  HostRequest& slow = drive.bench().submit(HostOp::write, 24, 8);
  REQUIRE(drive.bench().run_until_done(slow) == Status::ok);
  const Watchdog& watchdog = drive.bench().host().watchdog();
  CHECK(watchdog.overdue() == 1);
  says(watchdog.first_overdue(), "within host.timeout, and was still at work: it is at the drive for 120000 ms");
  CHECK(drive.bench().now() >= 300_s);
}

TEST_CASE("watchdog: a request that is not answered although there are events without end ends the run") {
  Timeline timeline;
  Watchdog watchdog(timeline, 120_s, 1);
  watchdog.start([] { return std::string("ticks"); }, [] { return DeviceWork{}; });
  HostRequest request;
  request.op = HostOp::read;
  request.life.begin(timeline.now());
  watchdog.issued(request);
  const Clock clock(timeline);
  says(bug_of([&] { timeline.run_until(1'000_s); }), "and has done other things without end since");
  CHECK(timeline.now() <= 720_s);  // at the first look after 500 s of ticks
  CHECK(watchdog.overdue() == 1);
}

TEST_CASE("watchdog: a request that is a day late ends the run, unless one operation of a device takes that long") {
  DeviceWork work;
  HostRequest request;
  request.op = HostOp::write;
  const auto lasts = [&](bool next_operation) {
    Timeline timeline;
    Watchdog watchdog(timeline, 120_s, 1);
    watchdog.start([] { return std::string("wakes"); },
                   [&] {
                     work.operations += next_operation ? 1 : 0;
                     return work;
                   });
    request.life.begin(timeline.now());
    watchdog.issued(request);
    const SlowClock clock(timeline);
    const std::string text = bug_of([&] { timeline.run_until(200'000_s); });
    return text == "nothing" ? timeline.now() : says(text, "and has done other things without end since") ? timeline.now() : 0_s;
  };
  CHECK(lasts(false) == 86'520_s);
  work.busy = true;
  CHECK(lasts(true) == 86'520_s);  // one after the other, as of a drive that wakes itself
  CHECK(lasts(false) == 200'000_s);
}

TEST_CASE("watchdog: polls without end are no reason to end a run while a device works, and operations without end are one") {
  constexpr std::uint64_t polls = LongWait::most_actions;
  LongWait one;
  CHECK_FALSE(one.is_in_vain(0, {7, true}));
  CHECK_FALSE(one.is_in_vain(2 * polls, {7, true}));   // of one long operation
  CHECK_FALSE(one.is_in_vain(4 * polls, {8, false}));  // it has ended, and another one has come and gone
  CHECK_FALSE(one.is_in_vain(5 * polls - 1, {8, false}));
  CHECK(one.is_in_vain(5 * polls, {8, false}));

  LongWait endless;
  CHECK_FALSE(endless.is_in_vain(0, {7, true}));
  CHECK(endless.is_in_vain(polls * LongWait::more_while_busy, {7, true}));  // an interrupt that was lost

  LongWait repeated;
  CHECK_FALSE(repeated.is_in_vain(0, {7, true}));
  CHECK_FALSE(repeated.is_in_vain(1, {6 + LongWait::most_operations, true}));
  CHECK(repeated.is_in_vain(2, {7 + LongWait::most_operations, true}));
}

TEST_CASE("watchdog: with a timeout of 0 nothing is watched") {
  StuckDrive<NeverRoom> drive(patience(Picoseconds(0)));
  drive.bench().submit(HostOp::write, 0, 8);
  drive.bench().run_for(1'000'000_s);
  CHECK_FALSE(drive.bench().controller().idle());
}

TEST_CASE("watchdog: a boot that never ends is a bug of the model after a simulated day") {
  StuckDrive<NeverBoots> drive;
  const std::string text = bug_of([&] { drive.bench().cut_now(); });
  says(text, "did not boot within a simulated day");
  says(text, "background work waits for space");
}

TEST_CASE("watchdog: a boot that takes days ends, and the drive serves") {
  StuckDrive<BootsSlowly> drive;
  drive.bench().cut_now();
  CHECK(drive.bench().now() >= 200'000_s);
  CHECK(drive.bench().read(0, 8) == Status::ok);
}

TEST_CASE("liveness: a write cache far smaller than what is written at once serves everything, in each durability") {
  for (const CacheDurability durability : {CacheDurability::plp, CacheDurability::journal, CacheDurability::volatile_memory}) {
    for (const std::uint64_t cached : {16, 40}) {
      FirmwareConfig config;
      config.write_cache.capacity = Bytes(cached * 4096);
      config.write_cache.durability = durability;
      CAPTURE(static_cast<int>(durability), cached);
      TestDrive drive(make_cmr_factory(), {{"journal_tracks", durability == CacheDurability::journal ? 2 : 0}}, small_drive(), config);
      withstand(drive, {.longest = 64});
      withstand(drive, {.sectors = 6, .longest = 6}, 2);
    }
  }
}

TEST_CASE("liveness: a staging buffer of one request's size serves unaligned writes of every tag") {
  BenchConfig config = small_drive();
  config.controller.staging_buffer = Bytes(2 * 4096);
  TestDrive drive(make_cmr_factory(), {}, config);
  withstand(drive, {.sectors = 40, .longest = 3});
}
