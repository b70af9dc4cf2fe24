// Power cuts at every instant of chosen moments: whatever was acknowledged is there.
#include "hwsr_drive.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Cuts `operation` behind `prepare` at every instant.
template <class Prepare, class Operation>
std::uint64_t cut_everywhere(const HwsrSetup& setup, Prepare prepare, Operation operation) {
  const auto begin = [&](HwsrDrive& drive) {
    prepare(drive);
    operation(drive);
  };
  const auto go_on = [](HwsrDrive& drive) {
    for (const auto& [segment, index] : {std::pair{0, 3}, {7, 1}, {2, 0}, {0, 3}, {5, 2}, {0, 0}})
      drive.write(drive.at(static_cast<std::uint64_t>(segment), static_cast<std::uint32_t>(index)));
  };
  return test::cut_everywhere<HwsrDrive>(setup, begin, go_on);
}

void fill_segment(HwsrDrive& drive, std::uint64_t segment) {
  drive.write(drive.at(segment, 0), 8);
  drive.flush();
}

/// A journal on flash of four sectors a page.
HwsrSetup journal_of_shared_pages() {
  HwsrSetup setup;
  setup.bench.nand->subpages = 4;
  setup.bench.nand->page_size = Bytes(16384);
  setup.bench.nand->oob_size = Bytes(2048);
  setup.layer.caches.durability = BufferDurability::journal;
  setup.buffer_blocks(12);
  setup.layer.caches.journal = setup.layer.caches.journal * 4;
  setup.layer.caches.rewrite_journal = setup.layer.caches.rewrite_journal * 4;
  return setup;
}

}  // namespace

TEST_CASE("a cut at any instant of a rewrite loses nothing") {
  HwsrSetup setup;
  setup.layer.caches.durability = static_cast<BufferDurability>(GENERATE(0, 1));
  const auto prepare = [](HwsrDrive& drive) {
    fill_segment(drive, 4);
    for (std::uint64_t segment : {4, 1, 2, 3}) drive.write(drive.at(segment, 1));
  };
  const auto operation = [](HwsrDrive& drive) { drive.bench().submit(HostOp::write, drive.at(8, 2) * 8, 16); };
  CHECK(cut_everywhere(setup, prepare, operation) > 15);
}

TEST_CASE("a cut at any instant of a rewrite that the dump guards loses nothing") {
  HwsrSetup setup;
  setup.layer.caches.rewrite_guard = RewriteGuard::dump;
  const auto prepare = [](HwsrDrive& drive) { fill_segment(drive, 4); };
  const auto operation = [](HwsrDrive& drive) { drive.bench().submit(HostOp::write, drive.at(4, 1) * 8 + 8, 8, true); };
  CHECK(cut_everywhere(setup, prepare, operation) > 8);
}

TEST_CASE("a cut at any instant of a rewrite, with a buffer that promises what was flushed, keeps that") {
  HwsrSetup setup;
  setup.layer.caches.durability = BufferDurability::volatile_memory;
  setup.bench.promise = DurabilityPromise::flushed;
  const auto prepare = [](HwsrDrive& drive) {
    fill_segment(drive, 4);
    fill_segment(drive, 5);
    drive.write(drive.at(4, 0), 2);
    drive.write(drive.at(5, 2), 2);
  };
  const auto operation = [](HwsrDrive& drive) { drive.bench().submit(HostOp::flush, 0, 0); };
  CHECK(cut_everywhere(setup, prepare, operation) > 15);
}

TEST_CASE("a cut at any instant of journalled writes loses nothing, also when the journal is full") {
  HwsrSetup setup;
  setup.layer.caches.durability = BufferDurability::journal;
  setup.buffer_blocks(12);
  setup.layer.caches.journal = Bytes(5 * 8 * sector_bytes);  // five rows, two of them for use
  const auto prepare = [](HwsrDrive& drive) {
    for (std::uint64_t i = 0; i < 9; ++i) drive.write(drive.at(i % 5, static_cast<std::uint32_t>(i % 4)), 2);
  };
  const auto operation = [](HwsrDrive& drive) {
    drive.bench().submit(HostOp::write, drive.at(8, 2) * 8, 16);
    drive.bench().submit(HostOp::write, drive.at(0, 0) * 8, 16);
  };
  CHECK(cut_everywhere(setup, prepare, operation) > 10);
}

