// The disk channel of a drive with two arms: a queue and an operation for each.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "controller/disk_channel.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// Two arms with a surface each, on which every step takes 1 ms of seek, 2 ms of rotation and 3 ms of transfer; steps of radius `bad` fail.
struct TwoArms : MediaLink, DmaPort, Positioning, TrackCapacity, TimelineListener {
  TwoArms(Timeline& t, std::uint32_t limit) : timeline(t), limit_(limit) {}
  DmaGrant disk_moved(const MediaStep&, Picoseconds, std::uint32_t) override { return {timeline.now(), Bytes(0)}; }
  DmaGrant flash_moves(const FlashCommand&, const FlashLane&) override { return {}; }
  void start(const MediaStep& step) override {
    started.emplace_back(timeline.now(), step.run.track);
    in_hand[step.run.track.surface] = step.run.track;
    timeline.post(timeline.now() + 6_ms, *this, step.run.track.surface);
  }
  void give_up(std::uint32_t arm) override { given_up.push_back(arm); }
  void on_time(std::uint64_t arm) override {
    const Status status = in_hand[arm].radius == bad ? Status::media_error : Status::ok;
    channel->step_done({{}, {}, 1_ms, 2_ms, 3_ms}, status, static_cast<std::uint32_t>(arm));
  }
  [[nodiscard]] PhysicalTrack head() const override { return {}; }
  [[nodiscard]] Picoseconds positioning_time(const PhysicalRun&, bool, Picoseconds) const override { return 0_ps; }
  [[nodiscard]] Picoseconds least_positioning(std::uint32_t) const override { return 0_ps; }
  [[nodiscard]] std::uint32_t arms() const override { return 2; }
  [[nodiscard]] std::uint32_t arm_of(PhysicalTrack track) const override { return track.surface; }
  [[nodiscard]] std::uint32_t at_once() const override { return limit_; }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack) const override { return 512; }
  Timeline& timeline;
  DiskChannel* channel = nullptr;
  std::uint32_t bad = ~0U;
  std::array<PhysicalTrack, 2> in_hand{};
  std::vector<std::pair<Picoseconds, PhysicalTrack>> started;
  std::vector<std::uint32_t> given_up;

 private:
  std::uint32_t limit_;
};

struct Machine {
  explicit Machine(std::uint32_t at_once = 2, Picoseconds bus = 0_ps)
      : media(timeline, at_once), cpu(timeline, instant(bus)), channel(timeline, cpu, media, media, media, media, instant(bus)) {
    media.channel = &channel;
  }
  static ControllerConfig instant(Picoseconds bus) {
    ControllerConfig config;
    config.costs = CpuCosts(CostSource::none);
    config.interrupt_latency = 0_ps;
    config.bus_latency = bus;
    config.disk_fifo = 16_KiB;
    return config;
  }
  Timeline timeline;
  TwoArms media;
  Executor cpu;
  DiskChannel channel;
};

struct Outcome {
  Status status = Status::ok;
  MediaBreakdown breakdown;
  Picoseconds end;
};

Task<void> use(Machine& machine, std::vector<PhysicalTrack> tracks, Outcome& outcome) {
  MediaChain chain;
  for (const PhysicalTrack track : tracks) chain.read({track, 0, 1}, {});
  outcome.status = co_await machine.channel.run(chain);
  outcome.breakdown = chain.breakdown;
  outcome.end = machine.cpu.now();
}

/// Looks after chains that met an error by one step of its own.
struct Repairer : MediaSupervisor {
  explicit Repairer(Machine& of) : machine(of) {}
  void look_up(const MediaChain&) override {}
  [[nodiscard]] bool concerns(const MediaChain&) const override { return false; }
  [[nodiscard]] Task<Status> carry_out(MediaChain&) override {
    began.push_back(machine.cpu.now());
    MediaChain own(MediaClass::recovery);
    own.read({{1, 900}, 0, 1}, {});
    co_return co_await machine.channel.run(own);
  }
  Machine& machine;
  std::vector<Picoseconds> began;
};

}  // namespace

