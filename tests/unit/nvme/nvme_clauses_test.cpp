// Clauses of NVMe 1.4 that a host tried one by one: doorbells, shutdown, Identify, features, events, Abort, reset. Numbers are the
// standard's.
#include <catch2/catch.hpp>

#include "unit/nvme/nvme_bench.hpp"

using namespace tessera;

namespace {

constexpr std::uint32_t sq_doorbell = 0x1008, cq_doorbell = 0x100c;  // of queues 1
constexpr std::uint32_t invalid_value = 0x0001'0100;                 // log page 01h, information 01h, type 0
constexpr std::uint32_t temperature_event = 0x0002'0101, spare_event = 0x0002'0201;

/// A controller with one pair of I/O queues of 8.
struct Ready : test::NvmeBench {
  explicit Ready(nvme::Config config = {}, std::uint32_t entries = 8) : NvmeBench(std::move(config)) {
    REQUIRE(driver.begin());
    REQUIRE(driver.create_pair(1, entries, 0));
  }
  std::uint16_t ask_for_event() {
    const std::uint16_t id = driver.send(0, {.opcode = 0x0c});
    work();
    return id;
  }
  bool is_answered(std::uint16_t queue, std::uint16_t id) {
    work();
    driver.poll(queue);
    return driver.answered(queue, id);
  }
  std::uint16_t set(std::uint32_t feature, std::uint32_t value) {
    return driver.admin({.opcode = 9, .dword10 = feature, .dword11 = value}).status;
  }
  test::NvmeAnswer get(std::uint32_t feature, std::uint32_t selects) {
    return driver.admin({.opcode = 10, .dword10 = feature, .dword11 = selects});
  }
  void read_log(std::uint32_t page, bool retains_event = false) {
    const std::uint32_t retain = retains_event ? 1U << 15 : 0;
    REQUIRE(driver.admin({.opcode = 2, .prp1 = driver.allocate(), .dword10 = 15U << 16 | retain | page}).status == 0);
  }
  [[nodiscard]] std::uint32_t shutdown_status() { return driver.read32(0x1c) >> 2 & 3; }
  std::uint16_t send_read(std::uint64_t block) { return driver.send(1, driver.transfer(2, block, 1, driver.allocate())); }
};

}  // namespace

TEST_CASE("NVMe 1.4, 5.2: a completion doorbell beyond what was posted is an event, and leaves the queue as it was") {
  Ready bench;
  const auto event = bench.ask_for_event();
  for (unsigned i = 0; i < 3; ++i) bench.send_read(i);
  bench.work();                          // three completions that the host has not taken
  bench.driver.write32(cq_doorbell, 4);  // four
  REQUIRE(bench.is_answered(0, event));
  CHECK(bench.driver.finish(0, event).result == invalid_value);
  // Nothing was taken: seven places, of which four are left.
  std::vector<std::uint16_t> sent;
  for (unsigned i = 0; i < 4; ++i) sent.push_back(bench.send_read(i));
  bench.work();
  CHECK_FALSE(bench.controller.work());
  bench.driver.poll(1);
  for (const std::uint16_t id : sent) CHECK(bench.driver.answered(1, id));
}

TEST_CASE("NVMe 1.4, 5.2: doorbell values that take nothing, add nothing or lie beyond the queue are events") {
  const auto [doorbell, value] = GENERATE(table<std::uint32_t, std::uint32_t>({
      {cq_doorbell, 0},  // nothing was posted
      {cq_doorbell, 1},
      {cq_doorbell, 8},  // of 8
      {sq_doorbell, 0},  // as it is
      {sq_doorbell, 8},
      {sq_doorbell, 0xffff},
  }));
  CAPTURE(doorbell, value);
  Ready bench;
  const auto event = bench.ask_for_event();
  bench.driver.write32(doorbell, value);
  REQUIRE(bench.is_answered(0, event));
  CHECK(bench.driver.finish(0, event).result == invalid_value);
  CHECK(bench.driver.call(1, {.opcode = 0, .space = 1}).status == 0);
}

TEST_CASE("NVMe 1.4, 5.2: a submission doorbell that adds more than there are free entries is an event") {
  Ready bench({}, 300);  // commands beyond those that the controller holds stay in the queue
  const auto event = bench.ask_for_event();
  bench.holds = true;
  for (unsigned i = 0; i < 290; ++i) bench.send_read(0);
  bench.work();
  REQUIRE(bench.seen.size() < 290);
  bench.driver.write32(sq_doorbell, 289);  // all round but for one
  REQUIRE(bench.is_answered(0, event));
  CHECK(bench.driver.finish(0, event).result == invalid_value);
  bench.holds = false;
  bench.work();
  CHECK(bench.seen.size() == 290);
}

TEST_CASE("NVMe 1.4, 5.2: a host that takes a completion as soon as it sees it rings no invalid doorbell") {
  Ready bench;
  const auto event = bench.ask_for_event();
  const auto read = bench.send_read(0);
  bench.on_write = [&] { bench.driver.poll(1); };
  bench.work();
  CHECK(bench.driver.answered(1, read));
  CHECK_FALSE(bench.is_answered(0, event));
}

