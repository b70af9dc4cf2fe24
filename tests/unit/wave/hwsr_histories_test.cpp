// Random histories of reads, writes, flushes and trims, several at a time, with power cuts, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include "hwsr_drive.hpp"

#include "base/random.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

HwsrSetup random_setup(RandomStream& random) {
  const auto pick = [&](std::uint64_t low, std::uint64_t high) { return static_cast<std::uint32_t>(low + random.below(high - low + 1)); };
  HwsrSetup setup;
  setup.block_sectors(pick(1, 4));
  setup.buffer_blocks(pick(2, 20));
  setup.cache_blocks(pick(0, 3) == 0 ? 0 : pick(4, 20));
  setup.layer.region_tracks = pick(1, 9);
  setup.layer.overlap = pick(1, 4);
  setup.layer.layout = static_cast<WaveVariant>(pick(0, 3) == 0);
  setup.layer.caches.replacement = static_cast<Replacement>(pick(0, 2));
  setup.layer.caches.lwa_window = pick(1, 100);
  setup.layer.caches.durability = static_cast<BufferDurability>(pick(0, 2));
  if (setup.layer.caches.durability == BufferDurability::plp) setup.layer.caches.rewrite_guard = static_cast<RewriteGuard>(pick(0, 1));
  setup.layer.caches.journal_stripe = pick(1, 3);
  setup.layer.caches.fill_buffers = pick(1, 3);
  const std::uint32_t image = setup.layer.region_tracks * static_cast<std::uint32_t>(setup.layer.caches.block.value());
  setup.layer.caches.rewrite_journal = Bytes(2 * image + 5 * 12 * sector_bytes + pick(0, 40) * sector_bytes);
  setup.layer.caches.journal = Bytes((5 * 12 + 16 + pick(0, 40)) * sector_bytes);
  setup.bench.nand->blocks = 500;
  setup.bench.nand->pages_per_block = pick(1, 4);
  setup.bench.media.sectors_per_track = pick(4, 11);
  setup.bench.media.tracks = pick(20, 70);
  setup.bench.media.surfaces = pick(1, 2);
  if (pick(0, 3) == 0) {
    setup.bench.nand->program_failures_per_million = 1000;
    setup.bench.nand->erase_failures_per_million = 1000;
    setup.bench.nand->blocks = 3000;  // journals with rows to lose
    setup.layer.caches.rewrite_journal = Bytes(std::uint64_t{400} * setup.bench.nand->pages_per_block * sector_bytes);
    setup.layer.caches.journal = Bytes(std::uint64_t{400} * setup.bench.nand->pages_per_block * sector_bytes);
    setup.bench.nand->bad_blocks = {{1}, {static_cast<double>(pick(20, 999))}};
  }
  setup.bench.seed = random();
  if (setup.layer.caches.durability == BufferDurability::volatile_memory) setup.bench.promise = DurabilityPromise::flushed;
  setup.prefilled = random.below(2) == 0 ? 0 : ~std::uint64_t{0};
  return setup;
}

void submit_random(HwsrDrive& drive, RandomStream& random) {
  const std::uint64_t user = drive.layer().user_sectors() * 8;
  const std::uint64_t first = random.below(user);
  const auto count = static_cast<std::uint32_t>(1 + random.below(std::min<std::uint64_t>(user - first, random.below(4) == 0 ? 200 : 16)));
  const std::uint64_t kind = random.below(24);
  const HostOp op = kind == 0 ? HostOp::trim : kind == 1 ? HostOp::flush : kind < 10 ? HostOp::read : HostOp::write;
  drive.bench().submit(op, op == HostOp::flush ? 0 : first, op == HostOp::flush ? 0 : count, kind == 23);
}

}  // namespace

TEST_CASE("random requests to hwsr, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 500; ++run) {
    RandomStream random(run, "hwsr histories");
    INFO("run " << run);
    HwsrDrive drive(random_setup(random));
    for (int round = 0; round < 40; ++round) {
      for (std::uint64_t i = 0, depth = 1 + random.below(6); i < depth; ++i) submit_random(drive, random);
      drive.bench().run_until_all_done();
      if (random.below(10) == 0) drive.bench().run_for(Picoseconds(8'000'000'000'000));
    }
    drive.check_content();
  }
}

TEST_CASE("power cuts at random instants of hwsr lose nothing that was promised") {
  for (std::uint64_t run = 0; run < 500; ++run) {
    RandomStream random(run, "hwsr cuts");
    INFO("run " << run);
    HwsrDrive drive(random_setup(random));
    for (int cut = 0; cut < 6; ++cut) {
      for (std::uint64_t i = 0, requests = random.below(40); i < requests; ++i) {
        submit_random(drive, random);
        if (random.below(3) == 0) drive.bench().run_until_all_done();
      }
      drive.bench().cut_after_actions(random.below(300));
      REQUIRE(drive.bench().boot_status() == Status::ok);
      drive.check_content();
    }
  }
}
