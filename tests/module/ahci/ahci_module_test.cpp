// The drive behind AHCI, driven as an operating system does: brought up, kept busy with 32 queued commands, and cut from its power.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <systemc>

#include "platforms/drive/ahci_drive.hpp"
#include "support/ahci_driver.hpp"
#include "support/controller_host.hpp"
#include "support/process_apart.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::AhciDriver;

namespace {

using Host = test::ControllerHost<AhciDriver>;

struct Bench final : TimelineListener {
  explicit Bench(const std::string& layer, std::vector<std::string> overrides = {})
      : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", overrides, layer)) {
    DriveParts parts;
    parts.check_protocol = true;
    drive = std::make_unique<DriveModule>("drive", config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
    ahci = make_ahci("ahci", *drive);
    host.registers.bind(ahci->registers);
    ahci->memory.bind(host.memory);
    ahci->interrupt.bind(host.interrupt);
  }
  void on_time(std::uint64_t again) override {
    if (again == 0) return static_cast<void>(drive->power_off());
    drive->power_on(true, [](Status status) { CHECK(status == Status::ok); });
  }
  void run(std::function<void(Host&)> program) {
    host.program = std::move(program);
    drive->power_on(false, [](Status status) { CHECK(status == Status::ok); });
    sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC));
    drive->timeline_module().rethrow_failure();
    CHECK(host.finished);
  }

  DriveConfig config;
  std::unique_ptr<DriveModule> drive;
  std::unique_ptr<AhciModule> ahci;
  Host host{"host"};
};

/// As Linux brings a port up, and asks the drive what it is.
void bring_up(AhciDriver& driver, std::uint64_t page, std::uint64_t& blocks) {
  REQUIRE(driver.begin());
  REQUIRE(driver.call(AhciDriver::identify(page)).ok());
  blocks = driver.load<std::uint64_t>(page + 200);
}

void fill(AhciDriver& driver, std::uint64_t at, std::uint64_t place, unsigned salt) {
  for (std::uint64_t i = 0; i < 4096; ++i) driver.memory[at + i] = static_cast<unsigned char>(place * 37 + i * 11 / 3 + salt);
}
bool holds(const AhciDriver& driver, std::uint64_t at, std::uint64_t place, unsigned salt) {
  for (std::uint64_t i = 0; i < 4096; ++i)
    if (driver.memory[at + i] != static_cast<unsigned char>(place * 37 + i * 11 / 3 + salt)) return false;
  return true;
}