TEST_CASE("journalled writes that wait behind another one fill its page, and a cut at any instant loses none of them") {
  // Four sectors a page. The first write goes alone, three sectors of its page stay blank; the second one finds two behind it, of three
  // sectors in all, and the last one goes alone again.
  const HwsrSetup setup = journal_of_shared_pages();
  const auto operation = [](HwsrDrive& drive) {
    for (const auto& [segment, count] : {std::pair{0, 1}, {1, 1}, {2, 2}, {3, 1}, {5, 2}})
      drive.bench().submit(HostOp::write, drive.at(static_cast<std::uint64_t>(segment), 0) * 8, static_cast<std::uint32_t>(count) * 8);
  };
  HwsrDrive drive(setup);
  operation(drive);
  drive.bench().run_until_all_done();
  CHECK(drive.metric("flash.collected") == 3);
  CHECK(drive.bench().metric("nand.programs") == 3);
  CHECK(drive.bench().metric("nand.padding") == 3 * 4 - 7);
  CHECK(cut_everywhere(
            setup, [](HwsrDrive&) {}, operation) > 10);
}

TEST_CASE("a page that was lost of an append that others took along is known to be lost") {
  // The second write has five sectors, four in one page and one in the next, which the third write fills. A fourth says that both are
  // complete. The page of four is then lost: these are lost, and the fifth is not.
  HwsrSetup setup = journal_of_shared_pages();
  const auto write = [](HwsrDrive& drive) {
    for (const auto& [segment, count] : {std::pair{0, 1}, {1, 5}, {2, 3}})
      drive.bench().submit(HostOp::write, drive.at(static_cast<std::uint64_t>(segment), 0) * 8, static_cast<std::uint32_t>(count) * 8);
    drive.bench().run_until_all_done();
    drive.write(drive.at(3, 0));
  };
  HwsrDrive first(setup);
  write(first);
  std::vector<double> programmed;
  for (const FirmwareBench::FlashRecord& record : first.bench().flash_commands)
    if (record.op == FlashOp::program) programmed.push_back(static_cast<double>(record.page.value()));
  REQUIRE(programmed.size() == 4);
  // The read of the page fails, and so does that of each of its sectors when it is tried again.
  for (const double nth : {1, 2, 3, 4, 5}) setup.bench.nand->read_failures.push_back({programmed[1], nth});
  HwsrDrive drive(setup);
  write(drive);
  drive.cut_now();
  for (std::uint64_t sector = 0; sector < 4; ++sector) CHECK(drive.bench().read((drive.at(1, 0) + sector) * 8, 8) != Status::ok);
  CHECK(drive.bench().read((drive.at(1, 0) + 4) * 8, 8) == Status::ok);
  drive.bench().verify_all();
  CHECK(drive.bench().scoreboard().errors() == 0);
}

TEST_CASE("cut after cut in the same place of a rewrite leaves its journal room for the next image") {
  HwsrSetup setup;
  setup.layer.caches.rewrite_journal = Bytes(5 * 8 * sector_bytes);  // five rows, an image takes one
  for (std::uint64_t actions = 1; actions < 40; ++actions) {
    INFO("cut after " << actions);
    HwsrDrive drive(setup);
    fill_segment(drive, 4);
    for (int cut = 0; cut < 6; ++cut) {
      drive.bench().submit(HostOp::write, drive.at(4, 0) * 8, 16, true);
      drive.bench().cut_after_actions(actions);
      REQUIRE(drive.bench().boot_status() == Status::ok);
    }
    drive.write(drive.at(4, 0), 2, true);
    drive.check_content();
  }
}

