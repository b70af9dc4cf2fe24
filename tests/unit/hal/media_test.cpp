// Chains at the disk unit: descriptors as they lie in memory, completions, rings that wrap and that are full, chains that are held.
#include <catch2/catch.hpp>

#include "fake_machine.hpp"
#include "firmware/hal/cpu.hpp"
#include "firmware/hal/media.hpp"

using namespace tessera;
using namespace tessera::hal;
using test::FakeMachine;

namespace {

struct Bench {
  FakeMachine machine;
  Cpu cpu{machine};
  Media media{machine, cpu};

  ~Bench() { cpu.end(); }
  void complete(CompletionEntry entry) {
    machine.complete_chain(entry);
    media.reap();
    cpu.run();
  }
  [[nodiscard]] std::uint64_t cookie(std::size_t n) const { return machine.submitted<MediaChainEntry>(Register::disk_submit, n).cookie; }
};

struct Outcome {
  bool over = false;
  Status status = Status::ok;
  std::uint32_t steps_done = 0;
};

Task<void> run(MediaPort& media, MediaChain& chain, Outcome& outcome) {
  outcome.status = co_await media.run(chain);
  outcome.steps_done = chain.steps_done;
  outcome.over = true;
}

Task<void> run_many(MediaPort& media, int count, int& done) {
  for (int i = 0; i < count; ++i) {
    MediaChain chain;
    chain.read({{0, 0}, 0, 1}, {});
    if (ok(co_await media.run(chain))) ++done;
  }
}

constexpr SectorShape shape{4096, ContentMode::none};
constexpr std::uint64_t data_address = 0x8123'4000;

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

}  // namespace

TEST_CASE("a chain's descriptor lies in memory word for word as the disk unit reads it") {
  Bench bench;
  DataBuffer buffer(DramAddress(data_address), 8, shape);
  SectorHeader header{};
  std::array<SectorHeader, 1> headers{};
  std::array<std::byte, 8192> system{};
  MediaChain chain(MediaClass::background, LostSectors::carry);
  chain.read({{1, 77}, 5, 3}, buffer.part(2, 3), StepHint::whole_track, &header);
  chain.write_system({{2, 78}, 6, 2}, system);
  chain.add({MediaOp::write, StepHint::same_angle, {{3, 79}, 7, 1}, buffer.part(0, 1), {}, nullptr, headers});
  Outcome outcome;
  bench.cpu.start(run(bench.media, chain, outcome), 12);
  bench.cpu.run();

  REQUIRE(bench.machine.written(Register::disk_submit).size() == 1);
  const auto* const words = by_number<const std::uint32_t>(bench.machine.written(Register::disk_submit).front());
  const std::uint64_t cookie = bench.cookie(0);
  const std::uint64_t one = number_of(&header);
  const std::uint64_t each = number_of(headers.data());
  const std::uint64_t own = number_of(system.data());
  // Step 1 begins at the third sector of the buffer: 0x81234000 + 2 * 4096.
  const std::vector<std::uint32_t> expected{low(cookie), high(cookie),
                                            3,           2,
                                            1,           12,
                                            0,           0,  // head: steps, class, carry, tag
                                            0,           2,
                                            1,           77,
                                            5,           3,
                                            0x8123'6000, 0,
                                            0,           0,
                                            low(one),    high(one),
                                            1,           0,  //
                                            1,           0,
                                            2,           78,
                                            6,           2,
                                            0,           0,
                                            low(own),    high(own),
                                            0,           0,
                                            0,           0,  //
                                            1,           1,
                                            3,           79,
                                            7,           1,
                                            0x8123'4000, 0,
                                            0,           0,
                                            low(each),   high(each),
                                            1,           1};
  CHECK(std::vector<std::uint32_t>(words, words + expected.size()) == expected);

  bench.complete({.cookie = cookie, .status = static_cast<std::uint32_t>(Status::damaged), .steps_done = 1});
  CHECK(outcome.over);
  CHECK(outcome.status == Status::damaged);
  CHECK(outcome.steps_done == 1);
  CHECK(bench.machine.written(Register::disk_consumed) == std::vector<std::uint64_t>{1});
}

