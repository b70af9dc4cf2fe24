#include "controller/disk_channel.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// A medium on which every step takes 1 ms of seek, 2 ms of rotation and 3 ms of transfer; step `failing` fails.
struct ToyMedia : MediaLink, DmaPort, Positioning, TrackCapacity, TimelineListener {
  explicit ToyMedia(Timeline& t) : timeline(t) {}
  DmaGrant disk_moved(const MediaStep&, Picoseconds passing, std::uint32_t) override {
    CHECK(passing == 3_ms);
    return {timeline.now() + tail, behind};
  }
  DmaGrant flash_moves(const FlashCommand&, const FlashLane&) override { return {}; }
  Picoseconds revolution() const override { return 8_ms; }
  void start(const MediaStep& step) override {
    started.emplace_back(timeline.now(), step.run.track.radius);
    timeline.post(timeline.now() + 6_ms, *this);
  }
  void give_up(std::uint32_t) override { ++given_up; }
  void on_time(std::uint64_t) override {
    if (lose_interrupt) return;
    channel->step_done({{}, {}, 1_ms, 2_ms, 3_ms}, ++count == failing ? Status::media_error : Status::ok);
  }
  PhysicalTrack head() const override { return {}; }
  Picoseconds positioning_time(const PhysicalRun&, bool, Picoseconds) const override { return 0_ps; }
  Picoseconds least_positioning(std::uint32_t) const override { return 0_ps; }
  std::uint32_t sectors_on(PhysicalTrack) const override { return 512; }
  Timeline& timeline;
  DiskChannel* channel = nullptr;
  int count = 0;
  int given_up = 0;
  int failing = 0;
  bool lose_interrupt = false;
  Picoseconds tail;  // of the DMA behind the media
  Bytes behind;
  std::vector<std::pair<Picoseconds, std::uint32_t>> started;
};

struct Machine {
  explicit Machine(ReadPriority reads = ReadPriority::over_updates)
      : media(timeline), cpu(timeline, instant()), channel(timeline, cpu, media, media, media, media, instant(reads)) {
    media.channel = &channel;
  }
  static ControllerConfig instant(ReadPriority reads = ReadPriority::over_updates) {
    ControllerConfig config;
    config.read_priority = reads;
    config.costs = CpuCosts(CostSource::none);
    config.interrupt_latency = config.bus_latency = 0_ps;
    config.disk_fifo = 16_KiB;
    return config;
  }
  Timeline timeline;
  ToyMedia media;
  Executor cpu;
  DiskChannel channel;
};

struct Outcome {
  Status status = Status::ok;
  unsigned steps = 0;
  MediaBreakdown breakdown;
  Picoseconds end;
};

Task<void> use(Machine& machine, MediaClass priority, std::uint32_t radius, std::uint32_t steps, Outcome& outcome,
               LostSectors lost = LostSectors::fail) {
  MediaChain chain(priority, lost);
  for (std::uint32_t i = 0; i < steps; ++i) chain.read({{0, radius + i}, 0, 1}, {});
  outcome.status = co_await machine.channel.run(chain);
  outcome.steps = chain.steps_done;
  outcome.breakdown = chain.breakdown;
  outcome.end = machine.cpu.now();
}

}  // namespace