TEST_CASE("NVMe 1.4, 7.6.2: a shutdown ends although a completion queue is full") {
  const auto kind = GENERATE(1U, 2U);  // normal, abrupt
  Ready bench;
  for (unsigned i = 0; i < 7; ++i) bench.send_read(i);
  bench.work();
  bench.driver.send(1, {.opcode = 0, .space = 1});
  bench.work();  // its completion has no place
  bench.driver.write32(0x14, 0x460001 | kind << 14);
  bench.work();
  CHECK(bench.shutdown_status() == 2);
  CHECK(bench.driver.begin());
}

TEST_CASE("NVMe 1.4, 7.6.2: a normal shutdown serves what was fetched, an abrupt one gives up what is in front of the drive") {
  const auto [kind, served] = GENERATE(table<std::uint32_t, bool>({{1, true}, {2, false}}));
  Ready bench;
  bench.holds = true;
  bench.takes = 1;
  const std::uint64_t data = bench.driver.allocate();
  bench.driver.send(1, bench.driver.transfer(1, 0, 1, data));
  const auto waits = bench.driver.send(1, bench.driver.transfer(1, 8, 1, data));
  bench.work();
  bench.driver.write32(0x14, 0x460001 | kind << 14);
  bench.work();
  CHECK(bench.shutdown_status() == 1);
  CHECK(bench.transfers.size() == (served ? 2 : 1));
  bench.holds = false;
  bench.work();
  CHECK(bench.shutdown_status() == 2);
  bench.driver.poll(1);
  CHECK(bench.driver.answered(1, waits) == served);
}