TEST_CASE("the ring of completions goes round, and an entry of the round before is not taken again") {
  Bench bench;
  int done = 0;
  const int rounds = 3 * bench.cpu.ring_entries() + 1;
  bench.cpu.start(run_many(bench.media, rounds, done), no_host_tag);
  bench.cpu.run();
  for (int i = 0; i < rounds; ++i) {
    bench.media.reap();  // nothing new: what lies there is a round old
    bench.cpu.run();
    REQUIRE(done == i);
    bench.complete({.cookie = bench.cookie(static_cast<std::size_t>(i)), .steps_done = 1});
    REQUIRE(done == i + 1);
  }
  CHECK(bench.machine.written(Register::disk_consumed).back() == static_cast<std::uint64_t>(rounds));
}

TEST_CASE("the unit is given as many chains as its ring has room for, and the next one once a completion was taken") {
  Bench bench;
  int done = 0;
  for (std::uint32_t i = 0; i < bench.cpu.ring_entries() + 2; ++i) bench.cpu.start(run_many(bench.media, 1, done), i);
  bench.cpu.run();
  CHECK(bench.machine.written(Register::disk_submit).size() == bench.cpu.ring_entries());
  bench.complete({.cookie = bench.cookie(5), .steps_done = 1});
  REQUIRE(bench.machine.written(Register::disk_submit).size() == bench.cpu.ring_entries() + 1);
  CHECK(bench.machine.submitted<MediaChainEntry>(Register::disk_submit, bench.cpu.ring_entries()).tag == bench.cpu.ring_entries());
  // It is given room when the unit knows of it.
  const auto& writes = bench.machine.writes;
  CHECK(writes[writes.size() - 2].first == Register::disk_consumed);
  CHECK(writes.back().first == Register::disk_submit);
  bench.complete({.cookie = bench.cookie(6), .steps_done = 1});
  CHECK(bench.machine.submitted<MediaChainEntry>(Register::disk_submit, bench.cpu.ring_entries() + 1).tag == bench.cpu.ring_entries() + 1);
  CHECK(done == 2);
}

TEST_CASE("a write tells the machine of lost sectors, and a read takes over its marks") {
  Bench bench;
  DataBuffer buffer(DramAddress(data_address), 4, shape);
  buffer.mark_lost(2);
  buffer.mark_overwritten(3);
  MediaChain chain;
  chain.write({{0, 0}, 0, 3}, buffer.part(1, 3));
  Outcome written;
  bench.cpu.start(run(bench.media, chain, written), no_host_tag);
  bench.cpu.run();
  CHECK(bench.machine.lost == std::vector<std::uint64_t>{data_address + 2 * 4096, data_address + 3 * 4096});
  CHECK(bench.machine.overwritten == std::vector<std::uint64_t>{data_address + 3 * 4096});
  bench.complete({.cookie = bench.cookie(0), .steps_done = 1});
  CHECK(buffer.is_lost(2));

  bench.machine.lost = {data_address, data_address + 3 * 4096};
  bench.machine.overwritten = {data_address};
  MediaChain again;
  again.read({{0, 0}, 0, 4}, buffer.all());
  Outcome read;
  bench.cpu.start(run(bench.media, again, read), no_host_tag);
  bench.cpu.run();
  bench.complete({.cookie = bench.cookie(1), .steps_done = 1, .any_lost = 1});
  CHECK(buffer.is_lost(0));
  CHECK_FALSE(buffer.is_lost(1));
  CHECK_FALSE(buffer.is_lost(2));
  CHECK(buffer.is_lost(3));
  CHECK(buffer.is_overwritten(0));
  CHECK_FALSE(buffer.is_overwritten(3));

  MediaChain good;
  good.read({{0, 0}, 0, 4}, buffer.all());
  bench.cpu.start(run(bench.media, good, read), no_host_tag);
  bench.cpu.run();
  bench.complete({.cookie = bench.cookie(2), .steps_done = 1, .any_lost = 0});
  CHECK_FALSE(any_lost(buffer.all()));
}

