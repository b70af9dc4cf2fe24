// Drives without spare sectors, of layers whose tracks overlap: what cannot be written is lost alone.
#include "firmware/defects/faulty_writes.hpp"

#include <catch2/catch.hpp>

#include <numeric>

#include "firmware/layers/cmr/cmr_layer.hpp"
#include "firmware/layers/configured_factory.hpp"
#include "unit/defects/turn_layer.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// The simplest of layers, as if its tracks overlapped: logical sector n lies at radius n / 16, sector n % 16.
class PlainFactory final : public ConfiguredFactory<Cmr, CmrConfig> {
 public:
  PlainFactory() : ConfiguredFactory("plain", "identity mapping") {}
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string&) const override {
    return {{.name = "data", .count = geometry.radii()}};
  }
};

BenchConfig without_spares(std::vector<NumberRow> faults = {}) {
  BenchConfig config = small_drive();
  config.media.spare_tracks = 0;
  config.media.write_fault_sectors = std::move(faults);
  return config;
}

struct PlainDrive : TestDrive {
  explicit PlainDrive(const BenchConfig& config) : TestDrive(std::make_unique<PlainFactory>(), {}, config) {}
  Status write(std::uint64_t sector, std::uint32_t count) { return bench().write(sector * blocks_per_sector, count * blocks_per_sector); }
  /// Those of [first, first + count) that cannot be read.
  std::vector<std::uint64_t> unreadable(std::uint64_t first, std::uint32_t count) {
    std::vector<std::uint64_t> found;
    for (std::uint64_t sector = first; sector < first + count; ++sector)
      if (!ok(bench().read(sector * blocks_per_sector, blocks_per_sector))) found.push_back(sector);
    return found;
  }
};

/// A drive whose firmware carries out one chain when it boots, and has nobody but FaultyWrites to look after errors.
class ChainDrive {
 public:
  using Fill = std::function<void(MediaChain& chain, DataBuffer& buffer)>;

  ChainDrive(BenchConfig config, LostSectors lost, Fill fill) : lost_(lost), fill_(std::move(fill)) {
    config.plan = {{.name = "data", .count = config.media.tracks}};
    bench_ = std::make_unique<FirmwareBench>(config, [this](const Ports& ports) { return std::make_unique<Entry>(*this, ports); });
  }
  [[nodiscard]] Status status() const { return bench_->boot_status(); }
  [[nodiscard]] std::uint32_t steps_done() const { return steps_done_; }
  [[nodiscard]] FirmwareBench& bench() { return *bench_; }
  /// What the sector holds of the firmware's own bytes: their first one.
  [[nodiscard]] int byte_at(std::uint32_t radius, std::uint32_t sector) const {
    std::vector<std::byte> bytes(4096);
    static_cast<void>(bench_->media().content().read_system(radius, sector, 1, bytes));
    return std::to_integer<int>(bytes.front());
  }
  [[nodiscard]] Status status_at(std::uint32_t radius, std::uint32_t sector) const {
    return bench_->media().content().status(radius, sector);
  }

 private:
  struct Entry final : FirmwareEntry {
    Entry(ChainDrive& of, const Ports& p)
        : drive(of), ports(p), supervisor(p.media), buffer(p.memory.reserve_buffer(MemoryCategory::merge_buffer, 64, "sectors")) {}
    [[nodiscard]] Task<Status> boot(bool) override {
      MediaChain chain(MediaClass::host, drive.lost_);
      drive.fill_(chain, buffer);
      const Status status = co_await ports.media.run(chain);
      drive.steps_done_ = chain.steps_done;
      co_return status;
    }
    [[nodiscard]] Task<void> serve(HostCommand&) override { co_return; }
    [[nodiscard]] bool idle() const override { return true; }
    ChainDrive& drive;
    Ports ports;
    FaultyWrites supervisor;
    DataBuffer buffer;
  };

  LostSectors lost_;
  Fill fill_;
  std::uint32_t steps_done_ = 0;
  std::unique_ptr<FirmwareBench> bench_;
};

/// Sectors of firmware's own bytes, each filled with its number, from 1 on.
std::vector<std::byte> numbered(std::uint32_t count) {
  std::vector<std::byte> bytes(std::size_t{count} * 4096);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(1 + i / 4096);
  return bytes;
}

}  // namespace

TEST_CASE("without spares the sectors that stop a write are lost, wherever they lie, and no others of its run") {
  const auto bad = GENERATE(std::vector<std::uint64_t>{16}, std::vector<std::uint64_t>{23}, std::vector<std::uint64_t>{31},
                            std::vector<std::uint64_t>{16, 17, 31}, std::vector<std::uint64_t>{20, 29, 30});
  std::vector<NumberRow> faults;
  for (const std::uint64_t sector : bad) faults.push_back({0, 1, static_cast<double>(sector - 16)});
  PlainDrive drive(without_spares(faults));
  CHECK(drive.write(16, 16) == Status::media_error);
  CHECK(drive.unreadable(16, 16) == bad);
  CHECK(drive.wrong_blocks() == 0);
  REQUIRE(drive.write(32, 16) == Status::ok);
}

TEST_CASE("a track on which no sector can be written ends with its error") {
  std::vector<NumberRow> faults;
  for (double sector = 0; sector < 16; ++sector) faults.push_back({0, 1, sector});
  PlainDrive drive(without_spares(faults));
  CHECK(drive.write(16, 16) == Status::media_error);
  CHECK(drive.unreadable(16, 16).size() == 16);
  REQUIRE(drive.write(32, 16) == Status::ok);
}

