// The registers as a TLM target, and the initiator of firmware that runs in the simulator's process.
#include <catch2/catch.hpp>
#include <map>
#include <systemc>
#include <tlm>

#include "base/error.hpp"
#include "base/firmware_fault.hpp"
#include "base/timeline_module.hpp"
#include "bus/protocol_checker_module.hpp"
#include "machine/register_bus_module.hpp"
#include "machine/register_file.hpp"

using namespace tessera;

namespace {

/// A unit whose registers keep what is written.
struct Unit final : RegisterUnit {
  std::map<hal::Register, std::uint64_t> values;
  std::uint64_t read(hal::Register which) override { return values[which]; }
  void write(hal::Register which, std::uint64_t value) override { values[which] = value; }
};

struct Bench {
  TimelineModule drive{"drive", Picoseconds(0)};
  RegisterTargetModule target{"registers"};
  RegisterInitiatorModule firmware{"firmware", drive, target};
  ProtocolCheckerModule checker{"checker"};
  Unit timer;
  RegisterFile registers;

  Bench() {
    firmware.bus.bind(checker.from);
    checker.to.bind(target.socket);
    registers.connect(hal::Block::timer, timer);
    firmware.connect(&registers);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  tlm::tlm_response_status send(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    firmware.bus->b_transport(payload, delay);
    CHECK(delay == sc_core::SC_ZERO_TIME);
    return payload.get_response_status();
  }
};

constexpr std::uint64_t alarm_at = 0x4000'6008;

}  // namespace

TEST_CASE("a register is read and written as a transaction of its 8 bytes, whole or in halves, in no time") {
  Bench bench;
  bench.firmware.store(alarm_at, 0x1122'3344'5566'7788);
  CHECK(bench.timer.values.at(hal::Register::timer_alarm) == 0x1122'3344'5566'7788);
  CHECK(bench.firmware.load(alarm_at) == 0x1122'3344'5566'7788);
  std::uint32_t half = 0;
  CHECK(bench.send(tlm::TLM_READ_COMMAND, alarm_at, &half, 4) == tlm::TLM_OK_RESPONSE);
  CHECK(half == 0x5566'7788);
  CHECK(bench.send(tlm::TLM_READ_COMMAND, alarm_at + 4, &half, 4) == tlm::TLM_OK_RESPONSE);
  CHECK(half == 0x1122'3344);
}

TEST_CASE("what is no plain access of 4 or 8 bytes is answered with TLM's error, wrong use of a register is the firmware's fault") {
  Bench bench;
  std::uint64_t words[2] = {};
  CHECK(bench.send(tlm::TLM_READ_COMMAND, alarm_at, words, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(bench.send(tlm::TLM_READ_COMMAND, alarm_at, words, 16) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(bench.send(tlm::TLM_READ_COMMAND, alarm_at, nullptr, 8) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(bench.send(tlm::TLM_IGNORE_COMMAND, alarm_at, words, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK_THROWS_WITH(bench.firmware.store(0x4000'6000, 1), Catch::Contains("timer.now, which is read-only"));
  CHECK_THROWS_AS(bench.firmware.load(0x4000'6010), FirmwareFault);
}

TEST_CASE("without power a register answers with an error, and is nobody's to debug") {
  Bench bench;
  tlm::tlm_generic_payload payload;
  std::uint64_t word = 0;
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  payload.set_data_length(8);
  payload.set_read();
  payload.set_address(alarm_at);
  CHECK(bench.firmware.bus->transport_dbg(payload) == 0);
  bench.firmware.connect(nullptr);
  CHECK(bench.send(tlm::TLM_READ_COMMAND, alarm_at, &word, 8) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK_THROWS_AS(bench.firmware.load(alarm_at), ModelBug);
}
