// Batches at the flash unit: descriptors as they lie in memory, and what comes back in them.
#include <catch2/catch.hpp>

#include "fake_machine.hpp"
#include "firmware/hal/cpu.hpp"
#include "firmware/hal/flash.hpp"

using namespace tessera;
using namespace tessera::hal;
using test::FakeMachine;

namespace {

constexpr std::uint64_t data_address = 0x8300'0000;

Task<void> run(FlashPort& flash, FlashBatch& batch, Status& status) { status = co_await flash.run(batch); }

}  // namespace

TEST_CASE("a batch's descriptor lies in memory word for word, and its commands take their statuses and marks from there") {
  FakeMachine machine;
  Cpu cpu(machine);
  Flash flash(machine, cpu, {.blocks = 64, .pages_per_block = 32, .oob_bytes = 64});
  DataBuffer buffer(DramAddress(data_address), 3, {4096, ContentMode::none});
  buffer.mark_lost(1);
  std::array<std::byte, 16> oob{};
  std::array<FlashCommand, 3> commands;
  commands[0].op = FlashOp::program;
  commands[0].page = NandPage(70);
  commands[0].data = buffer.part(1, 1);
  commands[0].oob = oob;
  commands[0].subpage = 2;
  commands[0].next = &commands[1];
  commands[1].page = NandPage(0x1'0000'0007);
  commands[1].data = buffer.part(2, 1);
  commands[1].retry = 3;
  commands[1].led = true;
  commands[2].op = FlashOp::copyback;
  commands[2].page = NandPage(1);
  commands[2].from = NandPage(2);
  commands[2].block = NandBlock(3);
  FlashBatch batch(commands);
  Status status = Status::no_space;
  cpu.start(run(flash, batch, status), 9);
  cpu.run();
  CHECK(machine.lost == std::vector<std::uint64_t>{data_address + 4096});

  REQUIRE(machine.written(Register::flash_submit).size() == 1);
  const std::uint64_t at = machine.written(Register::flash_submit).front();
  CHECK(at % 8 == 0);
  const auto* const words = by_number<std::uint32_t>(at);
  const std::uint64_t cookie = by_number<FlashBatchEntry>(at)->cookie;
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
  const std::uint64_t bytes = number_of(oob.data());
  const std::vector<std::uint32_t> expected{low(cookie), high(cookie),
                                            3,           9,  //
                                            2,           2,
                                            70,          0,
                                            0,           0,
                                            0,           0,
                                            0x8300'1000, 0,
                                            low(bytes),  high(bytes),
                                            16,          0,
                                            1,           0,
                                            0,           0,  //
                                            0,           0,
                                            7,           1,
                                            0,           0,
                                            0,           0,
                                            0x8300'2000, 0,
                                            0,           0,
                                            0,           3,
                                            no_command,  1,
                                            0,           0,  //
                                            4,           0,
                                            1,           0,
                                            2,           0,
                                            3,           0,
                                            0,           0,
                                            0,           0,
                                            0,           0,
                                            no_command,  0,
                                            0,           0};
  CHECK(std::vector<std::uint32_t>(words, words + expected.size()) == expected);

  auto* const entries = by_number<FlashCommandEntry>(at + sizeof(FlashBatchEntry));
  entries[1].status = static_cast<std::uint32_t>(Status::blank);
  machine.lost = {data_address + 2 * 4096};
  machine.complete_batch({.cookie = cookie, .status = static_cast<std::uint32_t>(Status::blank), .any_lost = 1});
  flash.reap();
  cpu.run();
  CHECK(status == Status::blank);
  CHECK(commands[0].status == Status::ok);
  CHECK(commands[1].status == Status::blank);
  CHECK(buffer.is_lost(2));
  CHECK(machine.values[Register::flash_consumed] == 1);

  cpu.start(run(flash, batch, status), 9);
  cpu.run();
  CHECK(machine.written(Register::flash_submit).back() == at);  // the same memory serves the next one
}

TEST_CASE("commands of another batch that a page is shared with lie behind those of the batch that leads them") {
  FakeMachine machine;
  Cpu cpu(machine);
  Flash flash(machine, cpu, {.blocks = 64, .pages_per_block = 32, .subpages = 4});
  std::array<FlashCommand, 2> other;
  std::array<FlashCommand, 2> own;
  for (std::uint8_t i = 0; i < 2; ++i) {
    other[i].op = own[i].op = FlashOp::program;
    other[i].subpage = i;
    own[i].subpage = static_cast<std::uint8_t>(2 + i);
  }
  own[0].next = &own[1];
  own[1].next = other.data();
  own[1].led = other[0].led = other[1].led = true;
  other[0].next = &other[1];
  FlashBatch batch(own);
  Status status = Status::no_space;
  cpu.start(run(flash, batch, status), 9);
  cpu.run();

  const std::uint64_t at = machine.written(Register::flash_submit).front();
  CHECK(by_number<FlashBatchEntry>(at)->count == 4);
  auto* const entries = by_number<FlashCommandEntry>(at + sizeof(FlashBatchEntry));
  const std::array<std::array<std::uint32_t, 3>, 4> expected{{{2, 1, 0}, {3, 2, 1}, {0, 3, 1}, {1, no_command, 1}}};
  for (std::size_t i = 0; i < 4; ++i) CHECK(std::array{entries[i].subpage, entries[i].next, entries[i].led} == expected[i]);
  for (std::size_t i = 0; i < 4; ++i) entries[i].status = static_cast<std::uint32_t>(Status::media_error);
  machine.complete_batch({.cookie = by_number<FlashBatchEntry>(at)->cookie, .status = static_cast<std::uint32_t>(Status::media_error)});
  flash.reap();
  cpu.run();
  CHECK(status == Status::media_error);
  for (const FlashCommand& command : other) CHECK(command.status == Status::media_error);
}

TEST_CASE("a block is asked for by its number") {
  FakeMachine machine;
  Cpu cpu(machine);
  const Flash flash(machine, cpu, {.blocks = 64, .pages_per_block = 32});
  machine.values[Register::flash_block_is_bad] = 1;
  CHECK(flash.is_bad(NandBlock(17)));
  CHECK(machine.values[Register::flash_block] == 17);
  machine.values[Register::flash_block_is_bad] = 0;
  CHECK_FALSE(flash.is_bad(NandBlock(17)));
}
