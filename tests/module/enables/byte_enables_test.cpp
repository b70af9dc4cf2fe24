// Byte enables at every target of a drive: random reads and writes with random patterns, compared with a plain array of bytes.
#include <tlm_utils/simple_target_socket.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <systemc>
#include <vector>

#include "base/byte_enables.hpp"
#include "bus/address_map.hpp"
#include "module/strangers/strange_hosts.hpp"
#include "platforms/drive/ahci_drive.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/drive/nvme_drive.hpp"

using namespace tessera;

namespace {

using Octets = std::vector<unsigned char>;

/// Accesses of one initiator, with patterns.
class Driver {
 public:
  bool always_first = false;  ///< the patterns enable the first byte

  explicit Driver(strangers::BlockingHost& host) : host_(host) {}

  tlm::tlm_response_status send(tlm::tlm_command command, std::uint64_t at, Octets& data, Octets& pattern) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    if (!pattern.empty()) payload.set_byte_enable_ptr(pattern.data());
    payload.set_byte_enable_length(static_cast<unsigned>(pattern.size()));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    host_.socket->b_transport(payload, delay);
    sc_core::wait(delay);
    return payload.get_response_status();
  }

  std::uint64_t draw(std::uint64_t count) { return random_() % count; }
  Octets bytes(std::size_t count) {
    Octets drawn(count);
    for (unsigned char& byte : drawn) byte = static_cast<unsigned char>(random_());
    return drawn;
  }
  /// All but the first of them are shorter than the data, at times longer; some enable nothing or all.
  Octets pattern(std::size_t data) {
    Octets drawn(1 + draw(data + 4));
    const std::uint64_t kind = draw(8);
    for (unsigned char& byte : drawn) byte = kind == 0 ? 0 : kind == 1 || draw(2) != 0 ? 0xff : 0;
    if (always_first) drawn[0] = 0xff;
    return drawn;
  }

  /// Accesses of up to `longest` bytes in the `size` from `base` on; their addresses and lengths are multiples of `align`.
  void compare(std::uint64_t base, std::size_t size, std::size_t align, std::size_t longest, unsigned rounds) {
    Octets model, none;
    for (std::size_t at = 0; at < size; at += align) {
      Octets first = bytes(align);
      REQUIRE(send(tlm::TLM_WRITE_COMMAND, base + at, first, none) == tlm::TLM_OK_RESPONSE);
      model.insert(model.end(), first.begin(), first.end());
    }
    for (unsigned round = 0; round < rounds; ++round) {
      const std::size_t length = align * (1 + draw(longest / align));
      const std::size_t at = align * draw((size - length) / align + 1);
      Octets data = bytes(length), enables = pattern(length);
      const ByteEnables pattern(enables);
      const bool writes = round % 2 == 0;
      Octets expected = data;
      REQUIRE(send(writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, base + at, data, enables) == tlm::TLM_OK_RESPONSE);
      for (std::size_t i = 0; i < length; ++i) {
        if (enables[i % enables.size()] == 0) continue;
        (writes ? model[at + i] : expected[i]) = writes ? data[i] : model[at + i];
      }
      REQUIRE(data == expected);
    }
    for (std::size_t at = 0; at < size; at += align) {
      Octets last(align);
      REQUIRE(send(tlm::TLM_READ_COMMAND, base + at, last, none) == tlm::TLM_OK_RESPONSE);
      REQUIRE(std::equal(last.begin(), last.end(), model.begin() + static_cast<std::ptrdiff_t>(at)));
    }
  }
  /// A pattern of no length, and one of other values.
  void refuse(std::uint64_t at, std::size_t length) {
    unsigned char nothing = 0xff;
    for (const unsigned size : {0U, 1U}) {
      Octets data(length);
      tlm::tlm_generic_payload payload;
      payload.set_write();
      payload.set_address(at);
      payload.set_data_ptr(data.data());
      payload.set_data_length(static_cast<unsigned>(length));
      payload.set_streaming_width(static_cast<unsigned>(length));
      payload.set_byte_enable_ptr(&nothing);
      payload.set_byte_enable_length(size);
      if (size == 1) nothing = 1;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      host_.socket->b_transport(payload, delay);
      CHECK(payload.get_response_status() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    }
  }

 private:
  strangers::BlockingHost& host_;
  std::mt19937_64 random_{20261130};
};

struct Bench {
  explicit Bench(const std::string& layer = "cmr", std::optional<ProcessorPart> processor = {})
      : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {}, layer)) {
    DriveParts parts;
    parts.check_protocol = true;
    parts.processor = processor;
    drive = std::make_unique<DriveModule>("drive", config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
  }
  void run(std::function<void(Driver&)> program) {
    host.program = [&](strangers::BlockingHost& self) {
      sc_core::wait(1, sc_core::SC_MS);
      Driver driver(self);
      program(driver);
    };
    drive->power_on(false, [](Status) {});
    sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC));
    drive->timeline_module().rethrow_failure();
    CHECK(host.finished);
  }

  DriveConfig config;
  std::unique_ptr<DriveModule> drive;
  strangers::BlockingHost host{"host"};
};