TEST_CASE("a write that finds the journal full while all that it guards is on its way to the disk waits for that") {
  HwsrSetup setup;
  setup.block_sectors(4);
  setup.buffer_blocks(4);
  setup.layer.caches.durability = BufferDurability::journal;
  setup.layer.caches.journal = Bytes(5 * 8 * sector_bytes);
  HwsrDrive drive(setup);
  for (int round = 0; round < 60; ++round) {  // three sectors of one block at a time, again and again
    for (std::uint64_t sector = 0; sector < 3; ++sector) drive.bench().submit(HostOp::write, (drive.at(0, 0) + sector) * 8, 8);
    drive.bench().run_until_all_done();
  }
  CHECK(drive.metric("cleaning.count") > 5);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a cut at any instant loses nothing where the sector under the head is old, new or either") {
  HwsrSetup setup;
  setup.bench.media.powerfail_sector = GENERATE(PowerfailSector::atomic_old, PowerfailSector::atomic_new);
  const auto prepare = [](HwsrDrive& drive) { fill_segment(drive, 4); };
  const auto operation = [](HwsrDrive& drive) { drive.bench().submit(HostOp::write, drive.at(4, 0) * 8, 16, true); };
  CHECK(cut_everywhere(setup, prepare, operation) > 15);
}

TEST_CASE("as published, a cut in a rewrite loses data that nobody was writing") {
  // The paper rewrites in place: between the first write and the last, blocks behind are destroyed.
  HwsrSetup setup;
  setup.layer.caches.paper = true;
  setup.bench.promise = DurabilityPromise::flushed;
  std::uint64_t losses = 0;
  for (std::uint64_t actions = 0;; ++actions) {
    HwsrDrive drive(setup);
    fill_segment(drive, 4);
    drive.bench().submit(HostOp::write, drive.at(4, 0) * 8, 16, true);
    const bool cut = drive.bench().cut_after_actions(actions);
    drive.bench().verify_all();
    losses += drive.bench().unreadable_blocks();
    if (!cut) break;
  }
  CHECK(losses > 0);
}

TEST_CASE("a failed program of a journal is repeated in the next row") {
  HwsrSetup setup;
  setup.layer.caches.durability = BufferDurability::journal;
  setup.bench.nand->program_failures = {{1, 2}, {17, 1}, {20, 3}, {40, 1}};
  HwsrDrive drive(setup);
  for (std::uint64_t i = 0; i < 60; ++i) drive.write(drive.at(i * 7 % 24, static_cast<std::uint32_t>(i % 4)), 2);
  for (const std::uint64_t block : {17, 20}) {  // of the journal of writes, which has gone round: what failed is not taken again
    const auto erased = [block](const FirmwareBench::FlashRecord& record) {
      return record.op == FlashOp::erase && record.block.value() == block;
    };
    CHECK(std::ranges::count_if(drive.bench().flash_commands, erased) == 1);
  }
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

/// A write of two segments, of which the buffer holds one: boot replays the first, puts it on the disk, and goes on with the second.
TEST_CASE("a second cut while the journal is replayed loses nothing of what has not been replayed yet") {
  HwsrSetup setup;
  setup.layer.caches.durability = BufferDurability::journal;
  std::size_t least = ~std::size_t{0};
  std::size_t most = 0;
  for (std::uint64_t actions = 0; actions < 400; ++actions) {
    INFO("again after " << actions);
    HwsrDrive drive(setup);
    drive.write(drive.at(0, 0), 16);
    drive.bench().steps.clear();
    drive.bench().cut_twice(actions);
    REQUIRE(drive.bench().boot_status() == Status::ok);
    least = std::min(least, drive.steps(MediaOp::write));
    most = std::max(most, drive.steps(MediaOp::write));
    drive.check_content();
  }
  CHECK(most > least);  // cuts came behind writes of the first boot
}

TEST_CASE("with too few flash blocks left to guard rewrites the drive refuses writes and keeps what it has") {
  HwsrSetup setup;
  setup.layer.caches.rewrite_journal = Bytes(2 * 5 * 4 * sector_bytes);  // five rows, and one image fits two
  for (std::uint64_t block = 0; block < 10; ++block) setup.bench.nand->program_failures.push_back({static_cast<double>(block), 9});
  HwsrDrive drive(setup);
  bool refused = false;
  for (std::uint64_t i = 0; i < 60 && !refused; ++i) refused = drive.bench().write(drive.at(i % 24, 1) * 8, 16) != Status::ok;
  CHECK(refused);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}
