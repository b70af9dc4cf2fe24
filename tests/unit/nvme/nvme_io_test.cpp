// Reads, writes and what goes with them through the NVMe controller: data by PRP and SGL, queues that wrap, interrupts, shutdown, power.
// Numbers are the standard's.
#include <catch2/catch.hpp>

#include "unit/nvme/nvme_bench.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

using Request = test::NvmeRequest;

/// A controller with one pair of I/O queues.
struct Ready : test::NvmeBench {
  explicit Ready(nvme::Config config = {}, std::uint32_t entries = 8) : NvmeBench(std::move(config)) {
    REQUIRE(driver.begin());
    REQUIRE(driver.create_pair(1, entries, 0));
  }
  std::uint16_t io(const Request& request) { return driver.call(1, request).status; }
  void fill(std::uint64_t at, std::uint64_t bytes_, unsigned salt) {
    for (std::uint64_t i = 0; i < bytes_; ++i) driver.memory[at + i] = static_cast<unsigned char>((at + i) * 31 / 7 + salt);
  }
  bool same(std::uint64_t at, std::uint64_t on_drive, std::uint64_t bytes_) const {
    return std::equal(driver.memory.begin() + static_cast<std::ptrdiff_t>(at),
                      driver.memory.begin() + static_cast<std::ptrdiff_t>(at + bytes_),
                      content.begin() + static_cast<std::ptrdiff_t>(on_drive));
  }
};

constexpr std::uint64_t blocks = test::NvmeBench::bytes / 512;

}  // namespace

TEST_CASE("data crosses by PRP entries and lists from any word of a page on, also over several pages of list") {
  Ready bench;
  auto& driver = bench.driver;
  const std::uint64_t data = driver.allocate(300), back = driver.allocate(300);
  // One entry, two, a list; from the middle of a page; a list of more than 512 entries is of transfers that MDTS forbids here.
  const auto [offset, count] = GENERATE(table<std::uint64_t, std::uint32_t>(
      {{0, 1}, {0, 8}, {512, 7}, {512, 8}, {0, 16}, {0, 17}, {4092, 16}, {4, 64}, {0, 2048}, {2048, 2047}}));
  CAPTURE(offset, count);
  bench.fill(data + offset, count * 512, 3);
  CHECK(bench.io(driver.transfer(1, 100, count, data + offset)) == 0);
  CHECK(bench.same(data + offset, 100 * 512, count * 512));
  CHECK(bench.io(driver.transfer(2, 100, count, back + offset)) == 0);
  CHECK(bench.same(back + offset, 100 * 512, count * 512));
}

TEST_CASE("a list of PRP entries goes on in the page that its last entry names") {
  nvme::Config config;
  config.transfer_pages = 10;  // 4 MiB
  Ready bench(config);
  auto& driver = bench.driver;
  const std::uint64_t data = driver.allocate(600);
  for (const std::uint32_t pages : {514U, 600U}) {  // the next list has one entry, or many
    bench.fill(data, pages * 4096, pages);
    CHECK(bench.io(driver.transfer(1, 0, pages * 8, data)) == 0);
    CHECK(bench.same(data, 0, pages * 4096));
  }
  Request looped = driver.transfer(1, 0, 600 * 8, data);
  driver.store<std::uint64_t>(looped.prp2 + 511 * 8, looped.prp2 + 8);  // the chain's address is no page's
  CHECK(bench.io(looped) == 0x13);
}

TEST_CASE("PRP entries that are not where the standard has them are refused") {
  Ready bench;
  auto& driver = bench.driver;
  const std::uint64_t data = driver.allocate(8);
  Request request = driver.transfer(2, 0, 8, data);
  request.prp1 += 2;
  CHECK(bench.io(request) == 0x13);
  request = driver.transfer(2, 0, 16, data);
  request.prp2 += 4;
  CHECK(bench.io(request) == 0x13);
  request = driver.transfer(2, 0, 24, data);
  request.prp2 += 4;  // a list at no multiple of 8
  CHECK(bench.io(request) == 0x13);
  request = driver.transfer(2, 0, 24, data);
  driver.store<std::uint64_t>(request.prp2 + 8, data + 512);
  CHECK(bench.io(request) == 0x13);
  request = driver.transfer(1, 0, 8, data);
  request.prp1 = driver.memory.size();
  CHECK(bench.io(request) == 0x04);
  request = driver.transfer(2, 0, 8, data);
  request.prp1 = driver.memory.size();
  CHECK(bench.io(request) == 0x04);
}