TEST_CASE("chains of two arms are at work at once, those of one arm wait for each other") {
  Machine machine;
  std::array<Outcome, 3> outcomes;
  machine.cpu.start(use(machine, {{0, 1}, {0, 2}}, outcomes[0]), nullptr, 0_ps);
  machine.cpu.start(use(machine, {{0, 3}}, outcomes[1]), nullptr, 0_ps);
  machine.cpu.start(use(machine, {{1, 4}}, outcomes[2]), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(outcomes[0].end == 12_ms);
  CHECK(outcomes[1].end == 18_ms);
  CHECK(outcomes[1].breakdown.queue == 12_ms);
  CHECK(outcomes[2].end == 6_ms);
  CHECK(outcomes[2].breakdown.queue == 0_ps);
  MetricSet metrics;
  machine.channel.report(metrics, 24_ms);
  CHECK(metrics.find("disk_channel.arm.0.utilisation")->value == Approx(18.0 / 24));
  CHECK(metrics.find("disk_channel.arm.1.utilisation")->value == Approx(6.0 / 24));
  CHECK(metrics.find("disk_channel.utilisation")->value == Approx(0.5));
  CHECK(*metrics.find("disk_channel.arm.1.commands")->value == 1);
}

TEST_CASE("arms that share one operation take turns") {
  Machine machine(1);
  std::array<Outcome, 4> outcomes;
  for (std::uint32_t i = 0; i < 4; ++i) machine.cpu.start(use(machine, {{i / 2, i}}, outcomes[i]), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(machine.media.started ==
        std::vector<std::pair<Picoseconds, PhysicalTrack>>{{0_ps, {0, 0}}, {6_ms, {1, 2}}, {12_ms, {0, 1}}, {18_ms, {1, 3}}});
}

TEST_CASE("a chain goes on at another arm once that is free, and its parts sum to its time") {
  Machine machine;
  std::array<Outcome, 3> outcomes;
  machine.cpu.start(use(machine, {{0, 1}, {1, 2}, {0, 3}}, outcomes[0]), nullptr, 0_ps);
  machine.cpu.start(use(machine, {{1, 7}, {1, 8}}, outcomes[1]), nullptr, 0_ps);
  machine.cpu.start(use(machine, {{0, 9}}, outcomes[2]), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(machine.media.started == std::vector<std::pair<Picoseconds, PhysicalTrack>>{
                                     {0_ps, {0, 1}}, {0_ps, {1, 7}}, {6_ms, {0, 9}}, {6_ms, {1, 8}}, {12_ms, {1, 2}}, {18_ms, {0, 3}}});
  CHECK(outcomes[0].status == Status::ok);
  CHECK(outcomes[0].end == 24_ms);
  CHECK(outcomes[0].breakdown.queue == 6_ms);
  CHECK(outcomes[0].breakdown.seek == 3_ms);
  CHECK(outcomes[0].breakdown.transfer == 9_ms);
  CHECK(machine.channel.idle());
}

TEST_CASE("a chain in trouble is looked after once no arm is at work, and nothing else is served meanwhile") {
  Machine machine;
  machine.media.bad = 5;
  Repairer repairer(machine);
  machine.channel.supervise(&repairer);
  std::array<Outcome, 4> outcomes;
  machine.cpu.start(use(machine, {{0, 5}}, outcomes[0]), nullptr, 0_ps);
  machine.cpu.start(use(machine, {{1, 1}, {1, 2}}, outcomes[1]), nullptr, 0_ps);
  machine.cpu.start(use(machine, {{0, 3}}, outcomes[2]), nullptr, 0_ps);
  machine.cpu.start(use(machine, {{1, 4}}, outcomes[3]), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(repairer.began == std::vector{12_ms});  // when the other arm's chain has ended
  CHECK(outcomes[0].end == 18_ms);
  CHECK(outcomes[1].end == 12_ms);
  CHECK(outcomes[2].end == 24_ms);
  CHECK(outcomes[3].end == 24_ms);
  CHECK(machine.channel.idle());
}

TEST_CASE("a chain that is between two arms goes on to its end before another one in trouble is looked after") {
  Machine machine;
  machine.media.bad = 5;
  Repairer repairer(machine);
  machine.channel.supervise(&repairer);
  std::array<Outcome, 3> outcomes;
  machine.cpu.start(use(machine, {{1, 5}}, outcomes[0]), nullptr, 0_ps);
  machine.cpu.start(use(machine, {{0, 1}, {1, 2}, {0, 3}}, outcomes[1]), nullptr, 0_ps);
  machine.cpu.start(use(machine, {{1, 4}}, outcomes[2]), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(outcomes[1].end == 18_ms);
  CHECK(repairer.began == std::vector{18_ms});
  CHECK(outcomes[0].end == 24_ms);
  CHECK(outcomes[2].end == 30_ms);
}

TEST_CASE("a read that is wanted no more is given up at its own arm") {
  Machine machine;
  DataBuffer buffer(DramAddress(0), 1, {4096, ContentMode::none});
  const auto read = [](Machine& of, DataBuffer& into) -> Task<void> {
    MediaChain chain;
    chain.read({{1, 4}, 0, 1}, into.all());
    static_cast<void>(co_await of.channel.run(chain));
  };
  Outcome other;
  machine.cpu.start(use(machine, {{0, 1}}, other), nullptr, 0_ps);
  machine.cpu.start(read(machine, buffer), nullptr, 0_ps);
  machine.timeline.run_until(1_ms);
  machine.channel.abandon(buffer);
  machine.timeline.run();
  CHECK(machine.media.given_up == std::vector<std::uint32_t>{1});
}

TEST_CASE("a read that is given up while its descriptor is still on its way does not begin, and the next one does") {
  Machine machine(2, 1_us);
  DataBuffer buffer(DramAddress(0), 1, {4096, ContentMode::none});
  DataBuffer kept(DramAddress(4096), 1, {4096, ContentMode::none});
  std::array<Outcome, 3> outcomes;
  const auto read = [](Machine& of, DataBuffer& into, Outcome& outcome) -> Task<void> {
    MediaChain chain;
    for (const std::uint32_t radius : {4U, 5U}) chain.read({{1, radius}, 0, 1}, into.all());
    outcome.status = co_await of.channel.run(chain);
    outcome.end = of.cpu.now();
  };
  const auto give_up = [](Machine& of, const DataBuffer& unwanted) -> Task<void> {
    of.channel.abandon(unwanted);
    co_return;
  };
  machine.cpu.start(read(machine, buffer, outcomes[0]), nullptr, 0_ps);
  machine.cpu.start(read(machine, kept, outcomes[1]), nullptr, 0_ps);
  machine.cpu.start(give_up(machine, buffer), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(outcomes[0].status == Status::aborted);
  CHECK(outcomes[0].end < 1_ms);
  CHECK(outcomes[1].status == Status::ok);
  CHECK(machine.media.started.size() == 2);
  CHECK(machine.media.given_up.empty());
  machine.cpu.start(read(machine, buffer, outcomes[2]), nullptr, machine.timeline.now());
  machine.timeline.run();
  CHECK(outcomes[2].status == Status::ok);
}