/// `count` transfers of 4 KiB with 32 in flight; `place` gives each its block.
template <class Place>
void at_depth_32(AhciDriver& driver, bool writes, unsigned count, std::uint64_t buffers, const Place& place) {
  std::uint32_t in_flight = 0;
  for (unsigned sent = 0, ended = 0; ended < count;) {
    for (unsigned slot = 0; slot < 32 && sent < count; ++slot) {
      if ((in_flight >> slot & 1) != 0) continue;
      in_flight |= 1U << slot;
      driver.issue(slot, AhciDriver::queued(writes, slot, place(sent), 8, buffers + sent * 4096));
      ++sent;
    }
    CHECK((driver.acknowledge() & 0x7800'0000) == 0);
    const std::uint32_t over = in_flight & ~(driver.read32(AhciDriver::ci) | driver.read32(AhciDriver::sact));
    for (unsigned slot = 0; slot < 32; ++slot) ended += over >> slot & 1;
    in_flight &= ~over;
    if (over == 0) driver.pass();
  }
}

void keep_busy(const std::string& layer, bool is_shingled) {
  Bench bench(layer);
  bench.run([&](Host& host) {
    AhciDriver& driver = host.driver;
    const std::uint64_t page = driver.allocate();
    std::uint64_t blocks = 0;
    bring_up(driver, page, blocks);
    CHECK(blocks == bench.drive->capacity().value() / 512);
    CHECK(driver.load<std::uint16_t>(page + 2 * 217) == bench.config.media.speed.value());
    CHECK(driver.load<std::uint16_t>(page + 2 * 75) == 31);
    CHECK(driver.load<std::uint16_t>(page + 2 * 106) == 0x6003);
    CHECK((driver.load<std::uint16_t>(page + 2 * 69) & 3) == (is_shingled ? 2 : 0));
    constexpr unsigned count = 150;
    const auto place = [&](unsigned i) { return i * 7919 * 8 % (blocks - 8) / 8 * 8; };
    const std::uint64_t out = driver.allocate(count), back = driver.allocate(count);
    for (unsigned i = 0; i < count; ++i) fill(driver, out + i * 4096, place(i), 1);
    at_depth_32(driver, true, count, out, place);
    CHECK(driver.call(AhciDriver::flush()).ok());
    at_depth_32(driver, false, count, back, place);
    for (unsigned i = 0; i < count; ++i) CHECK(holds(driver, back + i * 4096, place(i), 1));
    CHECK(host.rises > 10);
    // Without the queue, at the last block, and the first that is none.
    CHECK(driver.call(AhciDriver::direct(true, blocks - 8, 8, out)).ok());
    CHECK(driver.call(AhciDriver::direct(false, blocks - 8, 8, back)).ok());
    CHECK(holds(driver, back, place(0), 1));
    CHECK(driver.call(AhciDriver::direct(false, blocks - 7, 8, back)).error == 0x10);
    REQUIRE(driver.restart());
    std::fill_n(driver.memory.begin() + static_cast<std::ptrdiff_t>(page), 512, static_cast<unsigned char>(0));
    driver.store<std::uint64_t>(page, std::uint64_t{8} << 48);
    CHECK(driver.call({.command = 0x06, .count = 1, .features = 1, .writes = true, .data = page, .bytes = 512}).ok());
    REQUIRE(driver.call(AhciDriver::smart(0xd0, page)).ok());
    std::map<unsigned, std::uint32_t> raw;
    for (std::uint64_t at = page + 2; driver.memory[at] != 0; at += 12) raw[driver.memory[at]] = driver.load<std::uint32_t>(at + 5);
    CHECK(raw.at(241) == (count + 1) * 8);
    CHECK(raw.at(242) == (count + 1) * 8);
    CHECK(raw.at(198) == 0);
  });
}

}  // namespace

TEST_CASE("a conventional drive behind AHCI serves 32 queued commands at once, byte by byte") { keep_busy("cmr", false); }
TEST_CASE("an interlaced drive behind AHCI serves 32 queued commands at once, byte by byte") { keep_busy("imr-rmw", false); }
TEST_CASE("a shingled drive behind AHCI serves 32 queued commands at once, byte by byte") { keep_busy("skylight-disk", true); }

namespace {

/// Blocks that were flushed, then others that were not and a cut among them; after the boot the first are there, the others old or new.
void cut_in_the_middle(const std::string& layer) {
  Bench bench(layer, {"firmware.write_cache.capacity=1 MiB", "firmware.write_cache.durability=volatile"});
  bench.run([&](Host& host) {
    AhciDriver& driver = host.driver;
    const std::uint64_t page = driver.allocate();
    std::uint64_t blocks = 0;
    bring_up(driver, page, blocks);
    CHECK((driver.load<std::uint16_t>(page + 2 * 85) & 0x20) != 0);  // the write cache
    constexpr unsigned count = 64;
    const auto place = [](unsigned i) { return std::uint64_t{i} * 8 * 97; };
    const std::uint64_t old = driver.allocate(count), fresh = driver.allocate(count), back = driver.allocate(count);
    for (unsigned i = 0; i < count; ++i) {
      fill(driver, old + i * 4096, place(i), 1);
      fill(driver, fresh + i * 4096, place(i), 2);
    }
    at_depth_32(driver, true, count, old, place);
    REQUIRE(driver.call(AhciDriver::flush()).ok());
    // Number 0 is forced, which ends before the cut.
    CHECK(driver.call(AhciDriver::queued(true, 0, place(0), 8, fresh, true)).ok());
    for (unsigned i = 1; i < 32; ++i) driver.issue(i, AhciDriver::queued(true, i, place(i), 8, fresh + i * 4096));
    const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
    bench.drive->timeline_module().post(now + 3_ms, bench, 0);
    bench.drive->timeline_module().post(now + 1_s, bench, 1);
    sc_core::wait(500, sc_core::SC_MS);
    std::uint32_t status = 0;
    CHECK(host.access(tlm::TLM_READ_COMMAND, AhciDriver::tfd, status) == tlm::TLM_GENERIC_ERROR_RESPONSE);  // without power
    sc_core::wait(3, sc_core::SC_SEC);
    CHECK(host.access(tlm::TLM_READ_COMMAND, AhciDriver::clb, status) == tlm::TLM_OK_RESPONSE);
    CHECK(status == 0);  // as after a power-on
    bring_up(driver, page, blocks);
    at_depth_32(driver, false, count, back, place);
    CHECK(holds(driver, back, place(0), 2));
    for (unsigned i = 1; i < count; ++i) {
      const bool is_old = holds(driver, back + i * 4096, place(i), 1), is_new = holds(driver, back + i * 4096, place(i), 2);
      CHECK((is_old || (i < 32 && is_new)));
    }
    REQUIRE(driver.call(AhciDriver::smart(0xd0, page)).ok());
    for (std::uint64_t at = page + 2; driver.memory[at] != 0; at += 12)
      if (driver.memory[at] == 192) CHECK(driver.load<std::uint32_t>(at + 5) == 1);  // unannounced cuts
  });
}

}  // namespace

TEST_CASE("a flush through AHCI keeps its promise over a power cut: conventional") { cut_in_the_middle("cmr"); }
TEST_CASE("a flush through AHCI keeps its promise over a power cut: interlaced") { cut_in_the_middle("imr-rmw"); }
TEST_CASE("a flush through AHCI keeps its promise over a power cut: shingled") { cut_in_the_middle("skylight-disk"); }

namespace {

/// The count that CHECK POWER MODE answers.
unsigned power_mode(AhciDriver& driver) {
  REQUIRE(driver.call({.command = 0xe5}).ok());
  return driver.load<std::uint8_t>(driver.received() + 0x40 + 12);
}

/// How long a read of the drive takes.
sc_core::sc_time time_of_read(AhciDriver& driver, std::uint64_t at) {
  const sc_core::sc_time from = sc_core::sc_time_stamp();
  CHECK(driver.call(AhciDriver::direct(false, 80'000, 8, at)).ok());
  return sc_core::sc_time_stamp() - from;
}

}  // namespace

TEST_CASE("STANDBY IMMEDIATE through AHCI stops the spindle, and the next read waits for it") {
  Bench bench("cmr", {"media.power_conditions.standby_after=60 s", "media.power_conditions.standby_recovery=8 s"});
  bench.run([&](Host& host) {
    AhciDriver& driver = host.driver;
    const std::uint64_t page = driver.allocate();
    std::uint64_t blocks = 0;
    bring_up(driver, page, blocks);
    CHECK((driver.load<std::uint16_t>(page + 2 * 82) & 1U << 3) != 0);
    time_of_read(driver, page);
    CHECK(power_mode(driver) == 0xff);
    CHECK(time_of_read(driver, page) < sc_core::sc_time(50, sc_core::SC_MS));
    CHECK(driver.call({.command = 0xe0}).ok());
    CHECK(power_mode(driver) == 0x00);
    sc_core::wait(3, sc_core::SC_SEC);
    CHECK(power_mode(driver) == 0x00);
    const sc_core::sc_time woken = time_of_read(driver, page);
    CHECK(woken > sc_core::sc_time(8, sc_core::SC_SEC));
    CHECK(woken < sc_core::sc_time(8'050, sc_core::SC_MS));
    CHECK(power_mode(driver) == 0xff);
    CHECK(time_of_read(driver, page) < sc_core::sc_time(50, sc_core::SC_MS));
    CHECK(driver.call({.command = 0xe0}).ok());
    CHECK(driver.call({.command = 0xe1}).ok());  // IDLE IMMEDIATE: it starts
    sc_core::wait(9, sc_core::SC_SEC);
    CHECK(time_of_read(driver, page) < sc_core::sc_time(50, sc_core::SC_MS));
    sc_core::wait(61, sc_core::SC_SEC);  // by itself
    CHECK(power_mode(driver) == 0x00);
  });
}

TEST_CASE("a drive whose description has no power conditions stops and starts as an AHCI host says, by the default spin-up") {
  Bench bench("cmr");
  bench.run([&](Host& host) {
    AhciDriver& driver = host.driver;
    const std::uint64_t page = driver.allocate();
    std::uint64_t blocks = 0;
    bring_up(driver, page, blocks);
    CHECK((driver.load<std::uint16_t>(page + 2 * 82) & 1U << 3) != 0);
    time_of_read(driver, page);
    CHECK(power_mode(driver) == 0xff);
    CHECK(driver.call({.command = 0xe0}).ok());
    CHECK(power_mode(driver) == 0x00);
    const sc_core::sc_time woken = time_of_read(driver, page);
    CHECK(woken > sc_core::sc_time(15, sc_core::SC_SEC));
    CHECK(woken < sc_core::sc_time(15'050, sc_core::SC_MS));
    CHECK(power_mode(driver) == 0xff);
    CHECK(time_of_read(driver, page) < sc_core::sc_time(50, sc_core::SC_MS));
    sc_core::wait(100, sc_core::SC_SEC);
    CHECK(power_mode(driver) == 0xff);  // it does not stop by itself
  });
}

TEST_CASE("a count of 0 moves 65,536 blocks through AHCI, queued or not, in regions of 4 MiB") {
  Bench bench("cmr");
  bench.run([&](Host& host) {
    AhciDriver& driver = host.driver;
    const std::uint64_t page = driver.allocate();
    std::uint64_t blocks = 0;
    bring_up(driver, page, blocks);
    constexpr std::uint32_t region = 4U << 20;
    const std::uint64_t memory = driver.allocate(region / AhciDriver::page);
    const auto move = [&](test::AhciRequest request) {
      request.data = 0;
      request.bytes = 65'536 * 512;
      request.region = region;
      driver.prepare(0, request);
      for (unsigned i = 0; i < 8; ++i) driver.store<std::uint64_t>(driver.table(0) + 0x80 + i * 16, memory);
      if (request.command == 0x61) driver.write32(AhciDriver::sact, 1);
      driver.write32(AhciDriver::ci, 1);
      CHECK(driver.finish(0).ok());
      driver.acknowledge();
    };
    fill(driver, memory + region - 4096, 1, 3);
    move(AhciDriver::queued(true, 0, 8, 0, 0));
    std::fill_n(driver.memory.begin() + static_cast<std::ptrdiff_t>(memory), region, static_cast<unsigned char>(0));
    move(AhciDriver::direct(false, 8, 0, 0));
    CHECK(holds(driver, memory + region - 4096, 1, 3));
    CHECK(driver.load<std::uint32_t>(driver.header(0) + 4) == 65'536 * 512);
  });
}

TEST_CASE("a sector that cannot be read is an uncorrectable error behind AHCI, with its log page") {
  Bench bench("cmr", {"media.unrecoverable_errors_per_billion=1000000000"});
  bench.run([&](Host& host) {
    AhciDriver& driver = host.driver;
    const std::uint64_t page = driver.allocate();
    std::uint64_t blocks = 0;
    bring_up(driver, page, blocks);
    CHECK(driver.call(AhciDriver::queued(true, 0, 800, 8, page)).ok());
    const test::AhciAnswer answer = driver.call(AhciDriver::queued(false, 0, 800, 8, page));
    CHECK(answer.status == 0x41);
    CHECK(answer.error == 0x40);
    REQUIRE(driver.restart());
    REQUIRE(driver.call(AhciDriver::queue_log(page)).ok());
    CHECK((driver.load<std::uint32_t>(page + 4) & 0xff'ffff) == 800);
  });
}

namespace {

/// When each of some writes was over, behind a processor that takes 300 ns between accesses and runs so far ahead of the kernel.
std::string answers_at(const sc_core::sc_time& quantum) {
  Bench bench("cmr");
  bench.host.quantum = quantum;
  bench.host.cycles = sc_core::sc_time(300, sc_core::SC_NS);
  std::string times;
  bench.run([&](Host& host) {
    AhciDriver& driver = host.driver;
    std::uint64_t blocks = 0;
    bring_up(driver, driver.allocate(), blocks);
    const std::uint64_t data = driver.allocate(8);
    for (unsigned round = 0; round < 6; ++round) {
      for (unsigned slot = 0; slot < 8; ++slot)
        driver.issue(slot, AhciDriver::queued(true, slot, (round * 8 + slot) * 7919 * 8, 8, data + slot * 4096));
      for (std::uint32_t left = 0xff; left != 0;) {
        driver.acknowledge();
        const std::uint32_t over = left & ~(driver.read32(AhciDriver::ci) | driver.read32(AhciDriver::sact));
        left &= ~over;
        times += std::to_string(over) + " " + std::to_string(sc_core::sc_time_stamp().value()) + "\n";
        if (over == 0) driver.pass();
      }
    }
  });
  return times;
}

}  // namespace

TEST_CASE("what AHCI does when does not depend on how far the processor in front of it runs ahead") {
  const std::string at_once = test::process_apart([] { return answers_at(sc_core::SC_ZERO_TIME); });
  REQUIRE(std::ranges::count(at_once, '\n') >= 12);
  for (const double quantum : {1., 1'000., 100'000.})
    CHECK(test::process_apart([quantum] { return answers_at(sc_core::sc_time(quantum, sc_core::SC_US)); }) == at_once);
}
