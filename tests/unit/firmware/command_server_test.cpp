// The command server: unaligned writes, TRIM, addresses past the end.
#include <catch2/catch.hpp>

#include "firmware/command_server.hpp"
#include "firmware/layers/cmr/cmr_layer.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// Counts the sectors about which it is asked whether it holds them: each second one, or all.
class AskedLayer final : public TranslationLayer {
 public:
  AskedLayer(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan, std::uint32_t apart)
      : inner_(ports, {}, geometry, plan), apart_(apart) {}
  [[nodiscard]] std::uint64_t user_sectors() const override { return inner_.user_sectors(); }
  Task<Status> format() override { return inner_.format(); }
  Task<Status> recover() override { return inner_.recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) override { return inner_.read(run, data); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override { return inner_.write(run, data, options); }
  Task<Status> flush() override { return inner_.flush(); }
  void prefill(std::uint64_t) override {}
  void report(MetricSet&) const override {}
  [[nodiscard]] LogicalRun first_held(LogicalRun run) override {
    asked += run.count;
    if (apart_ == 1) return run;
    const LogicalSector next((run.first.value() + apart_ - 1) / apart_ * apart_);
    return next < run.end() ? LogicalRun{next, 1} : LogicalRun{run.end(), 0};
  }

  std::uint64_t asked = 0;

 private:
  Cmr inner_;
  std::uint32_t apart_;
};

class AskedEntry final : public FirmwareEntry {
 public:
  AskedEntry(const Ports& ports, std::unique_ptr<AskedLayer> layer)
      : layer_(std::move(layer)), server_(ports, *layer_, {}, nullptr, true) {}
  [[nodiscard]] Task<Status> boot(bool after_power_cut) override { return server_.boot(after_power_cut); }
  [[nodiscard]] Task<void> serve(HostCommand& command) override { return server_.serve(command); }
  [[nodiscard]] bool idle() const override { return server_.idle(); }
  [[nodiscard]] std::uint64_t asked() const { return layer_->asked; }

 private:
  std::unique_ptr<AskedLayer> layer_;
  CommandServer server_;
};

/// Sectors that a TRIM of so many asks its layer about, per sector.
double asked_by_trim(std::uint32_t sectors, std::uint32_t apart) {
  BenchConfig config = small_drive();
  config.media.tracks = 1000;
  const DriveGeometry geometry = geometry_of(config.media);
  std::string problem;
  config.plan = make_cmr_factory()->plan(geometry, problem);
  REQUIRE(problem.empty());
  const AskedEntry* entry = nullptr;
  FirmwareBench bench(config, [&](const Ports& ports) {
    auto made = std::make_unique<AskedEntry>(ports, std::make_unique<AskedLayer>(ports, geometry, config.plan, apart));
    entry = made.get();
    return made;
  });
  REQUIRE(bench.trim(0, sectors * blocks_per_sector) == Status::ok);
  return static_cast<double>(entry->asked()) / sectors;
}

}  // namespace

TEST_CASE("command server: every alignment of a write keeps the blocks around it, and reads only the edges it needs") {
  for (std::uint64_t head = 0; head < 8; ++head) {
    for (std::uint32_t count = 1; count <= 26; ++count) {
      TestDrive drive(make_cmr_factory(), {});
      REQUIRE(drive->write(8, 40) == Status::ok);
      drive->steps.clear();
      REQUIRE(drive->write(8 + head, count) == Status::ok);
      const bool first_cut = head != 0;
      const bool last_cut = (head + count) % 8 != 0;
      const std::uint64_t sectors = (head + count + 7) / 8;
      const std::uint64_t edges = sectors == 1 ? (first_cut || last_cut ? 1U : 0U) : (first_cut ? 1U : 0U) + (last_cut ? 1U : 0U);
      std::uint64_t read = 0;
      for (const auto& step : drive->steps) read += step.op == MediaOp::read ? step.run.count : 0;
      CHECK(read == edges);
      CHECK(drive.metric("unaligned.rmw") == (edges != 0 ? 1 : 0));
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("command server: unaligned writes to one sector at once do not lose each other's blocks") {
  TestDrive drive(make_cmr_factory(), {});
  for (std::uint64_t block = 0; block < 24; ++block) drive->submit(HostOp::write, block, 1);
  drive->run_until_all_done();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("command server: an unaligned write gives its buffer back") {
  BenchConfig config = small_drive();
  config.controller.staging_buffer = Bytes(2 * 4096);  // what one such write needs
  TestDrive drive(make_cmr_factory(), {}, config);
  for (std::uint64_t sector = 0; sector < 4; ++sector) {
    const HostRequest& request = drive->submit(HostOp::write, sector * blocks_per_sector + 1, 3);
    drive->run_for(1_s);
    REQUIRE(FirmwareBench::done(request));
  }
}

TEST_CASE("command server: the last block is served, one past it is refused") {
  TestDrive drive(make_cmr_factory(), {});
  const std::uint64_t end = drive.firmware().user_sectors() * blocks_per_sector;
  CHECK(drive->write(end - 1, 1) == Status::ok);
  CHECK(drive->read(end - 8, 8) == Status::ok);
  CHECK(drive->write(end - 1, 2) == Status::rule_violation);
  CHECK(drive->read(end, 1) == Status::rule_violation);
}

TEST_CASE("command server: TRIM leaves partly covered sectors alone") {
  TestDrive drive(make_cmr_factory(), {});
  REQUIRE(drive->write(0, 32) == Status::ok);
  CHECK(drive->trim(3, 4) == Status::ok);
  CHECK(drive->trim(3, 26) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("command server: a TRIM to zeros asks as often per sector whether the layer holds it, however long it is") {
  const std::uint32_t apart = GENERATE(1U, 64U);
  const double of_short = asked_by_trim(1024, apart);
  CHECK(of_short >= 1);
  CHECK(asked_by_trim(15 * 1024, apart) < 1.5 * of_short);
}
