// Power cuts at every instant of chosen moments.
#include "support/cut_everywhere.hpp"
#include "support/unreadable_sectors.hpp"
#include "tiers_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

void write_here_and_there(TiersDrive& drive) {
  for (const auto& [sector, count] : {std::pair{130, 3}, {9, 9}, {0, 2}, {44, 5}})
    drive.write(static_cast<std::uint64_t>(sector), static_cast<std::uint32_t>(count));
}

}  // namespace

TEST_CASE("a cut at any instant of the destages of a flush loses nothing") {
  TiersSetup setup;
  setup.prefilled = 240;
  const auto begin = [](TiersDrive& drive) {
    for (std::uint64_t i = 0; i < 14; ++i) drive.write(24 * (i % 7) + 2 * i, 1 + static_cast<std::uint32_t>(i % 2));
    drive.bench().submit(HostOp::flush, 0, 0);
  };
  CHECK(cut_everywhere<TiersDrive>(setup, begin, write_here_and_there) > 10);
}

TEST_CASE("a cut at any instant of a forced write over what the buffer holds loses nothing") {
  TiersSetup setup;
  setup.prefilled = 240;
  const auto begin = [](TiersDrive& drive) {
    drive.write(30, 6);
    drive.bench().submit(HostOp::write, 32 * 8, 10 * 8, true);
    drive.bench().submit(HostOp::write, 36 * 8, 2 * 8);
  };
  CHECK(cut_everywhere<TiersDrive>(setup, begin, write_here_and_there) > 2);
}

TEST_CASE("one sector of tessera that cannot be read costs its data at most, wherever it lies") {
  TiersSetup setup;
  setup.layer.merge_buffer = sectors(8);
  setup.layer.packet_writes = 1;
  setup.layer.checkpoint_every = 4;
  setup.layer.buffer = sectors(8);
  setup.layer.destage_run = sectors(4);
  one_unreadable_sector([&setup] { return std::make_unique<TiersDrive>(setup); }, {.longest = 120, .cuts = 2, .requests = 20});
}