TEST_CASE("data crosses by SGL: one block, a list, a list of lists, bytes that nobody wants") {
  Ready bench;
  auto& driver = bench.driver;
  const std::uint64_t data = driver.allocate(4), lists = driver.allocate(2);
  const auto describe = [&](std::uint64_t at, std::uint64_t address, std::uint64_t length, std::uint64_t kind) {
    driver.store<std::uint64_t>(at, address);
    driver.store<std::uint64_t>(at + 8, length | kind << 60);
  };
  const auto with = [&](std::uint8_t opcode, std::uint64_t address, std::uint64_t length, std::uint64_t kind) {
    return Request{.opcode = opcode, .space = 1, .prp1 = address, .prp2 = length | kind << 60, .dword10 = 40, .dword12 = 3, .psdt = 1};
  };
  bench.fill(data, 4 * 4096, 9);
  CHECK(bench.io(with(1, data + 3, 2048, 0)) == 0);  // from any byte on
  CHECK(bench.same(data + 3, 40 * 512, 2048));
  describe(lists, data + 100, 1000, 0);
  describe(lists + 16, data + 5000, 48, 0);
  describe(lists + 32, lists + 4096, 16, 3);
  describe(lists + 4096, data + 8192, 1000, 0);
  CHECK(bench.io(with(1, lists, 48, 2)) == 0);
  CHECK(bench.same(data + 100, 40 * 512, 1000));
  CHECK(bench.same(data + 5000, 40 * 512 + 1000, 48));
  CHECK(bench.same(data + 8192, 40 * 512 + 1048, 1000));
  describe(lists, 0, 1536, 1);
  describe(lists + 16, data, 512, 0);
  CHECK(bench.io(with(2, lists, 32, 3)) == 0);
  CHECK(bench.same(data, 40 * 512 + 1536, 512));

  CHECK(bench.io(with(1, data, 2047, 0)) == 0x0f);  // too short
  CHECK(bench.io(with(1, data, 2049, 0)) == 0x0f);
  CHECK(bench.io(with(1, data, 2048, 4)) == 0x11);  // a kind that is none
  CHECK(bench.io(with(1, lists, 47, 2)) == 0x0d);   // no whole descriptors
  CHECK(bench.io(with(1, lists, 0, 3)) == 0x0d);
  describe(lists + 16, lists + 4096, 16, 2);
  CHECK(bench.io(with(2, lists, 48, 2)) == 0x0e);  // a segment before the end of one
  CHECK(bench.io(with(2, lists, 48, 3)) == 0x0e);
  CHECK(bench.io(with(2, lists, 32, 3)) == 0x0d);  // a segment after the last
  Request both = with(1, data, 2048, 0);
  both.psdt = 3;
  CHECK(bench.io(both) == 0x02);
}

TEST_CASE("blocks beyond the namespace, transfers beyond MDTS, namespaces and commands that are none are refused") {
  nvme::Config config;
  config.namespaces = {1_MiB, 1_MiB};
  Ready bench(config);
  auto& driver = bench.driver;
  const std::uint64_t data = driver.allocate(300);
  constexpr std::uint64_t last = 2047;
  CHECK(bench.io(driver.transfer(1, last, 1, data)) == 0);
  CHECK(bench.io(driver.transfer(1, last, 2, data)) == 0x80);
  CHECK(bench.io(driver.transfer(2, last + 1, 1, data)) == 0x80);
  CHECK(bench.io(driver.transfer(2, ~std::uint64_t{0}, 1, data)) == 0x80);
  CHECK(bench.io(driver.transfer(8, last, 1, data)) == 0);
  CHECK(bench.io(driver.transfer(8, last, 2, data)) == 0x80);
  CHECK(bench.io(driver.transfer(2, 0, 2048, data)) == 0);
  CHECK(bench.io(driver.transfer(2, 0, 2049, data)) == 0x02);
  Request request = driver.transfer(1, 0, 1, data);
  request.space = 2;
  driver.memory[data] = 0x77;
  CHECK(bench.io(request) == 0);
  CHECK(bench.content[1U << 20U] == 0x77);  // after the first namespace
  for (const std::uint32_t space : {0U, 3U, 0xffffffffU}) {
    request.space = space;
    CHECK(bench.io(request) == 0x0b);
  }
  CHECK(bench.io({.opcode = 0, .space = 0xffffffff}) == 0);
  CHECK(bench.io({.opcode = 0, .space = 3}) == 0x0b);
  CHECK(bench.io({.opcode = 0x7f, .space = 1}) == 0x01);
  CHECK(bench.io({.opcode = 5, .space = 1}) == 0x01);  // Compare
}