namespace {

/// Carries a chain out with one of its own, and ends with what that brought.
class Supervisor final : public MediaSupervisor {
 public:
  explicit Supervisor(MediaPort& media) : media_(media) {}
  void arm() { armed_ = true; }
  void look_up(const MediaChain&) override {}
  [[nodiscard]] bool concerns(const MediaChain& chain) const override { return chain.steps().front().run.track.radius == 13; }
  [[nodiscard]] Task<Status> carry_out(MediaChain& chain) override {
    found = chain.status;
    MediaChain own(MediaClass::recovery);
    own.read({{0, 13}, 0, 1}, {});
    const Status status = co_await media_.run(own);
    chain.steps_done = 2;
    co_return status;
  }
  Status found = Status::ok;

 private:
  MediaPort& media_;
};

}  // namespace

TEST_CASE("a chain that is held is carried out by the supervisor, and ends with its second completion") {
  Bench bench;
  Supervisor supervisor(bench.media);
  bench.media.supervise(&supervisor);
  CHECK(bench.machine.values[Register::disk_supervise] == 1);
  MediaChain chain;
  chain.read({{0, 13}, 0, 1}, {}).read({{0, 14}, 0, 1}, {});
  Outcome outcome;
  bench.cpu.start(run(bench.media, chain, outcome), 3);
  bench.cpu.run();
  CHECK(bench.machine.submitted<MediaChainEntry>(Register::disk_submit, 0).supervised == 0);  // nothing is known to be bad

  bench.complete({.cookie = bench.cookie(0), .status = static_cast<std::uint32_t>(Status::media_error), .held = 1});
  CHECK(supervisor.found == Status::media_error);
  CHECK_FALSE(outcome.over);
  REQUIRE(bench.machine.written(Register::disk_submit).size() == 2);
  CHECK(bench.machine.submitted<MediaChainEntry>(Register::disk_submit, 1).priority == static_cast<std::uint32_t>(MediaClass::recovery));
  CHECK(bench.machine.written(Register::disk_resume).empty());
  bench.complete({.cookie = bench.cookie(1), .status = static_cast<std::uint32_t>(Status::lost), .steps_done = 1});
  CHECK(bench.machine.written(Register::disk_resume) == std::vector{static_cast<std::uint64_t>(Status::lost) | std::uint64_t{2} << 32});
  CHECK_FALSE(outcome.over);
  bench.complete({.cookie = bench.cookie(0), .status = static_cast<std::uint32_t>(Status::lost), .steps_done = 2});
  CHECK(outcome.over);
  CHECK(outcome.status == Status::lost);
  CHECK(outcome.steps_done == 2);
}

TEST_CASE("once sectors lie elsewhere, chains that concern them say so, others and those of the recovery do not") {
  Bench bench;
  Supervisor supervisor(bench.media);
  bench.media.supervise(&supervisor);
  supervisor.arm();
  std::array<Outcome, 3> outcomes;
  MediaChain concerned;
  concerned.read({{0, 13}, 0, 1}, {});
  MediaChain other;
  other.read({{0, 14}, 0, 1}, {});
  MediaChain recovery(MediaClass::recovery);
  recovery.read({{0, 13}, 0, 1}, {});
  bench.cpu.start(run(bench.media, concerned, outcomes[0]), no_host_tag);
  bench.cpu.start(run(bench.media, other, outcomes[1]), no_host_tag);
  bench.cpu.start(run(bench.media, recovery, outcomes[2]), no_host_tag);
  bench.cpu.run();
  CHECK(bench.machine.submitted<MediaChainEntry>(Register::disk_submit, 0).supervised == 1);
  CHECK(bench.machine.submitted<MediaChainEntry>(Register::disk_submit, 1).supervised == 0);
  CHECK(bench.machine.submitted<MediaChainEntry>(Register::disk_submit, 2).supervised == 0);
}
