// Superblocks under power cuts alone: each tears the sector that it finds under the head, and none takes what was durable.
#include "firmware/logs/superblock.hpp"

#include <catch2/catch.hpp>

#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Four sectors. A cut tears the write that is the `cut`-th from now on, and no later one is made.
class TornSectors final : public MediaPort {
 public:
  static constexpr int never = 1000;
  explicit TornSectors(FakeCpu& cpu) : cpu_(cpu) {}
  void cut_at(int write) { left_ = write; }

  void submit(MediaChain& chain) override {
    for (const MediaStep& step : chain.steps()) {
      chain.status = step.op == MediaOp::write ? write(step) : read(step);
      if (!ok(chain.status)) break;
      ++chain.steps_done;
    }
    cpu_.make_ready(chain.wait);
  }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack) const override { return Superblock::sectors; }

 private:
  struct Sector {
    SectorHeader header{};
    bool torn = false;
  };
  Status write(const MediaStep& step) {
    if (left_ < 0) return Status::aborted;
    sectors_[step.run.first] = {*step.header, left_ == 0};
    return left_-- == 0 ? Status::aborted : Status::ok;
  }
  Status read(const MediaStep& step) {
    const Sector& sector = sectors_[step.run.first];
    *step.header = sector.torn ? SectorHeader{} : sector.header;
    return sector.torn ? Status::media_error : Status::ok;
  }

  FakeCpu& cpu_;
  std::array<Sector, Superblock::sectors> sectors_{};
  int left_ = never;
};

Task<void> write(Superblock& superblock, Status& status) { status = co_await superblock.write({}); }
Task<void> load(Superblock& superblock, Status& status) { status = co_await superblock.load(); }

constexpr Superblock::Places places{PhysicalRun{{0, 0}, 0, 1}, PhysicalRun{{0, 0}, 1, 1}, PhysicalRun{{0, 0}, 2, 1},
                                    PhysicalRun{{0, 0}, 3, 1}};

}  // namespace

TEST_CASE("any six writes of a superblock, whole or ended by a cut at either copy, leave the last durable generation or a later one") {
  constexpr int kinds = 3;  // a cut at the first copy, at the second, none
  constexpr int histories = kinds * kinds * kinds * kinds * kinds * kinds;
  for (int history = 0; history < histories; ++history) {
    INFO("history " << history);
    FakeCpu cpu;
    TornSectors media(cpu);
    auto superblock = std::make_unique<Superblock>(media, places);
    Status status = Status::ok;
    cpu.spawn(write(*superblock, status));  // the format
    cpu.run();
    REQUIRE(ok(status));
    std::uint64_t durable = superblock->generation();
    for (int rest = history, step = 0; step < 6; ++step, rest /= kinds) {
      const int cut = rest % kinds;
      media.cut_at(cut == kinds - 1 ? TornSectors::never : cut);
      cpu.spawn(write(*superblock, status));
      cpu.run();
      if (ok(status)) durable = superblock->generation();
      REQUIRE(ok(status) == (cut == kinds - 1));
      if (ok(status)) continue;
      media.cut_at(TornSectors::never);
      superblock = std::make_unique<Superblock>(media, places);
      cpu.spawn(load(*superblock, status));
      cpu.run();
      REQUIRE(ok(status));
      REQUIRE(superblock->generation() >= durable);
      REQUIRE(superblock->generation() <= durable + 1);
      durable = superblock->generation();
    }
  }
}