TEST_CASE("the steps of a chain run back to back and nothing comes between them") {
  Machine machine;
  Outcome first, second;
  machine.cpu.start(use(machine, MediaClass::host, 10, 3, first), nullptr, 0_ps);
  machine.cpu.start(use(machine, MediaClass::host, 20, 1, second), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(machine.media.started == std::vector<std::pair<Picoseconds, std::uint32_t>>{{0_ps, 10}, {6_ms, 11}, {12_ms, 12}, {18_ms, 20}});
  CHECK(first.breakdown.seek == 3_ms);
  CHECK(second.breakdown.queue == 18_ms);
  CHECK(second.end == 24_ms);
}

TEST_CASE("a chain's steps and the records that ride on them are charged as it is submitted") {
  Machine machine;
  const auto submit = [](Machine& on) -> Task<void> {
    SectorHeader header{};
    std::array<SectorHeader, 3> headers{};
    MediaChain chain;
    chain.read({{0, 1}, 0, 1}, {}).write({{0, 2}, 0, 2}, {}, StepHint::position, &header);
    chain.add({MediaOp::read, StepHint::position, {{0, 3}, 0, 3}, {}, {}, nullptr, headers});
    static_cast<void>(co_await on.channel.run(chain));
  };
  machine.cpu.start(submit(machine), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(machine.cpu.performed(CpuOperation::submit) == 1);
  CHECK(machine.cpu.performed(CpuOperation::media_step) == 3);
  CHECK(machine.cpu.performed(CpuOperation::record_word) == (1 + 3) * 64 / 8);
}

TEST_CASE("a chain stops at the step that fails") {
  Machine machine;
  machine.media.failing = 2;
  Outcome outcome;
  machine.cpu.start(use(machine, MediaClass::host, 10, 3, outcome), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(outcome.status == Status::media_error);
  CHECK(outcome.steps == 1);
  CHECK(machine.media.started.size() == 2);
}

TEST_CASE("a chain that carries lost sectors on goes on behind a read that met one, but not behind a write that failed") {
  Machine machine;
  machine.media.failing = 2;
  Outcome outcome;
  machine.cpu.start(use(machine, MediaClass::dependent, 10, 3, outcome, LostSectors::carry), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(outcome.status == Status::ok);
  CHECK(outcome.steps == 3);

  machine.media.count = 0;
  Outcome written;
  const auto write = [](Machine& of, Outcome& outcome_of) -> Task<void> {
    MediaChain chain(MediaClass::dependent, LostSectors::carry);
    for (std::uint32_t i = 0; i < 3; ++i) chain.write({{0, i}, 0, 1}, {});
    outcome_of.status = co_await of.channel.run(chain);
    outcome_of.steps = chain.steps_done;
  };
  machine.cpu.start(write(machine, written), nullptr, machine.timeline.now());
  machine.timeline.run();
  CHECK(written.status == Status::media_error);
  CHECK(written.steps == 1);
}

TEST_CASE("waiting is divided by who was being served: background work or other requests") {
  Machine machine;
  Outcome background, host, behind;
  RequestLife life;
  machine.cpu.start(use(machine, MediaClass::background, 1, 1, background), nullptr, 0_ps);
  machine.cpu.start(use(machine, MediaClass::host, 2, 1, host), nullptr, 2_ms);
  life.begin(4_ms);
  machine.cpu.start(use(machine, MediaClass::host, 3, 1, behind), &life, 4_ms);
  machine.timeline.run();
  CHECK(behind.breakdown.background_wait == 2_ms);
  CHECK(behind.breakdown.queue == 6_ms);
  CHECK(life.parts[static_cast<std::size_t>(LifePhase::background_wait)] == 2_ms);
  CHECK(life.parts[static_cast<std::size_t>(LifePhase::media_queue)] == 6_ms);
  CHECK(life.total() == 14_ms);
}

TEST_CASE("a request knows for which work the head was in use while it waited, and what of that was its own") {
  Machine machine;
  Outcome cleaner, host, behind, helper, helped;
  const auto clean = [](Machine& on, Outcome& outcome) -> Task<void> {
    on.cpu.event({"clean", FirmwareEvent::Edge::begin, 1, 1});
    co_await use(on, MediaClass::dependent, 1, 2, outcome);
    on.cpu.event({"clean", FirmwareEvent::Edge::end, 1, 1});
  };
  RequestLife of_cleaner, of_host, of_behind;
  for (RequestLife* const life : {&of_cleaner, &of_host, &of_behind}) life->begin(0_ps);
  machine.cpu.start(clean(machine, cleaner), &of_cleaner, 0_ps);
  machine.cpu.start(use(machine, MediaClass::host, 2, 1, host), &of_host, 0_ps);
  machine.cpu.start(use(machine, MediaClass::host, 3, 1, behind), &of_behind, 0_ps);
  machine.timeline.run();
  const auto times = of_behind.by_cause();
  CHECK(times[static_cast<std::size_t>(Cause::cleaning)] == 12_ms);
  CHECK(times[static_cast<std::size_t>(Cause::requests)] == 6_ms);
  CHECK(times[static_cast<std::size_t>(Cause::host)] == 6_ms);
  CHECK(of_cleaner.by_cause()[static_cast<std::size_t>(Cause::cleaning)] == 12_ms);
  CHECK(of_host.by_cause()[static_cast<std::size_t>(Cause::requests)] == 0_ms);

  RequestLife alone, other;
  for (RequestLife* const life : {&alone, &other}) life->begin(machine.timeline.now());
  const auto share = [](Machine& on, Outcome& own, Outcome& beside) -> Task<void> {
    on.cpu.spawn(use(on, MediaClass::host, 5, 1, beside), "stream");
    co_await on.cpu.sleep_until(on.cpu.now() + 1_us);
    co_await use(on, MediaClass::host, 4, 1, own);
  };
  machine.cpu.start(use(machine, MediaClass::host, 6, 1, host), &other, machine.timeline.now());
  machine.cpu.start(share(machine, helped, helper), &alone, machine.timeline.now());
  machine.timeline.run();
  CHECK(alone.total() == 18_ms);
  CHECK(alone.by_cause()[static_cast<std::size_t>(Cause::requests)] == 6_ms - 1_us);
}

TEST_CASE("a lost interrupt leaves the request waiting and the channel busy, which ends the run as a model bug") {
  Machine machine;
  machine.media.lose_interrupt = true;
  Outcome outcome;
  machine.cpu.start(use(machine, MediaClass::host, 1, 1, outcome), nullptr, 0_ps);
  machine.timeline.run();
  CHECK_FALSE(machine.cpu.idle());
  CHECK_FALSE(machine.channel.idle());
}

TEST_CASE("an answer to no step is a model bug") {
  Machine machine;
  CHECK_THROWS_AS(machine.channel.step_done({}, Status::ok), ModelBug);
}

TEST_CASE("a read ends when its data is in the DRAM, and the next step of the chain begins when the media is free") {
  Machine machine;
  machine.media.tail = 50_ns;
  Outcome outcome;
  RequestLife life;
  life.begin(0_ps);
  machine.cpu.start(use(machine, MediaClass::host, 10, 2, outcome), &life, 0_ps);
  machine.timeline.run();
  CHECK(machine.media.started.back().first == 6_ms);
  CHECK(outcome.end == 12_ms + 50_ns);
  CHECK(outcome.breakdown.transfer == 6_ms + 50_ns);
  CHECK(life.total() == outcome.end);
}

TEST_CASE("what the FIFO holds costs nothing, each FIFO more costs a revolution") {
  for (const auto& [behind, turns] : {std::pair(16_KiB, 0U), {16_KiB + 1_B, 1U}, {32_KiB, 1U}, {32_KiB + 1_B, 2U}}) {
    Machine machine;
    machine.media.behind = behind;
    Outcome outcome, next;
    machine.cpu.start(use(machine, MediaClass::host, 10, 1, outcome), nullptr, 0_ps);
    machine.cpu.start(use(machine, MediaClass::host, 20, 1, next), nullptr, 0_ps);
    machine.timeline.run();
    CHECK(outcome.end == 6_ms + 8_ms * turns);
    CHECK(outcome.breakdown.rotation == 2_ms + 8_ms * turns);
    CHECK(machine.media.started.back().first == outcome.end);  // the platter is taken meanwhile
    MetricSet metrics;
    machine.channel.report(metrics, 1_s);
    CHECK(*metrics.find("disk_channel.missed_turns")->value == 2 * turns);
  }
}

TEST_CASE("a channel that is halted while the platter comes round again has nothing more to wait for") {
  Machine machine;
  machine.media.behind = 1_MiB;
  Outcome outcome;
  machine.cpu.start(use(machine, MediaClass::host, 10, 1, outcome), nullptr, 0_ps);
  machine.timeline.run_until(7_ms);
  CHECK_FALSE(machine.channel.idle());
  machine.channel.halt([] {});
  CHECK(machine.channel.idle());
}

namespace {

Task<void> move(Machine& machine, MediaOp op, std::uint32_t radius) {
  MediaChain chain(MediaClass::host);
  chain.add({op, StepHint::position, {{0, radius}, 0, 1}, {}, {}, nullptr});
  co_await machine.channel.run(chain);
}

/// A read-modify-write: a chain that reads, and one that writes the radius behind.
Task<void> update(Machine& machine, std::uint32_t radius) {
  co_await move(machine, MediaOp::read, radius);
  co_await move(machine, MediaOp::write, radius + 1);
}

/// The order in which the head serves what comes while it is at radius 1: an update, a write, a cleaning and a read.
std::vector<std::uint32_t> served(ReadPriority reads) {
  Machine machine(reads);
  machine.cpu.start(move(machine, MediaOp::read, 1), nullptr, 0_ps);
  machine.cpu.start(update(machine, 10), nullptr, 1_ms).host_write = true;
  machine.cpu.start(move(machine, MediaOp::write, 20), nullptr, 2_ms).host_write = true;
  machine.cpu.start(move(machine, MediaOp::read, 30), nullptr, 3_ms);
  machine.cpu.start(move(machine, MediaOp::read, 40), nullptr, 4_ms).host_read = true;
  machine.cpu.start(move(machine, MediaOp::read, 41), nullptr, 25_ms).host_read = true;
  machine.cpu.start(move(machine, MediaOp::read, 42), nullptr, 33_ms).host_read = true;  // behind the write of the update
  machine.timeline.run();
  std::vector<std::uint32_t> radii;
  for (const auto& [at, radius] : machine.media.started) radii.push_back(radius);
  return radii;
}

}  // namespace

TEST_CASE("host reads go before the chains of updates, from the first of them that reads to the last") {
  CHECK(served(ReadPriority::over_updates) == std::vector<std::uint32_t>{1, 20, 30, 40, 10, 41, 42, 11});
}

TEST_CASE("host reads go before nothing, or before all that others wait for, where that is asked for") {
  CHECK(served(ReadPriority::none) == std::vector<std::uint32_t>{1, 10, 20, 30, 40, 11, 41, 42});
  CHECK(served(ReadPriority::over_all) == std::vector<std::uint32_t>{1, 40, 10, 20, 30, 41, 42, 11});
}

TEST_CASE("a read-ahead of scattered pieces lets host reads go first, one of a single track or at its end does not") {
  const auto served_before_the_host = [](std::uint32_t pieces, ReadPriority reads) {
    Machine machine(reads);
    Outcome ahead;
    machine.cpu.start(move(machine, MediaOp::read, 1), nullptr, 0_ps);
    RootTask& task = machine.cpu.start(use(machine, MediaClass::host, 10, pieces, ahead), nullptr, 1_ms);
    task.host_read = true;  // as the read that it began beside
    task.work.now = Cause::read_ahead;
    machine.cpu.start(move(machine, MediaOp::read, 40), nullptr, 2_ms).host_read = true;
    machine.timeline.run();
    return machine.media.started[1].second == 10;
  };
  CHECK(served_before_the_host(1, ReadPriority::over_updates));
  CHECK(served_before_the_host(2, ReadPriority::over_updates));
  CHECK_FALSE(served_before_the_host(3, ReadPriority::over_updates));
  CHECK_FALSE(served_before_the_host(3, ReadPriority::over_all));
  CHECK(served_before_the_host(3, ReadPriority::none));
}

TEST_CASE("a task that updated is one like any other when it is used again") {
  Machine machine;
  machine.cpu.start(update(machine, 10), nullptr, 0_ps).host_write = true;
  machine.timeline.run();
  machine.media.started.clear();
  const Picoseconds now = machine.timeline.now();
  machine.cpu.start(move(machine, MediaOp::read, 1), nullptr, now);
  machine.cpu.start(move(machine, MediaOp::write, 20), nullptr, now + 1_ms).host_write = true;
  machine.cpu.start(move(machine, MediaOp::read, 30), nullptr, now + 2_ms).host_read = true;
  machine.timeline.run();
  CHECK(machine.media.started[1].second == 20);
}
