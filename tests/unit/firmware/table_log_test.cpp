// A table's log under power cuts alone: each tears the sector under the head, boots end some of them with a cut of their own, and nothing
// that was durable goes.
#include "firmware/logs/table_log.hpp"

#include <catch2/catch.hpp>

#include <cstring>

#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint32_t sector_bytes = 512;
constexpr std::uint32_t log_sectors = 16;  // room for two changes a half: TableLog::least_sectors()

DriveGeometry geometry() {
  DriveGeometry geometry;
  geometry.sector_bytes = sector_bytes;
  geometry.zones.resize(1);
  geometry.zones[0].radii = 1;
  geometry.zones[0].sectors_per_track = log_sectors;
  return geometry;
}

FormatPlan plan() {
  Region region;
  region.name = "log";
  region.count = 1;
  return {region};
}

/// One track. A cut tears the sector that is the `cut`-th to be written from now on, and no later one is.
class TornTrack final : public MediaPort {
 public:
  static constexpr int never = 1 << 20;
  explicit TornTrack(FakeCpu& cpu) : cpu_(cpu) {}
  void cut_at(int sector) { left_ = sector; }
  [[nodiscard]] bool cut() const { return left_ < 0; }

  void submit(MediaChain& chain) override {
    for (const MediaStep& step : chain.steps()) {
      chain.status = Status::ok;
      for (std::uint32_t i = 0; i < step.run.count; ++i) {
        const Status status = step.op == MediaOp::write ? write(step, i) : read(step, i);
        if (ok(chain.status)) chain.status = status;
      }
      if (!ok(chain.status)) break;
      ++chain.steps_done;
    }
    cpu_.make_ready(chain.wait);
  }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack) const override { return log_sectors; }

 private:
  struct Sector {
    std::array<std::byte, sector_bytes> bytes{};
    SectorHeader header{};
    bool torn = false;
  };
  static SectorHeader* header_of(const MediaStep& step, std::uint32_t i) {
    return !step.headers.empty() ? &step.headers[i] : i + 1 == step.run.count ? step.header : nullptr;
  }
  static std::span<std::byte> bytes_of(const MediaStep& step, std::uint32_t i) {
    return step.system.empty() ? step.system : step.system.subspan(std::size_t{i} * sector_bytes, sector_bytes);
  }
  Status write(const MediaStep& step, std::uint32_t i) {
    if (left_ < 0) return Status::aborted;
    Sector& sector = sectors_[step.run.first + i];
    sector = {};
    sector.torn = left_ == 0;
    if (const SectorHeader* const header = header_of(step, i); header != nullptr) sector.header = *header;
    std::ranges::copy(bytes_of(step, i), sector.bytes.begin());
    return left_-- == 0 ? Status::aborted : Status::ok;
  }
  Status read(const MediaStep& step, std::uint32_t i) const {
    const Sector& sector = sectors_[step.run.first + i];
    if (SectorHeader* const header = header_of(step, i); header != nullptr) *header = sector.torn ? SectorHeader{} : sector.header;
    std::ranges::copy(std::span(sector.bytes).first(bytes_of(step, i).size()), bytes_of(step, i).begin());
    return sector.torn ? Status::media_error : Status::ok;
  }

  FakeCpu& cpu_;
  std::array<Sector, log_sectors> sectors_{};
  int left_ = never;
};

/// A number that only grows.
class Number final : public TableLog::Table {
 public:
  std::uint64_t value = 0;

 private:
  [[nodiscard]] std::uint64_t image_bytes() const override { return sizeof(value); }
  void save(std::span<std::byte> image) const override { std::memcpy(image.data(), &value, sizeof(value)); }
  void load(std::span<const std::byte> image) override { std::memcpy(&value, image.data(), sizeof(value)); }
  void replay(const TableLog::Words& words, std::span<const std::byte>) override { value = words[0]; }
};

struct Drive {
  Drive(TornTrack& media, FakeCpu& cpu)
      : ports{media, nullptr, memory, cpu, host}, log(ports, geometry(), plan(), RecordType::zone_kept, number) {}
  FakeMemory memory;
  FakeHost host;
  Ports ports;
  Number number;
  TableLog log;
};

Task<void> format(Drive& drive, Status& status) { status = co_await drive.log.format(); }
Task<void> append(Drive& drive, Status& status) {
  status = co_await drive.log.append({drive.number.value + 1}, {});
  if (ok(status)) ++drive.number.value;
}
Task<void> boot(Drive& drive, Status& status) {
  status = co_await drive.log.recover();
  if (ok(status)) static_cast<void>(co_await drive.log.repair());
}

}  // namespace

TEST_CASE("a log of a table keeps what was durable through any five changes and boots, each whole or ended by a cut at any sector") {
  constexpr int kinds = 7;  // a cut at one of the first six sectors that are written, or none
  constexpr int steps = 5;
  int histories = 1;
  for (int i = 0; i < steps; ++i) histories *= kinds;
  for (int history = 0; history < histories; ++history) {
    REQUIRE(log_sectors == TableLog::least_sectors(sizeof(std::uint64_t), sector_bytes, 2));
    FakeCpu cpu;
    TornTrack media(cpu);
    auto drive = std::make_unique<Drive>(media, cpu);
    Status status = Status::ok;
    cpu.spawn(format(*drive, status));
    cpu.run();
    std::uint64_t durable = 0;
    std::uint64_t begun = 0;
    bool boots = false;
    for (int rest = history, step = 0; step < steps; ++step, rest /= kinds) {
      media.cut_at(rest % kinds == kinds - 1 ? TornTrack::never : rest % kinds);
      if (boots) drive = std::make_unique<Drive>(media, cpu);
      begun = boots ? begun : durable + 1;
      cpu.spawn(boots ? boot(*drive, status) : append(*drive, status));
      cpu.run();
      boots = media.cut();
      if (boots) continue;
      INFO("history " << history << ", step " << step);
      REQUIRE(ok(status));
      REQUIRE(drive->number.value >= durable);
      REQUIRE(drive->number.value <= begun);
      durable = drive->number.value;
    }
  }
}
