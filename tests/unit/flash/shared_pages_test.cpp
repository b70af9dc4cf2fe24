// Pages of four sectors: what a write does not fill is collected or padded.
#include "firmware/flash/shared_pages.hpp"

#include <array>
#include <set>
#include <vector>

#include "flash_drive.hpp"
#include "support/cut_everywhere.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Programs take 1.3 ms and nothing else takes time but the platters.
PoreSetup four_sectors() {
  PoreSetup setup;
  setup.bench.ideal_electronics();
  setup.bench.nand->blocks = 16;
  setup.bench.nand->subpages = 4;
  setup.bench.nand->page_size = Bytes(16384);
  setup.bench.nand->oob_size = Bytes(256);
  return setup;
}

struct Counts {
  std::uint64_t programs;
  double padding;
  double collected;
  bool operator==(const Counts&) const = default;
};

Counts counts(PoreDrive& drive) {
  return {drive.flash(FlashOp::program), drive.bench().metric("nand.padding"), drive.metric("flash.collected")};
}

HostRequest& submit(PoreDrive& drive, std::uint64_t sector, std::uint32_t count = 1) {
  return drive.bench().submit(HostOp::write, sector * blocks_per_sector, count * blocks_per_sector);
}

}  // namespace

TEST_CASE("a write that is alone pads its last page") {
  PoreDrive drive(four_sectors());
  drive.write(0, 6);
  CHECK(counts(drive) == Counts{2, 2, 0});
  drive.write(8);
  CHECK(counts(drive) == Counts{3, 5, 0});
  drive.check_content();
}

TEST_CASE("writes that wait together share a page, and are acknowledged when it is programmed") {
  // The first write finds nothing under way: its page is padded. The other four share the next page, which the last one fills.
  PoreDrive drive(four_sectors());
  std::vector<HostRequest*> writes;
  drive.read(30);
  const Picoseconds begin = drive.bench().now();
  for (std::uint64_t i = 0; i < 5; ++i) writes.push_back(&submit(drive, 2 * i));
  REQUIRE(drive.bench().run_until_done(*writes[0]) == Status::ok);
  CHECK((drive.bench().now() - begin).value() / 1'000'000 == 1300);
  for (std::size_t i = 1; i < 5; ++i) CHECK_FALSE(FirmwareBench::done(*writes[i]));
  drive.bench().run_until_all_done();
  CHECK((drive.bench().now() - begin).value() / 1'000'000 == 2600);
  CHECK(counts(drive) == Counts{2, 3, 3});
  drive.check_content();
}

TEST_CASE("a page that nobody fills waits for the first program under way that ends and no longer") {
  // Die 0 programs the first page until 1.3 ms, die 1 the second, which is full, until 1.4 ms. The third is given to die 0 at 1.3 ms.
  PoreSetup setup = four_sectors();
  setup.bench.nand->dies = setup.cache().parallel = 2;
  PoreDrive drive(setup);
  drive.read(30);
  const Picoseconds begin = drive.bench().now();
  submit(drive, 0);
  drive.bench().run_for(Picoseconds(100'000'000));
  submit(drive, 8, 4);
  HostRequest& last = submit(drive, 2);
  REQUIRE(drive.bench().run_until_done(last) == Status::ok);
  CHECK((drive.bench().now() - begin).value() / 1'000'000 == 2600);
  CHECK(counts(drive) == Counts{3, 3 + 3, 0});
  drive.check_content();
}

TEST_CASE("a write of more than a page fills the page that another one began, first") {
  PoreDrive drive(four_sectors());
  submit(drive, 0);
  submit(drive, 2, 2);  // begins page 1
  submit(drive, 8, 7);  // fills it, and begins page 2 with five: page 2 is full, page 3 has one
  drive.bench().run_until_all_done();
  CHECK(counts(drive) == Counts{4, 3 + 3, 2});
  drive.check_content();
}

TEST_CASE("a failed page takes the writes that shared it elsewhere") {
  PoreSetup setup = four_sectors();
  setup.bench.nand->program_failures = {{0, 2}};
  PoreDrive drive(setup);
  for (std::uint64_t i = 0; i < 5; ++i) submit(drive, 2 * i);
  drive.bench().run_until_all_done();
  CHECK(drive.metric("flash.retired_blocks") == 1);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a cut at any instant of writes that share pages loses nothing that was acknowledged") {
  PoreSetup setup = four_sectors();
  setup.bench.nand->blocks = 4;
  setup.bench.nand->dies = GENERATE(1U, 2U);
  setup.cache().parallel = setup.bench.nand->dies;
  if (GENERATE(false, true)) setup.cache().checkpoint = {sectors(16), 2};
  const auto begin = [](PoreDrive& drive) {
    for (const auto& [sector, count] : {std::pair{0, 1}, {2, 2}, {8, 7}, {20, 1}, {2, 1}, {25, 3}})
      submit(drive, static_cast<std::uint64_t>(sector), static_cast<std::uint32_t>(count));
  };
  const auto go_on = [](PoreDrive& drive) { drive.write_banded({{0, 0}, {1, 1}, {2, 2}, {0, 3}, {3, 7}, {0, 3}}); };
  CHECK(cut_everywhere<PoreDrive>(setup, begin, go_on) > 20);
}

