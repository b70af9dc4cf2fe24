// The write cache when the layer below fails to write: what was acknowledged stays where it is and readable, whoever waits is answered,
// and the drive comes to rest.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "support/random_histories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// What the layer below answers to writes after a millisecond, in place of carrying them out, while `answer` is not ok; the first `times`
/// writes only.
struct Refusal {
  Status answer = Status::ok;
  std::uint32_t times = ~0U;
};

class FailingCmr final : public TranslationLayer {
 public:
  FailingCmr(std::unique_ptr<TranslationLayer> layer, CpuPort& cpu, Refusal& refusal)
      : layer_(std::move(layer)), cpu_(cpu), refusal_(refusal) {}
  [[nodiscard]] std::uint64_t user_sectors() const override { return layer_->user_sectors(); }
  Task<Status> format() override { return layer_->format(); }
  Task<Status> recover() override { return layer_->recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) override { return layer_->read(run, data); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override {
    if (ok(refusal_.answer) || refusal_.times == 0) return layer_->write(run, data, options);
    --refusal_.times;
    return refused();
  }
  Task<Status> flush() override { return layer_->flush(); }
  Task<Status> trim(LogicalRun run) override { return layer_->trim(run); }
  void prefill(std::uint64_t sectors) override { layer_->prefill(sectors); }
  void report(MetricSet& metrics) const override { layer_->report(metrics); }

 private:
  Task<Status> refused() {
    const Status answer = refusal_.answer;
    const Picoseconds later = cpu_.now() + 1_ms;
    co_await cpu_.sleep_until(later);
    co_return answer;
  }

  std::unique_ptr<TranslationLayer> layer_;
  CpuPort& cpu_;
  Refusal& refusal_;
};

class FailingCmrFactory final : public LayerFactory {
 public:
  explicit FailingCmrFactory(Refusal& refusal) : refusal_(refusal) {}
  [[nodiscard]] std::string name() const override { return "failing"; }
  [[nodiscard]] std::string summary() const override { return ""; }
  void describe(ParameterVisitor& visitor) override { cmr_->describe(visitor); }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return cmr_->plan(geometry, problem);
  }
  [[nodiscard]] std::unique_ptr<TranslationLayer> make(const Ports& ports, const DriveGeometry& geometry,
                                                       const FormatPlan& plan) const override {
    return std::make_unique<FailingCmr>(cmr_->make(ports, geometry, plan), ports.cpu, refusal_);
  }

 private:
  std::unique_ptr<LayerFactory> cmr_ = make_cmr_factory();
  Refusal& refusal_;
};

FirmwareConfig cache(std::uint64_t sectors, CacheDurability durability, DestageOrder order) {
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(sectors * 4096);
  config.write_cache.durability = durability;
  config.write_cache.order = order;
  return config;
}

constexpr std::uint32_t depth = 32;

BenchConfig promising(CacheDurability durability) {
  BenchConfig config = small_drive();
  config.host.tags = depth;
  if (durability == CacheDurability::volatile_memory) config.promise = DurabilityPromise::flushed;
  return config;
}

const std::map<std::string, double> journal_of_two_tracks{{"journal_tracks", 2}};

TestDrive drive_above(Refusal& refusal, std::uint64_t sectors, CacheDurability durability, DestageOrder order = DestageOrder::elevator) {
  return {std::make_unique<FailingCmrFactory>(refusal), journal_of_two_tracks, promising(durability), cache(sectors, durability, order)};
}

Status write_sectors(TestDrive& drive, std::uint64_t first, std::uint32_t count) {
  return drive->write(first * blocks_per_sector, count * blocks_per_sector);
}

constexpr CacheDurability all_durabilities[] = {CacheDurability::plp, CacheDurability::journal, CacheDurability::volatile_memory};
constexpr DestageOrder all_orders[] = {DestageOrder::elevator, DestageOrder::first_come, DestageOrder::positioning};
constexpr Status all_refusals[] = {Status::read_only, Status::media_error, Status::no_space};

}  // namespace