/// A memory that a host controller never reaches here.
struct Nowhere : sc_core::sc_module {
  tlm_utils::simple_target_socket<Nowhere> socket{"socket"};
  explicit Nowhere(sc_core::sc_module_name name) : sc_module(name) { socket.register_b_transport(this, &Nowhere::b_transport); }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) { payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); }
};

}  // namespace

TEST_CASE("enabled bytes of blocks, and no others, are written and read at the block socket") {
  Bench bench;
  bench.host.socket.bind(bench.drive->block_socket());
  bench.run([](Driver& driver) {
    driver.compare(4096 * 5 - 512, 64 * 512, 512, 20 * 512, 60);
    driver.refuse(0, 512);
  });
}

TEST_CASE("enabled bytes of DRAM, sectors and flash pages, and no others, are written and read next to the processor") {
  Bench bench;
  bench.host.socket.bind(bench.drive->processor_socket());
  bench.run([&](Driver& driver) {
    driver.compare(address_map::dram + bench.config.dram.capacity.value() - 8192, 4096, 1, 300, 400);
    driver.refuse(address_map::dram, 8);
    driver.compare(address_map::disk_channel, 16 * 4096, 4096, 4 * 4096, 40);
    driver.refuse(address_map::disk_channel, 4096);
    driver.refuse(address_map::nand, 4096);
    // What is not loaded into a flash page's register stays erased.
    for (std::uint64_t page = 0; page < 8; ++page) {
      Octets data = driver.bytes(4096), enables = driver.pattern(100), none, back(4096), some(4096, 0x5a);
      REQUIRE(driver.send(tlm::TLM_WRITE_COMMAND, address_map::nand + page * 4096, data, enables) == tlm::TLM_OK_RESPONSE);
      REQUIRE(driver.send(tlm::TLM_READ_COMMAND, address_map::nand + page * 4096, back, none) == tlm::TLM_OK_RESPONSE);
      REQUIRE(driver.send(tlm::TLM_READ_COMMAND, address_map::nand + page * 4096, some, enables) == tlm::TLM_OK_RESPONSE);
      for (std::size_t i = 0; i < data.size(); ++i) {
        const bool takes_part = enables[i % enables.size()] != 0;
        REQUIRE(back[i] == (takes_part ? data[i] : 0xff));
        REQUIRE(some[i] == (takes_part ? data[i] : 0x5a));
      }
    }
  });
}