TEST_CASE("NVMe 1.4, 5.15.2.2: Identify Controller says I/O controller and what FLUSH of every namespace does") {
  const bool cache = GENERATE(false, true);
  nvme::Config config;
  config.volatile_cache = cache;
  Ready bench(config);
  const std::uint64_t page = bench.driver.allocate();
  REQUIRE(bench.driver.admin({.opcode = 6, .prp1 = page, .dword10 = 1}).status == 0);
  CHECK(bench.driver.memory[page + 111] == 1);                // CNTRLTYPE
  CHECK(bench.driver.memory[page + 525] == (cache ? 7 : 6));  // VWC
  CHECK(bench.driver.call(1, {.opcode = 0, .space = 0xffff'ffff}).status == 0);
}

TEST_CASE("NVMe 1.4, 5.15.2.1 and 5.15.2.3: EUI64 of Identify Namespace is that of the identification descriptors") {
  nvme::Config config;
  config.namespaces = {Bytes(1U << 20U), Bytes(1U << 20U)};
  Ready bench(config);
  std::vector<std::uint64_t> names;
  for (std::uint32_t number = 1; number <= 2; ++number) {
    const std::uint64_t space = bench.driver.allocate(), descriptors = bench.driver.allocate();
    REQUIRE(bench.driver.admin({.opcode = 6, .space = number, .prp1 = space}).status == 0);
    REQUIRE(bench.driver.admin({.opcode = 6, .space = number, .prp1 = descriptors, .dword10 = 3}).status == 0);
    names.push_back(bench.driver.load<std::uint64_t>(space + 120));
    CHECK(names.back() == bench.driver.load<std::uint64_t>(descriptors + 4));
    CHECK(names.back() != 0);
  }
  CHECK(names[0] != names[1]);
}

TEST_CASE("NVMe 1.4, 5.21.1.4: temperature thresholds over and under are apart, and sensors that do not exist are refused") {
  Ready bench;
  constexpr std::uint32_t over = 0, under = 1U << 20;
  CHECK(bench.get(4, over).result == 343);
  CHECK(bench.get(4, under).result == 0);
  CHECK(bench.set(4, over | 330) == 0);
  CHECK(bench.set(4, under | 280) == 0);
  CHECK(bench.get(4, over).result == 330);
  CHECK(bench.get(4, under).result == 280);
  CHECK(bench.set(4, over | 0xfU << 16 | 331) == 0);  // every sensor
  CHECK(bench.get(4, over).result == 331);
  CHECK(bench.get(4, under).result == 280);
  for (const std::uint32_t none : {1U << 16, 8U << 16, 2U << 20, 3U << 20}) {
    CHECK(bench.set(4, none | 300) == 0x02);
    CHECK(bench.get(4, none).status == 0x02);
  }
  CHECK(bench.get(4, 0xfU << 16).status == 0x02);
}

TEST_CASE("NVMe 1.4, 5.21.1.9: each interrupt vector has its configuration, and vectors that do not exist are refused") {
  Ready bench;  // vectors 0 to 16
  constexpr std::uint32_t coalescing_off = 1U << 16;
  CHECK(bench.set(9, coalescing_off | 3) == 0);
  CHECK(bench.get(9, 3).result == (coalescing_off | 3));
  CHECK(bench.get(9, 4).result == 4);
  CHECK(bench.get(9, 16).status == 0);
  CHECK(bench.get(9, 17).status == 0x02);
  CHECK(bench.set(9, 17) == 0x02);
  nvme::Config config;
  config.vectors = 0;  // the line
  Ready line(config);
  CHECK(line.set(9, coalescing_off) == 0);
  CHECK(line.set(9, 1) == 0x02);
}

TEST_CASE("NVMe 1.4, 5.2: only the log page of an event's type unmasks it, and only without Retain Asynchronous Event") {
  const auto [page, retains, unmasks] = GENERATE(table<std::uint32_t, bool, bool>({
      {1, false, true},
      {1, true, false},
      {2, false, false},
      {3, false, false},
  }));
  CAPTURE(page, retains);
  Ready bench;
  const auto first = bench.ask_for_event(), second = bench.ask_for_event();
  bench.driver.write32(cq_doorbell, 1);
  REQUIRE(bench.driver.finish(0, first).result == invalid_value);
  bench.read_log(page, retains);
  bench.driver.write32(cq_doorbell, 1);
  CHECK(bench.is_answered(0, second) == unmasks);
}

TEST_CASE("NVMe 1.4, 5.2: a log page that is read before anybody asks for its event takes the event back") {
  Ready bench;
  bench.driver.write32(cq_doorbell, 1);
  bench.read_log(1);
  const auto event = bench.ask_for_event();
  CHECK_FALSE(bench.is_answered(0, event));
  bench.driver.write32(cq_doorbell, 1);
  CHECK(bench.is_answered(0, event));
}

TEST_CASE("NVMe 1.4, 5.21.1.4 and 5.21.1.11: a temperature beyond a threshold is a critical warning, and an event where that is enabled") {
  const auto [threshold, enabled] = GENERATE(table<std::uint32_t, bool>({{308, true}, {1U << 20 | 308, true}, {308, false}}));
  CAPTURE(threshold, enabled);
  Ready bench;
  const auto event = bench.ask_for_event();
  REQUIRE(bench.set(0x0b, enabled ? 2 : 1) == 0);
  CHECK_FALSE(bench.is_answered(0, event));
  REQUIRE(bench.set(4, threshold) == 0);  // the drive has 308 K
  REQUIRE(bench.is_answered(0, event) == enabled);
  const std::uint64_t page = bench.driver.allocate();
  REQUIRE(bench.driver.admin({.opcode = 2, .prp1 = page, .dword10 = 127U << 16 | 2}).status == 0);
  CHECK(bench.driver.memory[page] == 2);
  if (enabled) {
    CHECK(bench.driver.finish(0, event).result == temperature_event);
    CHECK_FALSE(bench.is_answered(0, bench.ask_for_event()));  // once, while it stays
  }
}

TEST_CASE("NVMe 1.4, 5.21.1.11: spares that come to an end are an event once it is enabled") {
  DriveHealth health;
  Picoseconds now;
  nvme::Config config;
  config.health = [&] { return health; };
  config.now = [&] { return now; };
  Ready bench(config);
  const auto event = bench.ask_for_event();
  REQUIRE(bench.set(0x0b, 1) == 0);
  health.spare_percent = 9;
  CHECK_FALSE(bench.is_answered(0, event));
  now = now + Picoseconds(2 * ps_per_second);
  CHECK(bench.driver.call(1, {.opcode = 0, .space = 1}).status == 0);  // the next completion looks
  REQUIRE(bench.is_answered(0, event));
  CHECK(bench.driver.finish(0, event).result == spare_event);
}

TEST_CASE("NVMe 1.4, 5.21.1.11: a failure looks for critical warnings at once") {
  DriveHealth health;
  nvme::Config config;
  config.health = [&] { return health; };
  Ready bench(config);
  const auto event = bench.ask_for_event();
  REQUIRE(bench.set(0x0b, 1) == 0);
  health.spare_percent = 0;
  bench.fails = true;
  CHECK(bench.driver.call(1, bench.driver.transfer(1, 0, 1, bench.driver.allocate())).status == 0x280);
  REQUIRE(bench.is_answered(0, event));
  CHECK(bench.driver.finish(0, event).result == spare_event);
}

TEST_CASE("NVMe 1.4, 5.1: Abort ends a command that waits in front of the drive at once") {
  Ready bench;
  bench.holds = true;
  bench.takes = 1;
  const auto at_drive = bench.send_read(0), waits = bench.send_read(8);
  bench.work();
  CHECK(bench.driver.admin({.opcode = 8, .dword10 = std::uint32_t{waits} << 16 | 2}).result == 1);  // of another queue
  const auto aborted = bench.driver.admin({.opcode = 8, .dword10 = std::uint32_t{waits} << 16 | 1});
  CHECK(aborted.status == 0);
  CHECK(aborted.result == 0);
  CHECK(bench.driver.finish(1, waits).status == 0x07);
  CHECK(bench.transfers.size() == 1);
  CHECK(bench.driver.admin({.opcode = 8, .dword10 = std::uint32_t{waits} << 16 | 1}).result == 1);  // is over
  bench.holds = false;
  CHECK(bench.driver.finish(1, at_drive).status == 0);
}

TEST_CASE("NVMe 1.4, 5.1: Abort of a command that the drive has ends with it, and says whether the drive was faster") {
  const bool aborts = GENERATE(false, true);
  const std::uint32_t flags = GENERATE(0U, 1U << 30U);  // FUA: the drive flushes first
  Ready bench;
  bench.aborts = aborts;
  bench.holds = true;
  const auto read = bench.driver.send(1, bench.driver.transfer(2, 0, 1, bench.driver.allocate(), flags));
  const auto other = bench.send_read(8);
  bench.work();
  const auto abort = bench.driver.send(0, {.opcode = 8, .dword10 = std::uint32_t{read} << 16 | 1});
  CHECK_FALSE(bench.is_answered(0, abort));
  CHECK_FALSE(bench.is_answered(1, read));
  bench.holds = false;
  const bool aborted = aborts || flags != 0;
  CHECK(bench.driver.finish(1, read).status == (aborted ? 0x07 : 0));
  CHECK(bench.driver.finish(0, abort).result == (aborted ? 0 : 1));
  CHECK(bench.driver.finish(1, other).status == 0);
}

TEST_CASE("NVMe 1.4, 5.1.1: an Abort ends after the command that it aborted") {
  Ready bench;
  for (unsigned i = 0; i < 7; ++i) bench.send_read(i);
  bench.work();  // the completion queue is full
  bench.holds = true;
  bench.takes = 0;
  const auto waits = bench.send_read(8);
  bench.work();
  const auto abort = bench.driver.send(0, {.opcode = 8, .dword10 = std::uint32_t{waits} << 16 | 1});
  CHECK_FALSE(bench.is_answered(0, abort));
  bench.driver.poll(1);
  CHECK(bench.driver.finish(1, waits).status == 0x07);
  CHECK(bench.driver.finish(0, abort).result == 0);
}

TEST_CASE("NVMe 1.4, 5.1: an Abort finds a place although I/O commands have all of theirs") {
  Ready bench({}, 400);
  bench.holds = true;
  bench.takes = 1;
  std::vector<std::uint16_t> sent;
  for (unsigned i = 0; i < 300; ++i) sent.push_back(bench.send_read(0));
  bench.work();
  CHECK(bench.seen.size() == 256);
  const auto abort = bench.driver.admin({.opcode = 8, .dword10 = std::uint32_t{sent[9]} << 16 | 1});
  CHECK(abort.status == 0);
  CHECK(abort.result == 0);
}

TEST_CASE("NVMe 1.4, 7.3.2: a reset waits for writes that the drive has, and for nothing else") {
  Ready bench;
  bench.holds = true;
  bench.takes = 2;
  const std::uint64_t data = bench.driver.allocate();
  const auto read = bench.driver.send(1, bench.driver.transfer(2, 0, 1, data));
  const bool writes = GENERATE(false, true);
  bench.driver.send(1, bench.driver.transfer(writes ? 1 : 2, 8, 1, data));
  bench.driver.send(1, bench.driver.transfer(1, 16, 1, data));
  bench.work();
  REQUIRE(bench.transfers.size() == 3);
  bench.driver.write32(0x14, 0x460000);
  bench.work();
  CHECK((bench.driver.read32(0x1c) & 1) == (writes ? 1 : 0));
  CHECK(bench.transfers.size() == 2);
  bench.driver.memory[data] = 0x55;
  bench.content[0] = 0x77;
  bench.holds = false;
  bench.work();
  CHECK((bench.driver.read32(0x1c) & 1) == 0);
  CHECK(bench.driver.memory[data] == 0x55);  // the read's data went nowhere
  bench.driver.poll(1);
  CHECK_FALSE(bench.driver.answered(1, read));
  REQUIRE(bench.driver.begin());
  REQUIRE(bench.driver.create_pair(1, 8, 0));
  CHECK(bench.driver.call(1, bench.driver.transfer(2, 0, 1, data)).status == 0);
  CHECK(bench.driver.memory[data] == 0x77);
}

TEST_CASE("NVMe 1.4, 7.3.2 and 7.6.2: a reset and an abrupt shutdown ask the drive once to give up the writes that it has") {
  const std::uint32_t configuration = GENERATE(0x46'0000U, 0x46'8001U);
  Ready bench;
  bench.holds = true;
  bench.driver.send(1, bench.driver.transfer(1, 0, 1, bench.driver.allocate()));
  bench.work();
  bench.driver.write32(0x14, configuration);
  bench.work();
  CHECK(bench.given_up.size() == 1);
  bench.given_up.clear();
  bench.work();
  CHECK(bench.given_up.empty());
  bench.holds = false;
  bench.work();
  CHECK((bench.driver.read32(0x1c) & 0xf) == (configuration == 0x46'0000U ? 0U : 9U));
}

TEST_CASE("NVMe 1.4, 7.3.2: a read that a reset forgot ends no command of after it") {
  Ready bench;
  bench.holds = true;
  bench.send_read(0);
  bench.work();
  REQUIRE(bench.driver.begin());
  REQUIRE(bench.driver.create_pair(1, 8, 0));
  const auto fresh = bench.send_read(8);
  bench.work();
  REQUIRE(bench.transfers.size() == 2);
  bench.controller.ended(bench.transfers.front(), false);
  bench.transfers.pop_front();
  CHECK_FALSE(bench.is_answered(1, fresh));
  bench.holds = false;
  CHECK(bench.driver.finish(1, fresh).status == 0);
}

TEST_CASE("NVMe 1.4, 3.1.7 to 3.1.10: there is no subsystem reset, and a reset keeps where the admin queues are") {
  Ready bench;
  bench.driver.write32(0x20, 0x4e56'4d65);  // "NVMe"
  CHECK(bench.driver.read32(0x20) == 0);
  CHECK(bench.driver.read32(0x1c) == 1);
  REQUIRE(bench.driver.enable(false));
  const std::uint32_t expected[] = {0x0fff'0fff, 0xffff'f000, 0x12, 0xffff'f000, 0x34};
  bench.driver.write32(0x24, 0xffff'ffff);
  bench.driver.write32(0x28, 0xffff'ffff);
  bench.driver.write32(0x2c, 0x12);
  bench.driver.write32(0x30, 0xffff'ffff);
  bench.driver.write32(0x34, 0x34);
  REQUIRE(bench.driver.enable(true));
  REQUIRE(bench.driver.enable(false));
  for (std::uint32_t i = 0; i < 5; ++i) CHECK(bench.driver.read32(0x24 + 4 * i) == expected[i]);
}

TEST_CASE("NVMe 1.4, 9.5: an I/O queue that cannot be reached is fatal, until a reset") {
  const bool completions = GENERATE(false, true);
  test::NvmeBench bench;
  REQUIRE(bench.driver.begin());
  const std::uint64_t nowhere = std::uint64_t{1} << 40U, page = bench.driver.allocate();
  const auto create = [&](std::uint8_t opcode, std::uint64_t at, std::uint32_t flags) {
    return bench.driver.admin({.opcode = opcode, .prp1 = at, .dword10 = 7U << 16 | 1, .dword11 = flags}).status;
  };
  REQUIRE(create(5, completions ? nowhere : page, 3) == 0);
  REQUIRE(create(1, completions ? page : nowhere, 1U << 16 | 1) == 0);
  bench.driver.write32(sq_doorbell, 1);
  bench.work();
  CHECK(bench.driver.read32(0x1c) == 2);
  CHECK(bench.driver.begin());
}

TEST_CASE("NVMe 1.4, 5.3 and 5.4: no I/O queue is created before CC says how large its entries are") {
  const auto [configuration, opcode, status] = GENERATE(table<std::uint32_t, std::uint8_t, std::uint16_t>(
      {{0x06'0000, 5, 0x102}, {0x40'0000, 5, 0}, {0x40'0000, 1, 0x102}, {0x46'0000, 1, 0}}));
  test::NvmeBench bench;
  REQUIRE(bench.driver.begin());
  if (opcode == 1) REQUIRE(bench.driver.admin({.opcode = 5, .prp1 = 0x1000, .dword10 = 7U << 16 | 1, .dword11 = 3}).status == 0);
  bench.driver.write32(0x14, configuration | 1);
  const std::uint32_t flags = opcode == 1 ? 1U << 16 | 1 : 3;
  CHECK(bench.driver.admin({.opcode = opcode, .prp1 = 0x2000, .dword10 = 7U << 16 | (opcode == 1 ? 1 : 2), .dword11 = flags}).status ==
        status);
}

TEST_CASE("NVMe 1.4, 4.6: a completion has the head of its submission queue as it is then") {
  Ready bench;
  bench.holds = true;
  const auto first = bench.send_read(0);
  bench.work();
  for (unsigned i = 0; i < 4; ++i) bench.send_read(i);
  bench.work();
  bench.holds = false;
  CHECK(bench.driver.finish(1, first).sq_head == 5);
}

TEST_CASE("NVMe 1.4, 5: commands and features that Identify does not claim are refused") {
  Ready bench;
  for (const unsigned opcode : {0x0dU, 0x10U, 0x11U, 0x14U, 0x15U, 0x18U, 0x80U, 0x81U, 0x82U, 0x84U})
    CHECK(bench.driver.admin({.opcode = static_cast<std::uint8_t>(opcode)}).status == 0x01);
  for (const unsigned opcode : {0x04U, 0x05U, 0x0cU, 0x0dU, 0x0eU, 0x11U, 0x15U})
    CHECK(bench.driver.call(1, {.opcode = static_cast<std::uint8_t>(opcode), .space = 1}).status == 0x01);
  for (const std::uint32_t feature : {0x00U, 0x03U, 0x0cU, 0x0fU, 0x10U, 0x80U}) CHECK(bench.get(feature, 0).status == 0x02);
  for (std::uint32_t structure = 4; structure < 0x18; ++structure)
    CHECK(bench.driver.admin({.opcode = 6, .prp1 = 0x1000, .dword10 = structure}).status == 0x02);
}

TEST_CASE("NVMe 1.4, 3.1.5: reserved bits of CC stay 0") {
  Ready bench;
  bench.driver.write32(0x14, 0xff46'000f);
  CHECK(bench.driver.read32(0x14) == 0x0046'0001);
}

TEST_CASE("NVMe 1.4, 3.1.6: CSTS.RDY is never 1 in a controller that was not ready when it is reset") {
  test::NvmeBench bench;
  bench.powered = false;
  bench.driver.write32(0x24, 0x001f'001f);
  bench.driver.write32(0x14, 0x0046'0001);
  bench.work();  // waits for the drive's power
  bench.driver.write32(0x14, 0x0046'0000);
  CHECK(bench.driver.read32(0x1c) == 0);
  bench.work();
  CHECK(bench.driver.read32(0x1c) == 0);
}

TEST_CASE(
    "NVMe 1.4, 3.1.5 and 3.1.6: a shutdown ends in a controller that is not enabled or has failed, and the next enabling begins anew") {
  const bool failed = GENERATE(false, true);
  test::NvmeBench bench;
  REQUIRE(bench.driver.begin());
  REQUIRE(bench.driver.enable(false));
  if (failed) {
    bench.driver.write32(0x24, 0);
    REQUIRE_FALSE(bench.driver.enable(true));
  }
  bench.driver.write32(0x14, 0x0046'4000 | (failed ? 1 : 0));
  bench.work();
  CHECK((bench.driver.read32(0x1c) >> 2 & 3) == 2);
  REQUIRE(bench.seen.size() == 1);
  CHECK(bench.seen[0].op == BlockOp::flush);
  bench.work();
  CHECK(bench.seen.size() == 1);
  CHECK(bench.driver.begin());
  CHECK(bench.driver.read32(0x1c) == 1);
}

TEST_CASE("NVMe 1.4, 3.1.6 and 7.3.2: a reset ends a shutdown, also where the host leaves CC.SHN as it was") {
  Ready bench;
  bench.driver.write32(0x14, 0x46'4001);
  bench.work();
  REQUIRE(bench.shutdown_status() == 2);
  bench.driver.write32(0x14, 0x46'4000);
  bench.work();
  CHECK(bench.driver.read32(0x1c) == 0);
  CHECK(bench.seen.size() == 1);  // one FLUSH
  REQUIRE(bench.driver.begin());
  bench.driver.write32(0x14, 0x46'4000);  // a reset, and a shutdown after it
  bench.work();
  CHECK(bench.driver.read32(0x1c) == 8);
}

TEST_CASE("NVMe 1.4, 5.14.1.2: the end of power is unsafe unless a shutdown was announced since the controller was enabled") {
  Ready bench;
  const auto unsafe = [&] {
    bench.controller.power_off();
    bench.controller.power_on();
    bench.work();
    REQUIRE(bench.driver.begin());
    const std::uint64_t page = bench.driver.allocate();
    REQUIRE(bench.driver.admin({.opcode = 2, .prp1 = page, .dword10 = 127U << 16 | 2}).status == 0);
    return bench.driver.load<std::uint64_t>(page + 144);
  };
  bench.driver.write32(0x14, 0x46'4001);  // announced is enough
  CHECK(unsafe() == 0);
  CHECK(unsafe() == 1);
  REQUIRE(bench.driver.enable(false));
  CHECK(unsafe() == 2);
  bench.driver.write32(0x14, 0x46'8001);
  bench.work();
  REQUIRE(bench.driver.enable(false));
  CHECK(unsafe() == 2);
  bench.driver.write32(0x14, 0x46'8001);
  bench.work();
  REQUIRE(bench.driver.begin());  // enabled since
  CHECK(unsafe() == 3);
}

TEST_CASE("NVMe 1.4, 4.6.1 and 5.14.1.1: a failure says More and is in the error log with its queue, its status and the parameter") {
  struct Case {
    test::NvmeRequest request;
    std::uint16_t queue, status, location;
  };
  const Case cases[] = {
      {{.opcode = 0x7f}, 0, 0x01, 0},
      {{.opcode = 6, .dword10 = 1, .fuse = 1}, 0, 0x02, 1},
      {{.opcode = 6, .dword10 = 1, .psdt = 1}, 0, 0x02, 0x601},
      {{.opcode = 6, .dword10 = 0x7f}, 0, 0x02, 40},
      {{.opcode = 6, .space = 9}, 0, 0x0b, 4},
      {{.opcode = 6, .prp1 = 0x1002, .dword10 = 1}, 0, 0x13, 24},
      {{.opcode = 5, .prp1 = 0x1000, .dword10 = 7U << 16 | 99, .dword11 = 3}, 0, 0x101, 40},
      {{.opcode = 5, .prp1 = 0x1000, .dword10 = 2, .dword11 = 3}, 0, 0x102, 42},
      {{.opcode = 5, .prp1 = 0x1000, .dword10 = 7U << 16 | 2, .dword11 = 2}, 0, 0x02, 44},
      {{.opcode = 5, .prp1 = 0x1000, .dword10 = 7U << 16 | 2, .dword11 = 99U << 16 | 3}, 0, 0x108, 46},
      {{.opcode = 1, .prp1 = 0x1000, .dword10 = 7U << 16 | 2, .dword11 = 9U << 16 | 1}, 0, 0x100, 46},
      {{.opcode = 1, .prp1 = 0x1000, .dword10 = 7U << 16 | 2, .dword11 = 1}, 0, 0x101, 46},
      {{.opcode = 2, .dword10 = 0x7f}, 0, 0x109, 40},
      {{.opcode = 2, .dword10 = 2, .dword12 = 1}, 0, 0x02, 48},
      {{.opcode = 2, .space = 1, .dword10 = 2}, 0, 0x02, 4},
      {{.opcode = 4, .dword10 = 1}, 0, 0x10c, 40},
      {{.opcode = 9, .dword10 = 0x77}, 0, 0x02, 40},
      {{.opcode = 9, .dword10 = 1U << 31 | 1}, 0, 0x10d, 0x72b},
      {{.opcode = 9, .space = 1, .dword10 = 1}, 0, 0x10f, 4},
      {{.opcode = 10, .dword10 = 7U << 8 | 1}, 0, 0x02, 41},
      {{.opcode = 0x7f, .space = 1}, 1, 0x01, 0},
      {{.opcode = 2, .space = 1, .fuse = 2}, 1, 0x02, 1},
      {{.opcode = 2, .space = 9}, 1, 0x0b, 4},
      {{.opcode = 2, .space = 1, .dword10 = 0xffff'0000}, 1, 0x80, 40},
      {{.opcode = 2, .space = 1, .dword12 = 0xffff}, 1, 0x02, 48},
      {{.opcode = 2, .space = 1, .prp1 = 0x1002}, 1, 0x13, 24},
      {{.opcode = 2, .space = 1, .prp1 = 0x1000, .prp2 = 0x2004, .dword12 = 15}, 1, 0x13, 32},
  };
  Ready bench;
  const std::uint64_t page = bench.driver.allocate();
  std::uint64_t count = 0;
  for (const Case& next : cases) {
    CAPTURE(next.status, next.location, next.queue, next.request.opcode);
    const std::uint16_t id = bench.driver.send(next.queue, next.request);
    const auto answer = bench.driver.finish(next.queue, id);
    CHECK(answer.status == next.status);
    CHECK((answer.field >> 13 & 1) == 1);
    REQUIRE(bench.driver.admin({.opcode = 2, .prp1 = page, .dword10 = 15U << 16 | 1}).field == 0);
    CHECK(bench.driver.load<std::uint64_t>(page) == ++count);
    CHECK(bench.driver.load<std::uint16_t>(page + 8) == next.queue);
    CHECK(bench.driver.load<std::uint16_t>(page + 10) == id);
    CHECK(bench.driver.load<std::uint16_t>(page + 12) >> 1 == answer.field);
    CHECK(bench.driver.load<std::uint16_t>(page + 14) == next.location);
    CHECK(bench.driver.load<std::uint32_t>(page + 24) == next.request.space);
    const bool has_block = next.queue == 1 && next.request.opcode == 2;
    CHECK(bench.driver.load<std::uint64_t>(page + 16) == (has_block ? next.request.dword10 : 0));
  }
}

TEST_CASE("NVMe 1.4, 5.14.1.1: an invalid doorbell is in the error log as of no command") {
  const auto [doorbell, status] = GENERATE(table<std::uint32_t, std::uint16_t>({{cq_doorbell, 0x02}, {0x1000 + 8 * 9, 0x101}}));
  Ready bench;
  bench.driver.write32(doorbell, 1);
  const std::uint64_t page = bench.driver.allocate();
  REQUIRE(bench.driver.admin({.opcode = 2, .prp1 = page, .dword10 = 15U << 16 | 1}).status == 0);
  CHECK(bench.driver.load<std::uint64_t>(page) == 1);
  CHECK(bench.driver.load<std::uint32_t>(page + 8) == 0xffff'ffff);
  CHECK((bench.driver.load<std::uint16_t>(page + 12) >> 1 & 0x7ff) == status);
  CHECK(bench.driver.load<std::uint16_t>(page + 14) == 0xffff);
}

TEST_CASE("NVMe 1.4, 6.1.5: a namespace that is not active is an invalid field, and one that cannot be is an invalid namespace") {
  nvme::Config config;
  config.namespaces = {Bytes(test::NvmeBench::bytes), Bytes(1U << 20U)};  // nothing is left for the second
  Ready bench(config);
  for (const std::uint8_t opcode : std::initializer_list<std::uint8_t>{0, 1, 2, 8, 9}) {
    CAPTURE(opcode);
    const auto status = [&](std::uint32_t space) {
      return bench.driver.call(1, {.opcode = opcode, .space = space, .prp1 = 0x1000}).status;
    };
    CHECK(status(1) == 0);
    CHECK(status(2) == 0x02);
    CHECK(status(0) == 0x0b);
    CHECK(status(3) == 0x0b);
    CHECK(status(0xffff'ffff) == (opcode == 0 ? 0 : 0x0b));
  }
}

TEST_CASE("NVMe 1.4, 5.14: log pages are of the controller, and are read from any dword on") {
  Ready bench;
  const std::uint64_t page = bench.driver.allocate();
  CHECK(bench.driver.admin({.opcode = 6, .prp1 = page, .dword10 = 1}).status == 0);
  CHECK(bench.driver.memory[page + 261] == 4);  // LPA
  for (const std::uint32_t log : {1U, 2U, 3U}) {
    CHECK(bench.driver.admin({.opcode = 2, .space = 0, .prp1 = page, .dword10 = log}).status == 0);
    CHECK(bench.driver.admin({.opcode = 2, .space = 0xffff'ffff, .prp1 = page, .dword10 = log}).status == 0);
    CHECK(bench.driver.admin({.opcode = 2, .space = 1, .prp1 = page, .dword10 = log}).status == 0x02);
  }
  std::fill_n(bench.driver.memory.begin() + static_cast<std::ptrdiff_t>(page), 16, 0xee);
  REQUIRE(bench.driver.admin({.opcode = 2, .prp1 = page, .dword10 = 1U << 16 | 3, .dword12 = 8}).status == 0);
  CHECK(bench.driver.memory[page] == '0');  // the revision
  CHECK(bench.driver.memory[page + 8] == 0xee);
}

TEST_CASE("NVMe 1.4, 5.21 and 7.8: a feature of the controller is set for all namespaces only") {
  Ready bench;
  const auto set = [&](std::uint32_t feature, std::uint32_t space) {
    return bench.driver.admin({.opcode = 9, .space = space, .dword10 = feature}).status;
  };
  CHECK(set(1, 0) == 0);
  CHECK(set(1, 0xffff'ffff) == 0);
  CHECK(set(1, 1) == 0x10f);
  CHECK(set(1, 2) == 0x0b);
  CHECK(set(5, 1) == 0);  // error recovery is of a namespace
  CHECK(set(5, 2) == 0x0b);
}

TEST_CASE("NVMe 1.4, 5.21.1.5: errors of deallocated blocks cannot be enabled") {
  Ready bench;
  CHECK(bench.set(5, 0xffff) == 0);
  CHECK(bench.set(5, 1U << 16) == 0x02);
  CHECK(bench.get(5, 0).result == 0xffff);
}

TEST_CASE("NVMe 1.4, 5.21.1.7: the number of queues is allocated once, and before there are any") {
  test::NvmeBench bench;
  REQUIRE(bench.driver.begin());
  const auto allocate = [&](std::uint32_t wanted) { return bench.driver.admin({.opcode = 9, .dword10 = 7, .dword11 = wanted}); };
  CHECK(allocate(3U << 16 | 2).result == (3U << 16 | 2));
  CHECK(allocate(7U << 16 | 7).result == (3U << 16 | 2));
  REQUIRE(bench.driver.admin({.opcode = 5, .prp1 = 0x1000, .dword10 = 7U << 16 | 4, .dword11 = 3}).status == 0);
  CHECK(bench.driver.admin({.opcode = 5, .prp1 = 0x1000, .dword10 = 7U << 16 | 5, .dword11 = 3}).status == 0x101);
  REQUIRE(bench.driver.admin({.opcode = 4, .dword10 = 4}).status == 0);
  CHECK(allocate(0).status == 0x0c);  // although it is gone
  REQUIRE(bench.driver.begin());
  CHECK(allocate(7U << 16 | 7).result == (7U << 16 | 7));
}

TEST_CASE("NVMe 1.4, 5.1: as many Aborts are outstanding as ACL says, and one more is refused, which may be tried again") {
  Ready bench({}, 16);
  for (unsigned i = 0; i < 15; ++i) bench.send_read(i);
  bench.work();  // the completion queue is full
  bench.holds = true;
  bench.takes = 0;
  std::vector<std::uint16_t> waits, aborts;
  for (unsigned i = 0; i < 5; ++i) waits.push_back(bench.send_read(i));
  bench.work();
  for (unsigned i = 0; i < 4; ++i) aborts.push_back(bench.driver.send(0, {.opcode = 8, .dword10 = std::uint32_t{waits[i]} << 16 | 1}));
  bench.work();
  const auto refused = bench.driver.admin({.opcode = 8, .dword10 = std::uint32_t{waits[4]} << 16 | 1});
  CHECK(refused.status == 0x103);
  CHECK_FALSE(refused.do_not_retry);
  bench.driver.poll(1);
  for (const std::uint16_t id : aborts) CHECK(bench.driver.finish(0, id).status == 0);
  CHECK(bench.driver.admin({.opcode = 8, .dword10 = std::uint32_t{waits[4]} << 16 | 1}).status == 0);
  for (const std::uint16_t id : waits) CHECK(bench.driver.finish(1, id).status == 0x07);
}

TEST_CASE("NVMe 1.4, 6.9: a read with force unit access flushes a volatile cache first") {
  nvme::Config config;
  config.volatile_cache = GENERATE(false, true);
  Ready bench(config);
  const std::uint64_t data = bench.driver.allocate();
  bench.content[512 * 3] = 0x5a;
  CHECK(bench.driver.call(1, bench.driver.transfer(2, 3, 1, data, 1U << 30U)).status == 0);
  CHECK(bench.driver.memory[data] == 0x5a);
  REQUIRE(bench.seen.size() == (config.volatile_cache ? 2 : 1));
  CHECK(bench.seen.back().op == BlockOp::read);
  if (!config.volatile_cache) return;
  CHECK(bench.seen.front().op == BlockOp::flush);
  bench.fails = true;
  CHECK(bench.driver.call(1, bench.driver.transfer(2, 3, 1, data, 1U << 30U)).status == 0x281);
  CHECK(bench.seen.size() == 3);
}

TEST_CASE("NVMe 1.4, 4.13: queues take turns, one command at a time") {
  Ready bench;
  REQUIRE(bench.driver.create_pair(2, 8, 0));
  bench.holds = true;
  const std::uint64_t data = bench.driver.allocate();
  for (unsigned i = 0; i < 3; ++i) bench.driver.send(1, bench.driver.transfer(2, i, 1, data));
  for (unsigned i = 0; i < 3; ++i) bench.driver.send(2, bench.driver.transfer(2, 8 + i, 1, data));
  bench.work();
  std::vector<std::uint64_t> order;
  for (const BlockTransfer& transfer : bench.seen) order.push_back(transfer.offset / 512);
  CHECK((order == std::vector<std::uint64_t>{0, 8, 1, 9, 2, 10} || order == std::vector<std::uint64_t>{8, 0, 9, 1, 10, 2}));
}
