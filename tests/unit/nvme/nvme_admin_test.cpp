// Registers, states and admin commands of the NVMe controller: each refusal, and both sides of each bound. Numbers are the standard's.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "unit/nvme/nvme_bench.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

using Request = test::NvmeRequest;

std::string text(const test::NvmeDriver& driver, std::uint64_t at, std::size_t size) {
  std::string found(reinterpret_cast<const char*>(driver.memory.data()) + at, size);
  return found.substr(0, found.find_last_not_of(' ') + 1);
}

}  // namespace

TEST_CASE("capabilities and version are those of a controller of NVMe 1.4 with the NVM command set") {
  test::NvmeBench bench;
  const std::uint64_t capabilities = bench.controller.read_register(0, 8);
  CHECK((capabilities & 0xffff) == 1023);   // MQES, from 0
  CHECK((capabilities >> 16 & 1) == 1);     // CQR
  CHECK((capabilities >> 32 & 0xf) == 0);   // DSTRD
  CHECK((capabilities >> 37 & 0xff) == 1);  // CSS
  CHECK((capabilities >> 48 & 0xf) == 0);   // MPSMIN: 4 KiB
  CHECK((capabilities >> 52 & 0xf) == 4);   // MPSMAX: 64 KiB
  CHECK(bench.driver.read32(8) == 0x10400);
  CHECK(bench.driver.read32(0x1c) == 0);
}

TEST_CASE("a controller is ready when its drive has power, and not before") {
  test::NvmeBench bench;
  bench.powered = false;
  bench.driver.write32(0x24, 0x1f001f);
  CHECK_FALSE(bench.driver.enable(true, 0x460000, 10));
  CHECK(bench.controller.waits_for_power());
  bench.powered = true;
  bench.work();
  CHECK(bench.driver.read32(0x1c) == 1);
  CHECK(bench.driver.enable(false));
}