TEST_CASE("what the drive fails, the host is told by kind, and may try again") {
  Ready bench;
  auto& driver = bench.driver;
  const std::uint64_t data = driver.allocate();
  bench.fails = true;
  const auto read = driver.call(1, driver.transfer(2, 7, 1, data));
  CHECK(read.status == 0x281);
  CHECK_FALSE(read.do_not_retry);
  CHECK(bench.io(driver.transfer(1, 7, 1, data)) == 0x280);
  CHECK(bench.io(driver.transfer(8, 7, 1, data)) == 0x280);
  CHECK(bench.io({.opcode = 0, .space = 1}) == 0x06);
  bench.fails = false;
  REQUIRE(driver.admin({.opcode = 2, .prp1 = data, .dword10 = 127U << 16 | 2}).status == 0);
  CHECK(driver.load<std::uint64_t>(data + 160) == 3);  // media errors
  CHECK(driver.load<std::uint64_t>(data + 176) == 4);  // entries of the error log
  REQUIRE(driver.admin({.opcode = 2, .prp1 = data, .dword10 = 15U << 16 | 1}).status == 0);
  CHECK(driver.load<std::uint64_t>(data + 16) == 0);
}

TEST_CASE("force unit access, and a cache that is switched off, reach the drive") {
  Ready bench;
  auto& driver = bench.driver;
  const std::uint64_t data = driver.allocate();
  const auto forced = [&](const Request& request) {
    CHECK(bench.io(request) == 0);
    return bench.seen.back().force_unit_access;
  };
  CHECK_FALSE(forced(driver.transfer(1, 0, 1, data)));
  CHECK(forced(driver.transfer(1, 0, 1, data, 1U << 30U)));
  CHECK_FALSE(forced(driver.transfer(2, 0, 1, data, 1U << 30U)));
  CHECK_FALSE(forced(driver.transfer(8, 0, 1, data)));
  CHECK(forced(driver.transfer(8, 0, 1, data, 1U << 30U)));
  REQUIRE(driver.admin({.opcode = 9, .dword10 = 6, .dword11 = 0}).status == 0);
  CHECK(forced(driver.transfer(1, 0, 1, data)));
  CHECK(forced(driver.transfer(8, 0, 1, data)));
}

TEST_CASE("zeros are written without data, and ranges deallocated as told") {
  Ready bench;
  auto& driver = bench.driver;
  std::fill(bench.content.begin(), bench.content.end(), 0xaa);
  CHECK(bench.io(driver.transfer(8, 1, 4096, 0)) == 0);
  CHECK(bench.content[511] == 0xaa);
  CHECK(std::all_of(bench.content.begin() + 512, bench.content.begin() + 512 + 4096 * 512, [](unsigned char byte) { return byte == 0; }));
  CHECK(bench.content[512 + 4096 * 512] == 0xaa);

  const std::uint64_t ranges = driver.allocate();
  const auto range = [&](std::uint64_t index, std::uint64_t first, std::uint32_t count) {
    driver.store<std::uint32_t>(ranges + index * 16 + 4, count);
    driver.store<std::uint64_t>(ranges + index * 16 + 8, first);
  };
  range(0, 16, 8);
  range(1, blocks - 1, 1);
  bench.seen.clear();
  CHECK(bench.io({.opcode = 9, .space = 1, .prp1 = ranges, .dword10 = 1, .dword11 = 4}) == 0);
  REQUIRE(bench.seen.size() == 2);
  CHECK(bench.seen[0].op == BlockOp::trim);
  CHECK(bench.seen[0].offset == 16 * 512);
  CHECK(bench.seen[0].bytes == 8 * 512);
  CHECK(bench.seen[1].offset == (blocks - 1) * 512);
  CHECK(bench.io({.opcode = 9, .space = 1, .prp1 = ranges, .dword10 = 1, .dword11 = 2}) == 0);  // a hint
  CHECK(bench.seen.size() == 2);
  range(1, blocks - 1, 2);
  CHECK(bench.io({.opcode = 9, .space = 1, .prp1 = ranges, .dword10 = 1, .dword11 = 4}) == 0x80);
  CHECK(bench.seen.size() == 2);
}

