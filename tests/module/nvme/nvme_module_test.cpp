// The drive behind NVMe, driven as an operating system does: brought up, kept busy over queues that wrap, and cut from its power.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <systemc>

#include "platforms/drive/nvme_drive.hpp"
#include "support/controller_host.hpp"
#include "support/nvme_driver.hpp"
#include "support/process_apart.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

using Host = test::ControllerHost<test::NvmeDriver>;

struct Bench final : TimelineListener {
  explicit Bench(const std::string& layer, std::vector<std::string> overrides = {})
      : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", overrides, layer)) {
    DriveParts parts;
    parts.check_protocol = true;
    drive = std::make_unique<DriveModule>("drive", config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
    nvme::Config controller = nvme_config(*drive);
    controller.vectors = 0;  // the line
    nvme = make_nvme("nvme", *drive, controller);
    host.registers.bind(nvme->registers);
    nvme->memory.bind(host.memory);
    nvme->interrupt.bind(host.interrupt);
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
  std::unique_ptr<NvmeModule> nvme;
  Host host{"host"};
};

/// As Linux brings a controller up: reset, admin queues, enable, identify, queues, features. `blocks`: of the first of so many namespaces.
void bring_up_units(test::NvmeDriver& driver, std::uint32_t units, std::uint64_t& blocks) {
  REQUIRE(driver.begin(32));
  const std::uint64_t page = driver.allocate();
  REQUIRE(driver.admin({.opcode = 6, .prp1 = page, .dword10 = 1}).status == 0);
  REQUIRE(driver.admin({.opcode = 9, .dword10 = 7, .dword11 = 0}).status == 0);
  REQUIRE(driver.create_pair(1, 33, 0));
  REQUIRE(driver.admin({.opcode = 6, .prp1 = page, .dword10 = 2}).status == 0);
  for (std::uint32_t unit = 0; unit < units; ++unit) REQUIRE(driver.load<std::uint32_t>(page + 4 * unit) == unit + 1);
  REQUIRE(driver.load<std::uint32_t>(page + 4 * units) == 0);
  REQUIRE(driver.admin({.opcode = 6, .space = 1, .prp1 = page}).status == 0);
  blocks = driver.load<std::uint64_t>(page);
}

void bring_up(test::NvmeDriver& driver, std::uint64_t& blocks) { bring_up_units(driver, 1, blocks); }

void fill(test::NvmeDriver& driver, std::uint64_t at, std::uint64_t place, unsigned salt) {
  for (std::uint64_t i = 0; i < 4096; ++i) driver.memory[at + i] = static_cast<unsigned char>(place * 37 + i * 11 / 3 + salt);
}
bool holds(const test::NvmeDriver& driver, std::uint64_t at, std::uint64_t place, unsigned salt) {
  for (std::uint64_t i = 0; i < 4096; ++i)
    if (driver.memory[at + i] != static_cast<unsigned char>(place * 37 + i * 11 / 3 + salt)) return false;
  return true;
}

/// `count` transfers of 4 KiB with 32 in flight, over a queue of 33 that wraps; `place` gives each its block.
template <class Place>
void at_depth_32(test::NvmeDriver& driver, std::uint8_t opcode, unsigned count, std::uint64_t buffers, const Place& place) {
  std::map<unsigned, std::uint16_t> in_flight;
  for (unsigned sent = 0, ended = 0; ended < count;) {
    for (; sent < count && in_flight.size() < 32; ++sent)
      in_flight[sent] = driver.send(1, driver.transfer(opcode, place(sent), 8, buffers + sent * 4096));
    driver.poll(1);
    for (auto at = in_flight.begin(); at != in_flight.end();) {
      if (!driver.answered(1, at->second)) {
        ++at;
        continue;
      }
      CHECK(driver.finish(1, at->second).status == 0);
      at = in_flight.erase(at);
      ++ended;
    }
    if (ended < count) driver.pass();
  }
}

void keep_busy(const std::string& layer) {
  Bench bench(layer);
  bench.run([&](Host& host) {
    std::uint64_t blocks = 0;
    bring_up(host.driver, blocks);
    CHECK(blocks == bench.drive->capacity().value() / 512);
    constexpr unsigned count = 150;
    const auto place = [&](unsigned i) { return i * 7919 * 8 % (blocks - 8) / 8 * 8; };
    const std::uint64_t out = host.driver.allocate(count), back = host.driver.allocate(count);
    for (unsigned i = 0; i < count; ++i) fill(host.driver, out + i * 4096, place(i), 1);
    at_depth_32(host.driver, 1, count, out, place);
    CHECK(host.driver.call(1, {.opcode = 0, .space = 1}).status == 0);
    at_depth_32(host.driver, 2, count, back, place);
    for (unsigned i = 0; i < count; ++i) CHECK(holds(host.driver, back + i * 4096, place(i), 1));
    CHECK(host.rises > 10);
    // The last block, and the first that is none.
    CHECK(host.driver.call(1, host.driver.transfer(1, blocks - 8, 8, out)).status == 0);
    CHECK(host.driver.call(1, host.driver.transfer(2, blocks - 7, 8, back)).status == 0x80);
    const std::uint64_t page = host.driver.allocate();
    REQUIRE(host.driver.admin({.opcode = 2, .prp1 = page, .dword10 = 127U << 16 | 2}).status == 0);
    CHECK(host.driver.load<std::uint64_t>(page + 64) == count);
    CHECK(host.driver.load<std::uint64_t>(page + 80) == count + 1);
  });
}

}  // namespace