TEST_CASE("write cache: a destage that fails in passing is tried again, and nobody notices") {
  for (const CacheDurability durability : all_durabilities) {
    Refusal refusal;
    TestDrive drive = drive_above(refusal, 64, durability);
    REQUIRE(write_sectors(drive, 5, 3) == Status::ok);
    refusal = {Status::media_error, 2};
    REQUIRE(drive->flush() == Status::ok);
    drive->run_until_idle(10_s);
    CHECK(refusal.times == 0);
    CHECK(drive.metric("cache.unwritten") == 0);
    CHECK(drive.metric("cache.destaged") == 3);
    CHECK(write_sectors(drive, 5, 3) == Status::ok);
    CHECK(drive->flush() == Status::ok);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("write cache: what the layer below does not take stays readable, also after cuts, while FLUSH and writes say so") {
  for (const CacheDurability durability : all_durabilities)
    for (const DestageOrder order : all_orders)
      for (const Status answer : all_refusals) {
        INFO("durability " << static_cast<int>(durability) << ", order " << static_cast<int>(order) << ", " << to_string(answer));
        Refusal refusal;
        TestDrive drive = drive_above(refusal, 24, durability, order);
        REQUIRE(write_sectors(drive, 0, 10) == Status::ok);
        drive->run_until_idle(10_s);
        refusal.answer = answer;
        REQUIRE(write_sectors(drive, 3, 6) == Status::ok);
        REQUIRE(write_sectors(drive, 40, 2) == Status::ok);
        drive->run_until_idle(10_s);
        REQUIRE(drive.firmware().idle());
        CHECK(drive.metric("cache.unwritten") == 8);
        for (int time = 0; time < 2; ++time) {
          CHECK(drive->flush() == answer);
          CHECK(write_sectors(drive, 60, 1) == Status::read_only);
          CHECK(write_sectors(drive, 4, 1) == Status::read_only);
        }
        CHECK(drive.wrong_blocks() == 0);

        drive->cut_now();
        REQUIRE(drive->boot_status() == Status::ok);
        CHECK(drive.wrong_blocks() == 0);
        drive->run_until_idle(10_s);
        REQUIRE(drive.firmware().idle());
        const bool kept = durability != CacheDurability::volatile_memory;
        const double again = durability == CacheDurability::journal ? 4 : 0;  // of the journal's 12 sectors these were home before
        CHECK(drive.metric("cache.unwritten") == (kept ? 8 + again : 0));
        CHECK(drive->flush() == (kept ? answer : Status::ok));

        // The layer below takes writes again at the next boot.
        refusal = {};
        drive->cut_now();
        REQUIRE(drive->boot_status() == Status::ok);
        REQUIRE(write_sectors(drive, 60, 1) == Status::ok);
        REQUIRE(drive->flush() == Status::ok);
        drive->run_until_idle(10_s);
        CHECK(drive.metric("cache.unwritten") == 0);
        CHECK(drive.wrong_blocks() == 0);
      }
}

TEST_CASE("write cache: writes that wait for slots or for room in the journal are answered when destaging ends") {
  for (const CacheDurability durability : all_durabilities)
    for (const DestageOrder order : all_orders) {
      Refusal refusal;
      TestDrive drive = drive_above(refusal, 24, durability, order);
      REQUIRE(write_sectors(drive, 0, 10) == Status::ok);
      drive->run_until_idle(10_s);
      refusal.answer = Status::read_only;
      std::vector<HostRequest*> writes;
      for (std::uint64_t i = 0; i < depth - 1; ++i)
        writes.push_back(&drive->submit(HostOp::write, i * 13 % 200 * blocks_per_sector, 4 * blocks_per_sector));
      HostRequest& flush = drive->submit(HostOp::flush, 0, 0);
      drive->run_until_all_done();
      CHECK(writes.front()->status == Status::ok);
      CHECK(writes.back()->status == Status::read_only);
      CHECK(flush.status == (durability == CacheDurability::journal ? Status::ok : Status::read_only));
      drive->run_until_idle(10_s);
      REQUIRE(drive.firmware().idle());
      CHECK(drive.wrong_blocks() == 0);
      drive->cut_now();
      REQUIRE(drive->boot_status() == Status::ok);
      CHECK(drive.wrong_blocks() == 0);
    }
}

TEST_CASE("write cache: FUA writes behind the end of destaging are refused, and what they would have replaced stays") {
  for (const CacheDurability durability : all_durabilities)
    for (const bool dirty : {true, false}) {
      INFO("durability " << static_cast<int>(durability) << (dirty ? ", over sectors that wait" : ", over sectors that are home"));
      Refusal refusal;
      TestDrive drive = drive_above(refusal, 24, durability);
      REQUIRE(write_sectors(drive, 0, 4) == Status::ok);
      REQUIRE(drive->flush() == Status::ok);
      drive->run_until_idle(10_s);
      refusal.answer = Status::read_only;
      REQUIRE(write_sectors(drive, dirty ? 0 : 40, 4) == Status::ok);
      drive->run_until_idle(10_s);
      for (int i = 0; i < 2; ++i) CHECK(drive->write(0, 4 * blocks_per_sector, true) == Status::read_only);
      CHECK(drive->read(0, 4 * blocks_per_sector) == Status::ok);
      CHECK(drive.metric("cache.unwritten") == 4);
      CHECK(drive.wrong_blocks() == 0);
      drive->cut_now();
      REQUIRE(drive->boot_status() == Status::ok);
      CHECK(drive.wrong_blocks() == 0);
    }
}

TEST_CASE("write cache: random traffic with cuts on a drive that runs out of spares, and after, keeps every promise") {
  for (const CacheDurability durability : all_durabilities)
    for (const DestageOrder order : all_orders)
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        INFO("durability " << static_cast<int>(durability) << ", order " << static_cast<int>(order) << ", seed " << seed);
        BenchConfig bench = promising(durability);
        bench.seed = seed;
        bench.media.spare_tracks = 1;
        bench.media.write_faults_per_million = 500'000;
        FirmwareConfig firmware = cache(seed % 2 == 0 ? 24 : 64, durability, order);
        firmware.defects.write_retries = 1;
        TestDrive drive(make_cmr_factory(), journal_of_two_tracks, bench, firmware);
        RandomStream random(seed, "read-only end of the write cache");
        for (int cut = 0; cut < 12; ++cut) {
          for (std::uint64_t requests = pick(random, 1, 2 * depth); requests > 0; --requests) {
            const std::uint64_t kind = random.below(12);
            const auto count = static_cast<std::uint32_t>(pick(random, 1, 20));
            const std::uint64_t first = random.below(drive.user_sectors() - count) * blocks_per_sector;
            const HostOp op = kind == 0 ? HostOp::flush : kind == 1 ? HostOp::trim : kind < 4 ? HostOp::read : HostOp::write;
            drive->submit(op, op == HostOp::flush ? 0 : first, op == HostOp::flush ? 0 : count * blocks_per_sector, kind == 4);
          }
          if (random.below(3) != 0) {
            drive->run_until_all_done();
            if (random.below(2) == 0) {
              drive->run_until_idle(1000_s);
              REQUIRE(drive.firmware().idle());
            }
            REQUIRE(drive.wrong_blocks() == 0);
          }
          drive->cut_after_actions(random.below(800));
          REQUIRE(drive->boot_status() == Status::ok);
          REQUIRE(drive.wrong_blocks() == 0);
        }
        CHECK(drive.metric("defects.read_only") == 1);
      }
}