TEST_CASE("queues wrap, phases turn, and a full completion queue waits for its doorbell") {
  Ready bench;
  auto& driver = bench.driver;
  const std::uint64_t data = driver.allocate();
  for (unsigned round = 0; round < 30; ++round) CHECK(bench.io(driver.transfer(2, round, 1, data)) == 0);
  // Seven in a queue of eight, none of which the host looks at; then seven more: the first seven fill the completion queue.
  std::vector<std::uint16_t> sent;
  for (unsigned i = 0; i < 7; ++i) sent.push_back(driver.send(1, driver.transfer(2, i, 1, data)));
  bench.work();
  for (unsigned i = 0; i < 7; ++i) sent.push_back(driver.send(1, driver.transfer(2, i, 1, data)));
  bench.work();
  CHECK_FALSE(bench.controller.work());
  driver.poll(1);
  for (unsigned i = 0; i < 14; ++i) CHECK(driver.answered(1, sent[i]) == (i < 7));
  bench.work();
  driver.poll(1);
  for (const std::uint16_t id : sent) CHECK(driver.answered(1, id));
}

TEST_CASE("the submission queue that ends waits for its commands at the drive") {
  Ready bench;
  auto& driver = bench.driver;
  bench.holds = true;
  const auto read = driver.send(1, driver.transfer(2, 0, 1, driver.allocate()));
  bench.work();
  const auto remove = driver.send(0, {.opcode = 0, .dword10 = 1});
  bench.work();
  driver.poll(0);
  CHECK_FALSE(driver.answered(0, remove));
  CHECK(driver.admin({.opcode = 0, .dword10 = 1}).status == 0x101);  // it ends already
  bench.holds = false;
  CHECK(driver.finish(0, remove).status == 0);
  CHECK(driver.finish(1, read).status == 0);
  CHECK(driver.admin({.opcode = 4, .dword10 = 1}).status == 0);
}

TEST_CASE("the line is asserted while completions wait, and held back by its mask") {
  nvme::Config config;
  config.vectors = 0;
  Ready bench(config);
  auto& driver = bench.driver;
  CHECK_FALSE(bench.line_is);
  const auto id = driver.send(1, {.opcode = 0, .space = 1});
  bench.work();
  CHECK(bench.line_is);
  driver.write32(0x0c, 1);
  CHECK_FALSE(bench.line_is);
  CHECK(driver.read32(0x0c) == 1);
  driver.write32(0x10, 1);
  CHECK(bench.line_is);
  CHECK(driver.finish(1, id).status == 0);
  CHECK_FALSE(bench.line_is);
  CHECK(driver.admin({.opcode = 5, .prp1 = 4096, .dword10 = 7U << 16 | 2, .dword11 = 1U << 16 | 3}).status == 0x108);
}

TEST_CASE("a vector's message is written where its table says, and waits under its mask") {
  Ready bench;
  auto& driver = bench.driver;
  REQUIRE(driver.create_pair(2, 8, 3));
  const std::uint64_t target = driver.allocate();
  driver.write32(0x2000 + 3 * 16, static_cast<std::uint32_t>(target));
  driver.write32(0x2000 + 3 * 16 + 8, 0xfeed);
  CHECK(driver.read32(0x2000 + 3 * 16 + 8) == 0xfeed);
  CHECK(driver.read32(0x2000 + 3 * 16 + 12) == 1);  // masked from the beginning
  CHECK(driver.call(2, {.opcode = 0, .space = 1}).status == 0);
  CHECK(bench.messages.empty());
  CHECK(driver.read32(0x3000) == (1U << 3 | 1));  // vector 0, of the admin queue, waits too
  driver.write32(0x2000 + 3 * 16 + 12, 0);
  bench.work();
  CHECK(bench.messages == std::vector<std::uint16_t>{3});
  CHECK(driver.load<std::uint32_t>(target) == 0xfeed);
  CHECK(driver.read32(0x3000) == 1);
}