TEST_CASE("a conventional drive behind NVMe serves 32 commands at once, byte by byte") { keep_busy("cmr"); }
TEST_CASE("an interlaced drive behind NVMe serves 32 commands at once, byte by byte") { keep_busy("imr-rmw"); }
TEST_CASE("a shingled drive behind NVMe serves 32 commands at once, byte by byte") { keep_busy("skylight-disk"); }

TEST_CASE("each logical unit of a drive with two arms is a namespace") {
  Bench bench("cmr", {"media.surfaces=2", "media.tracks=512", "media.actuators=2", "host.luns=2"});
  bench.run([&](Host& host) {
    std::uint64_t first = 0;
    bring_up_units(host.driver, 2, first);
    const std::uint64_t page = host.driver.allocate();
    REQUIRE(host.driver.admin({.opcode = 6, .space = 2, .prp1 = page}).status == 0);
    CHECK(first + host.driver.load<std::uint64_t>(page) == bench.drive->capacity().value() / 512);
    CHECK(first == host.driver.load<std::uint64_t>(page));
    CHECK(host.driver.admin({.opcode = 6, .space = 3, .prp1 = page}).status != 0);
  });
}

namespace {

/// Blocks that were flushed, then others that were not and a cut among them; after the boot the first are there, the others old or new.
void cut_in_the_middle(const std::string& layer) {
  Bench bench(layer, {"firmware.write_cache.capacity=1 MiB", "firmware.write_cache.durability=volatile"});
  bench.run([&](Host& host) {
    auto& driver = host.driver;
    std::uint64_t blocks = 0;
    bring_up(driver, blocks);
    constexpr unsigned count = 64;
    const auto place = [](unsigned i) { return std::uint64_t{i} * 8 * 97; };
    const std::uint64_t old = driver.allocate(count), fresh = driver.allocate(count), back = driver.allocate(count);
    for (unsigned i = 0; i < count; ++i) {
      fill(driver, old + i * 4096, place(i), 1);
      fill(driver, fresh + i * 4096, place(i), 2);
    }
    at_depth_32(driver, 1, count, old, place);
    REQUIRE(driver.call(1, {.opcode = 0, .space = 1}).status == 0);
    std::vector<std::uint16_t> sent;
    for (unsigned i = 0; i < 32; ++i) sent.push_back(driver.send(1, driver.transfer(1, place(i), 8, fresh + i * 4096)));
    const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
    bench.drive->timeline_module().post(now + 3_ms, bench, 0);
    bench.drive->timeline_module().post(now + 1_s, bench, 1);
    sc_core::wait(500, sc_core::SC_MS);
    std::uint32_t status = 0;
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x1c, status) == tlm::TLM_GENERIC_ERROR_RESPONSE);  // without power
    sc_core::wait(3, sc_core::SC_SEC);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x1c, status) == tlm::TLM_OK_RESPONSE);
    CHECK(status == 0);  // as after a power-on
    bring_up(driver, blocks);
    at_depth_32(driver, 2, count, back, place);
    for (unsigned i = 0; i < count; ++i) {
      const bool is_old = holds(driver, back + i * 4096, place(i), 1), is_new = holds(driver, back + i * 4096, place(i), 2);
      CHECK((is_old || (i < 32 && is_new)));
    }
    const std::uint64_t page = driver.allocate();
    REQUIRE(driver.admin({.opcode = 2, .prp1 = page, .dword10 = 127U << 16 | 2}).status == 0);
    CHECK(driver.load<std::uint64_t>(page + 144) == 1);  // unsafe shutdowns
  });
}

}  // namespace