TEST_CASE("a write that stopped once and is written when it is begun again is no error") {
  BenchConfig config = without_spares();
  config.media.write_faults_per_million = 5'000;
  PlainDrive drive(config);
  std::uint32_t failed = 0;
  for (std::uint64_t track = 0; track < 32; ++track) failed += ok(drive.write(track * 16, 16)) ? 0 : 1;
  const auto unreadable = static_cast<std::uint32_t>(drive.unreadable(0, 512).size());
  CHECK(drive.metric("media.faults.write") > 0);
  CHECK(failed == 0);
  CHECK(unreadable == 0);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a sector that cannot be written costs few steps: the run is narrowed down, and goes on behind it in one piece") {
  PlainDrive drive(without_spares({{0, 1, 5}}));
  CHECK(drive.write(16, 16) == Status::media_error);
  std::vector<std::uint32_t> first;
  for (const FirmwareBench::StepRecord& step : drive->steps) first.push_back(step.run.first);
  CHECK(first == std::vector<std::uint32_t>{0, 0, 0, 1, 2, 3, 4, 5, 6});
  CHECK(drive->steps.back().run.count == 10);
}

TEST_CASE("no header proves a run whole of which a sector could not be written") {
  const std::uint32_t bad = GENERATE(0U, 3U, 4U, 7U);  // of the run of eight from sector 12 on, which wraps
  TestDrive drive(std::make_unique<TurnFactory>(), {}, without_spares({{0, 1, double((12 + bad) % 16)}}));
  CHECK(drive->write(0, group_blocks) == Status::media_error);  // goes to radius 1
  for (std::uint32_t sector = 0; sector < 16; ++sector) CHECK_FALSE(has_header(drive.bench(), {0, 1}, sector));
  std::vector<std::byte> held(drive->media().content().shape().kept());
  for (std::uint32_t offset = 0; offset < 8; ++offset)
    CHECK(drive->media().content().read(1, (12 + offset) % 16, 1, held) == (offset == bad ? Status::media_error : Status::ok));
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("bytes and headers of the firmware go with their sectors, but for those that cannot be written") {
  std::vector<std::byte> bytes = numbered(16);
  std::array<SectorHeader, 16> headers;
  for (std::size_t i = 0; i < headers.size(); ++i) headers[i].fill(static_cast<std::byte>(100 + i));
  ChainDrive drive(without_spares({{0, 3, 6}}), LostSectors::fail, [&](MediaChain& chain, DataBuffer&) {
    chain.add({MediaOp::write, StepHint::whole_track, {{0, 3}, 0, 16}, {}, bytes, nullptr, headers});
  });
  CHECK(drive.status() == Status::media_error);
  CHECK(drive.steps_done() == 0);
  for (std::uint32_t sector = 0; sector < 16; ++sector) {
    if (sector == 6) continue;
    CHECK(drive.byte_at(3, sector) == static_cast<int>(1 + sector));
    SectorHeader header;
    drive.bench().media().content().read_header(3, sector, header);
    CHECK(header == headers[sector]);
  }
  CHECK(drive.status_at(3, 6) == Status::media_error);
}

TEST_CASE("a chain ends behind the write that failed, with what came before it done") {
  std::vector<std::byte> bytes = numbered(16);
  ChainDrive drive(without_spares({{0, 3, 6}}), LostSectors::fail, [&](MediaChain& chain, DataBuffer&) {
    for (const std::uint32_t radius : {1U, 3U, 5U}) chain.write_system({{0, radius}, 0, 16}, bytes);
  });
  CHECK(drive.status() == Status::media_error);
  CHECK(drive.steps_done() == 1);
  CHECK(drive.byte_at(1, 15) == 16);
  CHECK(drive.byte_at(3, 15) == 16);
  CHECK(drive.byte_at(5, 0) == 0);
}

TEST_CASE("a read that failed ends its chain, or goes on where lost sectors are carried on, as if nobody looked after it") {
  const LostSectors lost = GENERATE(LostSectors::fail, LostSectors::carry);
  const bool faulty = GENERATE(false, true);
  const bool carried = lost == LostSectors::carry;
  BenchConfig config = without_spares(faulty ? std::vector<NumberRow>{{0, 3, 6}} : std::vector<NumberRow>{});
  config.media.unreadable_sectors = {{0, 1, 4}, {0, 2, 2}};
  DataBuffer* read_into = nullptr;
  bool marked = false;
  ChainDrive drive(config, lost, [&](MediaChain& chain, DataBuffer& buffer) {
    read_into = &buffer;
    chain.read({{0, 1}, 0, 16}, buffer.part(0, 16)).read({{0, 2}, 0, 16}, buffer.part(16, 16));
    chain.write({{0, 3}, 0, 16}, buffer.part(0, 16)).write({{0, 4}, 0, 16}, buffer.part(16, 16));
  });
  marked = read_into->is_lost(4);
  CHECK(marked);
  CHECK(read_into->is_lost(18) == carried);
  CHECK(drive.status() == (carried && !faulty ? Status::ok : Status::media_error));
  CHECK(drive.steps_done() == (!carried ? 0 : faulty ? 2 : 4));
  CHECK(drive.status_at(3, 4) == (carried ? Status::lost : Status::ok));
  CHECK(drive.status_at(3, 6) == (carried && faulty ? Status::media_error : Status::ok));
  CHECK(drive.status_at(4, 2) == (carried && !faulty ? Status::lost : Status::ok));
}