TEST_CASE("a controller that cannot run with its configuration says so, until it is reset") {
  const auto [configuration, queues, starts] = GENERATE(table<std::uint32_t, std::uint32_t, bool>({
      {0x460000, 0x0001'0001, true},   // queues of two entries
      {0x460000, 0x0001'0000, false},  // of one
      {0x460000, 0x0000'0001, false},
      {0x460000 | 4 << 7, 0x1f001f, true},    // pages of 64 KiB
      {0x460000 | 5 << 7, 0x1f001f, false},   // of 128
      {0x460000 | 1 << 4, 0x1f001f, false},   // another command set
      {0x460000 | 1 << 11, 0x1f001f, false},  // weighted round robin
  }));
  CAPTURE(configuration, queues);
  test::NvmeBench bench;
  bench.driver.write32(0x24, queues);
  CHECK(bench.driver.enable(true, configuration) == starts);
  CHECK((bench.driver.read32(0x1c) & 2) == (starts ? 0 : 2));
  CHECK(bench.driver.enable(false));
  CHECK(bench.driver.read32(0x1c) == 0);
  CHECK(bench.driver.begin());
}

TEST_CASE("identify names the controller, its namespaces by size, and what there is of each") {
  nvme::Config config;
  config.model = "A drive";
  config.namespaces = {1_MiB, 512_KiB, 16_MiB};  // the last has what is left
  test::NvmeBench bench(config);
  auto& driver = bench.driver;
  REQUIRE(driver.begin());
  const std::uint64_t page = driver.allocate();
  REQUIRE(driver.admin({.opcode = 6, .prp1 = page, .dword10 = 1}).status == 0);
  CHECK(text(driver, page + 4, 20) == "TESSERA0001");
  CHECK(text(driver, page + 24, 40) == "A drive");
  CHECK(driver.memory[page + 77] == 8);  // MDTS
  CHECK(driver.load<std::uint32_t>(page + 80) == 0x10400);
  CHECK(driver.memory[page + 512] == 0x66);
  CHECK(driver.memory[page + 513] == 0x44);
  CHECK(driver.load<std::uint32_t>(page + 516) == 3);
  CHECK(driver.load<std::uint16_t>(page + 520) == 0x1c);
  CHECK(driver.memory[page + 525] == 7);
  const std::uint64_t blocks[] = {2048, 1024, 5120};
  for (std::uint32_t number = 1; number <= 3; ++number) {
    REQUIRE(driver.admin({.opcode = 6, .space = number, .prp1 = page}).status == 0);
    CHECK(driver.load<std::uint64_t>(page) == blocks[number - 1]);
    CHECK(driver.load<std::uint32_t>(page + 128) == 9U << 16);
  }
  REQUIRE(driver.admin({.opcode = 6, .space = 1, .prp1 = page, .dword10 = 2}).status == 0);
  CHECK(driver.load<std::uint32_t>(page) == 2);
  CHECK(driver.load<std::uint32_t>(page + 4) == 3);
  CHECK(driver.load<std::uint32_t>(page + 8) == 0);
  REQUIRE(driver.admin({.opcode = 6, .space = 3, .prp1 = page, .dword10 = 3}).status == 0);
  CHECK(driver.load<std::uint16_t>(page) == 0x0801);  // EUI-64 of 8 B
  CHECK(driver.admin({.opcode = 6, .space = 4, .prp1 = page}).status == 0x0b);
  CHECK(driver.admin({.opcode = 6, .space = 0, .prp1 = page}).status == 0x0b);
  CHECK(driver.admin({.opcode = 6, .space = 0xfffffffe, .prp1 = page, .dword10 = 2}).status == 0x0b);
  CHECK(driver.admin({.opcode = 6, .space = 4, .prp1 = page, .dword10 = 3}).status == 0x0b);
  CHECK(driver.admin({.opcode = 6, .space = 1, .prp1 = page, .dword10 = 0x7f}).status == 0x02);
  CHECK(driver.admin({.opcode = 6, .prp1 = page + 2, .dword10 = 1}).status == 0x13);
  CHECK(driver.admin({.opcode = 6, .prp1 = driver.memory.size(), .dword10 = 1}).status == 0x04);
}

TEST_CASE("queues are created and deleted by the standard's rules") {
  test::NvmeBench bench;
  auto& driver = bench.driver;
  REQUIRE(driver.begin());
  const std::uint64_t page = driver.allocate(32);
  const auto cq = [&](std::uint32_t number, std::uint32_t last, std::uint32_t flags, std::uint64_t at) {
    return driver.admin({.opcode = 5, .prp1 = at, .dword10 = last << 16 | number, .dword11 = flags}).status;
  };
  const auto sq = [&](std::uint32_t number, std::uint32_t last, std::uint32_t flags, std::uint64_t at) {
    return driver.admin({.opcode = 1, .prp1 = at, .dword10 = last << 16 | number, .dword11 = flags}).status;
  };
  const auto remove = [&](std::uint8_t opcode, std::uint32_t number) { return driver.admin({.opcode = opcode, .dword10 = number}).status; };
  CHECK(cq(0, 7, 3, page) == 0x101);
  CHECK(cq(17, 7, 3, page) == 0x101);  // of 16
  CHECK(cq(16, 7, 3, page) == 0);
  CHECK(cq(16, 7, 3, page) == 0x101);  // is there
  CHECK(cq(1, 0, 3, page) == 0x102);
  CHECK(cq(1, 1024, 3, page) == 0x102);
  CHECK(cq(1, 7, 2, page) == 0x02);        // not contiguous
  CHECK(cq(1, 7, 3, page + 512) == 0x13);  // not at a page
  CHECK(cq(1, 7, 17U << 16 | 3, page) == 0x108);
  CHECK(cq(1, 1023, 16U << 16 | 3, page) == 0);
  CHECK(sq(1, 7, 2U << 16 | 1, page) == 0x100);  // no such completion queue
  CHECK(sq(1, 7, 1, page) == 0x101);             // the admin one
  CHECK(sq(1, 7, 17U << 16 | 1, page) == 0x101);
  CHECK(sq(0, 7, 1U << 16 | 1, page) == 0x101);
  CHECK(sq(1, 0, 1U << 16 | 1, page) == 0x102);
  CHECK(sq(1, 1024, 1U << 16 | 1, page) == 0x102);
  CHECK(sq(1, 7, 1U << 16, page) == 0x02);
  CHECK(sq(1, 7, 1U << 16 | 1, page + 64) == 0x13);
  CHECK(sq(1, 7, 1U << 16 | 1, page) == 0);
  CHECK(sq(1, 7, 1U << 16 | 1, page) == 0x101);
  CHECK(remove(4, 1) == 0x10c);  // has a submission queue
  CHECK(remove(4, 2) == 0x101);
  CHECK(remove(4, 0) == 0x101);
  CHECK(remove(0, 0) == 0x101);
  CHECK(remove(0, 2) == 0x101);
  CHECK(remove(0, 1) == 0);
  CHECK(remove(0, 1) == 0x101);
  CHECK(remove(4, 1) == 0);
}

TEST_CASE("the number of queues is agreed on before there are any") {
  nvme::Config config;
  config.io_queues = 4;
  test::NvmeBench bench(config);
  auto& driver = bench.driver;
  REQUIRE(driver.begin());
  CHECK(driver.admin({.opcode = 9, .dword10 = 7, .dword11 = 0xffff}).status == 0x02);
  const auto granted = driver.admin({.opcode = 9, .dword10 = 7, .dword11 = 63U << 16 | 1});
  CHECK(granted.status == 0);
  CHECK(granted.result == (3U << 16 | 1));
  CHECK(driver.admin({.opcode = 10, .dword10 = 7}).result == (3U << 16 | 1));
  const std::uint64_t page = driver.allocate();
  CHECK(driver.admin({.opcode = 5, .prp1 = page, .dword10 = 7U << 16 | 4, .dword11 = 3}).status == 0);
  CHECK(driver.admin({.opcode = 1, .prp1 = page, .dword10 = 7U << 16 | 3, .dword11 = 4U << 16 | 1}).status == 0x101);
  CHECK(driver.admin({.opcode = 1, .prp1 = page, .dword10 = 7U << 16 | 2, .dword11 = 4U << 16 | 1}).status == 0);
  CHECK(driver.admin({.opcode = 9, .dword10 = 7, .dword11 = 0}).status == 0x0c);
}

TEST_CASE("features are set, read back and selected, and unknown ones and saving are refused") {
  test::NvmeBench bench;
  auto& driver = bench.driver;
  REQUIRE(driver.begin());
  CHECK(driver.admin({.opcode = 10, .dword10 = 6}).result == 1);
  CHECK(driver.admin({.opcode = 9, .dword10 = 6, .dword11 = 0}).status == 0);
  CHECK(driver.admin({.opcode = 10, .dword10 = 6}).result == 0);
  CHECK(driver.admin({.opcode = 10, .dword10 = 1U << 8 | 6}).result == 1);  // by default
  CHECK(driver.admin({.opcode = 10, .dword10 = 2U << 8 | 6}).result == 1);  // saved
  CHECK(driver.admin({.opcode = 10, .dword10 = 3U << 8 | 6}).result == 4);  // changeable
  CHECK(driver.admin({.opcode = 10, .dword10 = 4U << 8 | 6}).status == 0x02);
  CHECK(driver.admin({.opcode = 9, .dword10 = 1U << 31 | 6}).status == 0x10d);
  CHECK(driver.admin({.opcode = 9, .dword10 = 0x0c}).status == 0x02);
  CHECK(driver.admin({.opcode = 9, .dword10 = 3}).status == 0x02);
  CHECK(driver.admin({.opcode = 10, .dword10 = 0}).status == 0x02);
  CHECK(driver.admin({.opcode = 9, .dword10 = 2, .dword11 = 1}).status == 0x02);  // there is power state 0
  REQUIRE(driver.begin());                                                        // a reset sets them back
  CHECK(driver.admin({.opcode = 10, .dword10 = 6}).result == 1);
  nvme::Config config;
  config.volatile_cache = false;
  test::NvmeBench plp(config);
  REQUIRE(plp.driver.begin());
  CHECK(plp.driver.admin({.opcode = 10, .dword10 = 6}).status == 0x02);
}

TEST_CASE("a namespace says whether what was deallocated reads as zeros") {
  nvme::Config config;
  config.zeros_after_trim = GENERATE(false, true);
  test::NvmeBench bench(config);
  REQUIRE(bench.driver.begin());
  const std::uint64_t page = bench.driver.allocate();
  REQUIRE(bench.driver.admin({.opcode = 6, .space = 1, .prp1 = page, .dword10 = 0}).status == 0);
  CHECK(bench.driver.load<std::uint8_t>(page + 33) == (config.zeros_after_trim ? 1 : 0));
}

TEST_CASE("admin commands that do not exist or are not formed so are refused, and each refusal is in the error log") {
  test::NvmeBench bench;
  auto& driver = bench.driver;
  REQUIRE(driver.begin());
  const auto unknown = driver.admin({.opcode = 0x7f, .space = 9});
  CHECK(unknown.status == 0x01);
  CHECK(unknown.do_not_retry);
  CHECK(driver.admin({.opcode = 6, .dword10 = 1, .psdt = 1}).status == 0x02);
  const std::uint64_t page = driver.allocate();
  REQUIRE(driver.admin({.opcode = 2, .space = 0xffffffff, .prp1 = page, .dword10 = 31U << 16 | 1}).status == 0);
  CHECK(driver.load<std::uint64_t>(page) == 2);  // the newest first
  CHECK((driver.load<std::uint16_t>(page + 12) >> 1 & 0x7ff) == 0x02);
  CHECK(driver.load<std::uint64_t>(page + 64) == 1);
  CHECK((driver.load<std::uint16_t>(page + 64 + 12) >> 1 & 0x7ff) == 0x01);
  CHECK(driver.load<std::uint32_t>(page + 64 + 24) == 9);
  CHECK(driver.admin({.opcode = 2, .prp1 = page, .dword10 = 0x7f}).status == 0x109);
  CHECK(driver.admin({.opcode = 2, .prp1 = page, .dword10 = 2, .dword12 = 2}).status == 0x02);    // not a word's offset
  CHECK(driver.admin({.opcode = 2, .prp1 = page, .dword10 = 2, .dword12 = 516}).status == 0x02);  // after the page
  CHECK(driver.admin({.opcode = 2, .prp1 = page, .dword10 = 2, .dword12 = 512}).status == 0);
}

TEST_CASE("requests for events are held, answered when a doorbell is rung wrongly, aborted, and limited") {
  test::NvmeBench bench;
  auto& driver = bench.driver;
  REQUIRE(driver.begin());
  std::vector<std::uint16_t> held;
  for (unsigned i = 0; i < 4; ++i) held.push_back(driver.send(0, {.opcode = 0x0c}));
  CHECK(driver.admin({.opcode = 0x0c}).status == 0x105);
  bench.work();
  driver.poll(0);
  for (const std::uint16_t id : held) CHECK_FALSE(driver.answered(0, id));
  CHECK(driver.admin({.opcode = 8, .dword10 = std::uint32_t{held[3]} << 16}).result == 0);
  CHECK(driver.finish(0, held[3]).status == 0x07);
  CHECK(driver.admin({.opcode = 8, .dword10 = 0x1234'0000}).result == 1);  // no such command

  driver.write32(0x1000 + 8 * 5, 1);  // a queue that is not there
  CHECK(driver.finish(0, held[0]).result == 0x00'01'00'00);
  driver.write32(0x1000 + 8 * 5, 1);  // masked until the log is read
  bench.work();
  driver.poll(0);
  CHECK_FALSE(driver.answered(0, held[1]));
  REQUIRE(driver.admin({.opcode = 2, .prp1 = driver.allocate(), .dword10 = 15U << 16 | 1}).status == 0);
  driver.write32(0x1000, 32);  // a value beyond the queue of 32
  CHECK(driver.finish(0, held[1]).result == 0x00'01'01'00);
}

TEST_CASE("an admin queue that cannot be reached is fatal") {
  test::NvmeBench bench;
  auto& driver = bench.driver;
  REQUIRE(driver.begin());
  driver.enable(false);
  driver.write32(0x28, 0x4000'0000);
  REQUIRE(driver.enable(true));
  driver.write32(0x1000, 1);
  bench.work();
  CHECK(driver.read32(0x1c) == 2);
  CHECK(driver.begin());
}

TEST_CASE("a configuration that the standard does not allow is refused") {
  const auto refused = [](auto change) {
    nvme::Config config;
    change(config);
    CHECK_THROWS_AS(test::NvmeBench(config), InputError);
  };
  refused([](nvme::Config& config) { config.io_queues = 0; });
  refused([](nvme::Config& config) { config.io_queues = 64; });
  refused([](nvme::Config& config) { config.queue_entries = 1; });
  refused([](nvme::Config& config) { config.vectors = 257; });
  refused([](nvme::Config& config) { config.transfer_pages = 0; });
  refused([](nvme::Config& config) { config.transfer_pages = 14; });
}