TEST_CASE("a flush through NVMe keeps its promise over a power cut: conventional") { cut_in_the_middle("cmr"); }
TEST_CASE("a flush through NVMe keeps its promise over a power cut: interlaced") { cut_in_the_middle("imr-rmw"); }
TEST_CASE("a flush through NVMe keeps its promise over a power cut: shingled") { cut_in_the_middle("skylight-disk"); }

namespace {

/// How long a reset takes with so many random transfers of 4 KiB in flight.
sc_core::sc_time reset_with(unsigned count, std::uint8_t opcode) {
  Bench bench("cmr");
  sc_core::sc_time took;
  bench.run([&](Host& host) {
    const std::uint64_t blocks = bench.drive->capacity().value() / 512, data = host.driver.allocate(count);
    REQUIRE(host.driver.begin());
    REQUIRE(host.driver.create_pair(1, 256, 0));
    sc_core::wait(1, sc_core::SC_SEC);  // the drive has booted
    for (unsigned i = 0; i < count; ++i)
      host.driver.send(1, host.driver.transfer(opcode, (i * 7919ULL + 4) * 80'000 % (blocks - 8) / 8 * 8, 8, data + i * 4096));
    sc_core::wait(10, sc_core::SC_MS);
    const sc_core::sc_time from = sc_core::sc_time_stamp();
    host.driver.write32(0x14, 0x460000);
    while ((host.driver.read32(0x1c) & 1) != 0) sc_core::wait(100, sc_core::SC_US);
    took = sc_core::sc_time_stamp() - from;
    REQUIRE(host.driver.begin());
    REQUIRE(host.driver.create_pair(1, 256, 0));
    CHECK(host.driver.call(1, host.driver.transfer(2, 0, 8, data)).status == 0);
  });
  return took;
}

}  // namespace

TEST_CASE("a reset of NVMe with 200 commands in flight waits only for writes that the drive has") {
  CHECK(reset_with(200, 2) < sc_core::sc_time(2, sc_core::SC_MS));
}
TEST_CASE("a reset of NVMe with 200 writes in flight waits for those in the tags of the drive") {
  CHECK(reset_with(200, 1) < sc_core::sc_time(450, sc_core::SC_MS));
}

TEST_CASE("an Abort of NVMe reaches commands in the drive, at its socket and in front of it, and the others are served") {
  const std::uint8_t opcode = GENERATE(std::uint8_t{1}, std::uint8_t{2});
  const std::string result = test::process_apart([opcode] {
    Bench bench("cmr");
    std::string statuses;
    bench.run([&](Host& host) {
      constexpr unsigned count = 40;  // 32 tags
      REQUIRE(host.driver.begin());
      REQUIRE(host.driver.create_pair(1, 64, 0));
      sc_core::wait(1, sc_core::SC_SEC);  // the drive has booted
      const std::uint64_t data = host.driver.allocate(count);
      std::vector<std::uint16_t> sent;
      for (unsigned i = 0; i < count; ++i)
        sent.push_back(host.driver.send(1, host.driver.transfer(opcode, i * 80'000, 8, data + i * 4096)));
      sc_core::wait(1, sc_core::SC_MS);
      for (const unsigned i : {10U, 32U, 39U}) {
        const auto abort = host.driver.admin({.opcode = 8, .dword10 = std::uint32_t{sent[i]} << 16 | 1});
        statuses += std::to_string(abort.result) + " " + std::to_string(host.driver.finish(1, sent[i]).status) + " ";
        sent[i] = 0;
      }
      for (const std::uint16_t id : sent)
        if (id != 0 && host.driver.finish(1, id).status != 0) statuses += " " + std::to_string(id);
      if (host.driver.call(1, host.driver.transfer(2, 0, 8, data)).status != 0) statuses += " stuck";
    });
    return statuses;
  });
  CHECK(result == "0 7 0 7 0 7 ");
}

TEST_CASE("register accesses that the controller does not take are answered by kind") {
  Bench bench("cmr");
  bench.run([](Host& host) {
    std::uint32_t value[4] = {};
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x3ffc, *value) == tlm::TLM_OK_RESPONSE);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0x4000, *value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 2, *value) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0, *value, 8) == tlm::TLM_OK_RESPONSE);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 4, *value, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(host.access(tlm::TLM_READ_COMMAND, 0, *value, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(host.access(tlm::TLM_IGNORE_COMMAND, 0, *value) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  });
}

namespace {

/// When each of some writes was answered, behind a processor that takes 300 ns between accesses and runs so far ahead of the kernel.
std::string answers_at(const sc_core::sc_time& quantum) {
  Bench bench("cmr");
  bench.host.quantum = quantum;
  bench.host.cycles = sc_core::sc_time(300, sc_core::SC_NS);
  std::string times;
  bench.run([&](Host& host) {
    std::uint64_t blocks = 0;
    bring_up(host.driver, blocks);
    const std::uint64_t data = host.driver.allocate(8);
    for (unsigned round = 0; round < 6; ++round) {
      std::vector<std::uint16_t> sent;
      for (unsigned i = 0; i < 8; ++i)
        sent.push_back(host.driver.send(1, host.driver.transfer(1, (round * 8 + i) * 7919 * 8, 8, data + i * 4096)));
      for (const std::uint16_t id : sent) {
        times += std::to_string(host.driver.finish(1, id).status) + " ";
        times += std::to_string(sc_core::sc_time_stamp().value()) + "\n";
      }
    }
  });
  return times;
}

}  // namespace

TEST_CASE("what NVMe does when does not depend on how far the processor in front of it runs ahead") {
  const std::string at_once = test::process_apart([] { return answers_at(sc_core::SC_ZERO_TIME); });
  REQUIRE(std::ranges::count(at_once, '\n') == 48);
  for (const double quantum : {1., 1'000., 100'000.})
    CHECK(test::process_apart([quantum] { return answers_at(sc_core::sc_time(quantum, sc_core::SC_US)); }) == at_once);
}

namespace {

/// Accesses without blocking, each with a delay, and when they are answered.
struct Poster : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Poster> registers{"registers"};
  tlm_utils::simple_target_socket<Poster> memory{"memory"};          // nothing reaches it
  std::vector<std::pair<std::uint32_t, sc_core::sc_time>> answered;  // value, instant
  explicit Poster(sc_core::sc_module_name name) : sc_module(name) {
    registers.register_nb_transport_bw(this, &Poster::back);
    SC_HAS_PROCESS(Poster);
    SC_THREAD(run);
  }
  void run() {
    wait(5, sc_core::SC_MS);
    std::uint32_t aqa[2] = {0x001f'001f, 0};
    tlm::tlm_generic_payload payloads[2];
    for (unsigned i = 0; i < 2; ++i) {
      payloads[i].set_command(i == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
      payloads[i].set_address(0x24);
      payloads[i].set_data_ptr(reinterpret_cast<unsigned char*>(&aqa[i]));
      payloads[i].set_data_length(4);
      payloads[i].set_streaming_width(4);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay(i == 0 ? 20 : 10, sc_core::SC_US);
      CHECK(registers->nb_transport_fw(payloads[i], phase, delay) == tlm::TLM_ACCEPTED);
    }
    wait(1, sc_core::SC_MS);
    sc_core::sc_stop();
  }
  tlm::tlm_sync_enum back(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    CHECK(phase == tlm::BEGIN_RESP);
    CHECK(payload.is_response_ok());
    std::uint32_t value = 0;
    std::memcpy(&value, payload.get_data_ptr(), 4);
    answered.emplace_back(value, sc_core::sc_time_stamp() + delay);
    return tlm::TLM_COMPLETED;
  }
};

}  // namespace

TEST_CASE("a register access of NVMe that does not block takes effect at its own instant, in the order of these") {
  const DriveConfig config = load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {}, "cmr");
  DriveModule drive("drive", config, plan_drive(config), ContentMode::bytes, 1);
  const auto nvme = make_nvme("nvme", drive, nvme_config(drive));
  Poster poster("poster");
  poster.registers.bind(nvme->registers);
  nvme->memory.bind(poster.memory);
  drive.power_on(false, [](Status status) { CHECK(status == Status::ok); });
  sc_core::sc_start();
  drive.timeline_module().rethrow_failure();
  REQUIRE(poster.answered.size() == 2);
  CHECK(poster.answered[0] == std::pair(std::uint32_t{0}, sc_core::sc_time(5'010, sc_core::SC_US)));
  CHECK(poster.answered[1] == std::pair(std::uint32_t{0x001f'001f}, sc_core::sc_time(5'020, sc_core::SC_US)));
}