TEST_CASE("a normal shutdown flushes the drive, an abrupt one does not, and nothing is fetched after either") {
  const auto [kind, flushes] = GENERATE(table<std::uint32_t, bool>({{1, true}, {2, false}}));
  Ready bench;
  auto& driver = bench.driver;
  bench.holds = true;
  bench.seen.clear();
  driver.write32(0x14, 0x460001 | kind << 14);
  bench.work();
  CHECK((driver.read32(0x1c) >> 2 & 3) == (flushes ? 1U : 2U));
  bench.holds = false;
  bench.work();
  CHECK((driver.read32(0x1c) >> 2 & 3) == 2);
  CHECK(bench.seen.size() == (flushes ? 1 : 0));
  const auto late = driver.send(1, {.opcode = 0, .space = 1});
  bench.work();
  driver.poll(1);
  CHECK_FALSE(driver.answered(1, late));
  CHECK(driver.begin());
}

TEST_CASE("a reset waits for writes at the drive and answers nothing") {
  Ready bench;
  auto& driver = bench.driver;
  bench.holds = true;
  const auto lost = driver.send(1, driver.transfer(1, 0, 1, driver.allocate()));
  bench.work();
  driver.write32(0x14, 0x460000);
  bench.work();
  CHECK((driver.read32(0x1c) & 1) == 1);
  bench.holds = false;
  bench.work();
  CHECK((driver.read32(0x1c) & 1) == 0);
  driver.poll(1);
  CHECK_FALSE(driver.answered(1, lost));
  REQUIRE(driver.begin());
  CHECK(driver.create_pair(1, 8, 0));
}

TEST_CASE("after a power cut the controller is as new, but for what its SMART page counts") {
  Ready bench;
  auto& driver = bench.driver;
  const std::uint64_t data = driver.allocate();
  bench.controller.power_on();
  for (unsigned i = 0; i < 3; ++i) CHECK(bench.io(driver.transfer(1, i * 1000, 1000, driver.allocate(125))) == 0);
  CHECK(bench.io(driver.transfer(2, 0, 1, data)) == 0);
  bench.holds = true;
  const auto lost = driver.send(1, driver.transfer(2, 0, 1, data));
  bench.work();
  bench.controller.power_off();
  CHECK_FALSE(bench.controller.powered());
  bench.end_transfers();  // what the drive still answers is nobody's
  bench.work();
  CHECK(driver.read32(0x14) == 0);
  CHECK(driver.read32(0x1c) == 0);
  driver.poll(1);
  CHECK_FALSE(driver.answered(1, lost));
  bench.holds = false;
  bench.controller.power_on();
  bench.controller.power_on();  // a restart of the firmware alone
  REQUIRE(driver.begin());
  REQUIRE(driver.admin({.opcode = 2, .prp1 = data, .dword10 = 127U << 16 | 2}).status == 0);
  CHECK(driver.load<std::uint64_t>(data + 32) == 1);  // thousands of blocks read, rounded up
  CHECK(driver.load<std::uint64_t>(data + 48) == 3);
  CHECK(driver.load<std::uint64_t>(data + 64) == 1);
  CHECK(driver.load<std::uint64_t>(data + 80) == 3);
  CHECK(driver.load<std::uint64_t>(data + 112) == 2);  // power cycles
  CHECK(driver.load<std::uint64_t>(data + 144) == 1);  // unsafe shutdowns
}

TEST_CASE("a transfer of before a power cut ends no command of after it") {
  Ready bench;
  auto& driver = bench.driver;
  bench.controller.power_on();
  bench.holds = true;
  driver.send(1, driver.transfer(1, 0, 1, driver.allocate()));
  bench.work();
  REQUIRE(bench.transfers.size() == 1);
  const BlockTransfer old = bench.transfers.front();
  bench.transfers.clear();
  bench.controller.power_off();
  bench.controller.power_on();
  bench.work();
  REQUIRE(driver.begin());
  REQUIRE(driver.create_pair(1, 8, 0));
  const auto fresh = driver.send(1, driver.transfer(1, 8, 1, driver.allocate()));
  bench.work();
  bench.controller.ended(old, false);
  bench.work();
  driver.poll(1);
  CHECK_FALSE(driver.answered(1, fresh));
  bench.holds = false;
  CHECK(driver.finish(1, fresh).status == 0);
}