TEST_CASE("pages that were full or padded at a checkpoint are not read again at boot") {
  // Seven writes, each alone: seven pages of one sector, two a block. Of the four blocks boot reads the first page, and of the last one,
  // which has a blank page left, that page too; the other twelve blocks are blank.
  PoreSetup setup = four_sectors();
  setup.cache().checkpoint = {sectors(16), 7};
  PoreDrive drive(setup);
  for (std::uint64_t i = 0; i < 7; ++i) drive.write(2 * i);
  drive.bench().run_until_idle(Picoseconds(1'000'000'000'000));
  drive.bench().flash_commands.clear();
  drive.cut_now();
  CHECK(drive.flash(FlashOp::read_oob) == 16 + 1);
  drive.check_content();
}

TEST_CASE("the first sector of a block that is reported behind those that filled its page takes nothing from the checkpoint") {
  // Block 0 has the first two writes. The third begins the first page of block 1; the fourth fills it, and the second page, in one go, and
  // is told first that they are programmed. Boot reads the first page of each block alone.
  PoreSetup setup = four_sectors();
  setup.cache().checkpoint = {sectors(16), 1 + 4 + 1 + 7};
  PoreDrive drive(setup);
  submit(drive, 0);
  submit(drive, 4, 4);
  submit(drive, 8);
  submit(drive, 16, 7);
  drive.bench().run_until_all_done();
  drive.bench().run_until_idle(Picoseconds(1'000'000'000'000));
  REQUIRE(counts(drive) == Counts{4, 3, 3});
  drive.bench().flash_commands.clear();
  drive.cut_now();
  CHECK(drive.flash(FlashOp::read_oob) == 16);
  drive.check_content();
}

TEST_CASE("writes that pad their pages take the dies in turn") {
  PoreSetup setup = four_sectors();
  setup.bench.nand->dies = setup.cache().parallel = 2;
  PoreDrive drive(setup);
  for (std::uint64_t i = 0; i < 4; ++i) drive.write(2 * i);
  std::vector<std::uint64_t> pages;
  for (const auto& command : drive.bench().flash_commands)
    if (command.op == FlashOp::program) pages.push_back(command.page.value());
  CHECK(pages == std::vector<std::uint64_t>{0, 2, 1, 3});  // two pages a block, and a block of each die
}

TEST_CASE("a page that two writes share is one command for the flash, which leads all others") {
  /// Keeps what it is given.
  struct Flash final : FlashPort {
    std::vector<FlashBatch*> batches;
    [[nodiscard]] FlashShape shape() const override { return {.blocks = 8, .pages_per_block = 4, .subpages = 4}; }
    [[nodiscard]] bool is_bad(NandBlock) const override { return false; }
    void submit(FlashBatch& batch) override { batches.push_back(&batch); }
  } flash;
  struct Source final : SharedPages::Source {
    void close_page(std::uint32_t) override {}
  } source;
  FakeCpu cpu;
  SharedPages pages(flash, cpu, source);
  std::array<FlashCommand, 5> commands;
  const auto program = [&](std::size_t first, std::size_t count) {
    cpu.spawn(pages.program(0, std::span(commands).subspan(first, count)));
  };
  commands[0].page = NandPage(0);
  for (std::uint8_t i = 1; i < 5; ++i) {
    commands[i].page = NandPage(1);
    commands[i].subpage = i - 1;
  }
  program(0, 1);  // alone: it goes at once, and the others meet while it is under way
  program(1, 1);
  program(2, 3);
  REQUIRE(flash.batches.size() == 2);
  REQUIRE(flash.batches[1]->commands.data() == &commands[2]);
  CHECK_FALSE(commands[2].led);
  std::set<const FlashCommand*> led;
  for (const FlashCommand* next = commands[2].next; next != nullptr; next = next->next) {
    CHECK(next->led);
    led.insert(next);
  }
  CHECK(led == std::set<const FlashCommand*>{&commands[1], &commands[3], &commands[4]});
  cpu.power_off();
}