TEST_CASE("enabled bytes of DRAM and registers, and no others, are written and read at a foreign processor's port") {
  Bench bench("cmr", ProcessorPart{Bytes(65'536)});
  sc_core::sc_signal<bool> interrupt, reset;
  bench.drive->processor_port().interrupt.bind(interrupt);
  bench.drive->processor_port().reset.bind(reset);
  bench.host.socket.bind(bench.drive->processor_port().socket);
  bench.run([](Driver& driver) {
    driver.compare(0x8000'0000, 4096, 1, 200, 400);
    driver.refuse(0x8000'0000, 16);
    driver.refuse(0x4000'3000, 8);
    driver.always_first = true;  // the upper half of a register alone waits for its lower one
    driver.compare(static_cast<std::uint64_t>(hal::Register::mover_from), 32, 8, 8, 400);
    constexpr auto at = static_cast<std::uint64_t>(hal::Register::mover_to);
    Octets word{1, 2, 3, 4}, pattern{0xff, 0, 0, 0xff}, none, value(8), upper{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
    REQUIRE(driver.send(tlm::TLM_READ_COMMAND, at, value, none) == tlm::TLM_OK_RESPONSE);
    const Octets before = value;
    value = {9, 9, 9, 9, 5, 6, 7, 8};
    REQUIRE(driver.send(tlm::TLM_WRITE_COMMAND, at, value, upper) == tlm::TLM_OK_RESPONSE);
    REQUIRE(driver.send(tlm::TLM_READ_COMMAND, at, value, none) == tlm::TLM_OK_RESPONSE);
    CHECK(value == before);
    REQUIRE(driver.send(tlm::TLM_WRITE_COMMAND, at, word, pattern) == tlm::TLM_OK_RESPONSE);
    REQUIRE(driver.send(tlm::TLM_READ_COMMAND, at, value, none) == tlm::TLM_OK_RESPONSE);
    CHECK(value == Octets{1, before[1], before[2], 4, 5, 6, 7, 8});
  });
}

namespace {

void compare_registers(bool is_nvme) {
  Bench bench;
  Nowhere memory("memory");
  const auto nvme = is_nvme ? make_nvme("nvme", *bench.drive) : nullptr;
  const auto ahci = is_nvme ? nullptr : make_ahci("ahci", *bench.drive);
  auto& controller = is_nvme ? static_cast<HostControllerModule&>(*nvme) : *ahci;
  controller.memory.bind(memory.socket);
  bench.host.socket.bind(controller.registers);
  bench.run([&](Driver& driver) {
    const auto write = [&](std::uint64_t at, Octets data, Octets enables) {
      REQUIRE(driver.send(tlm::TLM_WRITE_COMMAND, at, data, enables) == tlm::TLM_OK_RESPONSE);
    };
    const auto read = [&](std::uint64_t at, std::size_t bytes, Octets enables = {}) {
      Octets data(bytes, 0xee);
      REQUIRE(driver.send(tlm::TLM_READ_COMMAND, at, data, enables) == tlm::TLM_OK_RESPONSE);
      return data;
    };
    const std::uint64_t base = is_nvme ? 0x28 : 0x100;  // of 64 bits, whose lower ones are zeros: ASQ, PxCLB
    write(base, {0, 0x30, 3, 4, 5, 6, 7, 8}, {});
    write(base, {0, 0x50, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}, {0, 0xff});
    CHECK(read(base, 8) == Octets{0, 0x50, 3, 0x44, 5, 0x66, 7, 0x88});
    write(base, {1, 2, 3, 4, 0x15, 0x16, 0x17, 0x18}, {0, 0, 0, 0, 0, 0xff, 0xff, 0});
    CHECK(read(base, 8, {0xff, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff}) == Octets{0, 0x50, 0xee, 0xee, 5, 0x16, 0x17, 0x88});
    driver.refuse(base, 8);
    if (!is_nvme) {  // AHCI 1.3.1, 3: 64 bits at most, and no least width
      write(0x102, {0x22}, {});
      CHECK(read(0x102, 1) == Octets{0x22});
      CHECK(read(0x100, 8) == Octets{0, 0x50, 0x22, 0x44, 5, 0x16, 0x17, 0x88});
      write(0x106, {0x77, 0x99}, {0xff, 0});
      CHECK(read(0x106, 2, {0, 0xff}) == Octets{0xee, 0x88});
      CHECK(read(0x106, 2) == Octets{0x77, 0x88});
      write(0x133, {0x04}, {});  // PxSERR.DIAG.X alone
      CHECK(read(0x130, 4) == Octets{0, 0, 1, 0});
      Octets odd(2);
      CHECK(driver.send(tlm::TLM_READ_COMMAND, 0x101, odd, odd) == tlm::TLM_BURST_ERROR_RESPONSE);
      return;
    }
    write(0x0c, {0xff, 0xff, 0, 0}, {});               // INTMS: all vectors of the lower half
    write(0x10, {0xff, 0x0f, 0xff, 0xff}, {0, 0xff});  // INTMC: of the second byte, and of the fourth, where none is set
    CHECK(read(0x0c, 4) == Octets{0xff, 0xf0, 0, 0});
  });
}

}  // namespace

TEST_CASE("registers of NVMe keep the bytes that a write leaves out, and ones act where they are enabled") { compare_registers(true); }
TEST_CASE("registers of AHCI keep the bytes that a write leaves out") { compare_registers(false); }
