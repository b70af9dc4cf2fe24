#include "dram/dram_module.hpp"

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <systemc>
#include <tlm>
#include <vector>

using namespace tessera;
using namespace tessera::literals;

namespace {

DECLARE_EXTENDED_PHASE(somebodys_phase);

constexpr Picoseconds miss = 13'750_ps + 13'750_ps + 5_ns;
constexpr Picoseconds hit = 13'750_ps + 5_ns;

/// Calls b_transport directly: loosely timed, so that no process has to wait.
class Initiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Initiator> socket;
  explicit Initiator(sc_core::sc_module_name name) : sc_core::sc_module(name), socket("socket") {}

  tlm::tlm_response_status send(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, unsigned bytes,
                                Picoseconds& delay) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time annotated = to_sc_time(delay);
    socket->b_transport(payload, annotated);
    delay = from_sc_time(annotated);
    return payload.get_response_status();
  }
};

struct Platform {
  Platform() : dram("dram", DramConfig()), initiator("initiator") {
    initiator.socket.bind(dram.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  tlm::tlm_response_status access(std::uint64_t address, unsigned bytes, Picoseconds& delay) {
    tlm::tlm_generic_payload payload;
    return initiator.send(payload, tlm::TLM_READ_COMMAND, address, bytes, delay);
  }
  DramModule dram;
  Initiator initiator;
};

}  // namespace

TEST_CASE("an access adds its time to the annotated delay and lets no time pass") {
  Platform platform;
  Picoseconds delay = 100_ns;
  CHECK(platform.access(0, 8, delay) == tlm::TLM_OK_RESPONSE);
  CHECK(delay == 100_ns + miss);
  CHECK(platform.access(8, 8, delay) == tlm::TLM_OK_RESPONSE);
  CHECK(delay == 100_ns + miss + hit);
  CHECK(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);
}

TEST_CASE("the DRAM's time is kernel time plus the delay: a refresh comes where it is due") {
  Platform platform;
  sc_core::sc_start(to_sc_time(7'700_ns));
  Picoseconds delay = 100_ns;
  CHECK(platform.access(0, 8, delay) == tlm::TLM_OK_RESPONSE);
  CHECK(delay == 100_ns + 160_ns + miss);
}

TEST_CASE("a DMA extension makes a burst of the whole extent") {
  Platform platform;
  tlm::tlm_generic_payload payload;
  DmaExtension mark;
  payload.set_extension(&mark);
  Picoseconds delay = 0_ns;
  CHECK(platform.initiator.send(payload, tlm::TLM_WRITE_COMMAND, 0, 4096, delay) == tlm::TLM_OK_RESPONSE);
  payload.clear_extension(&mark);
  CHECK(delay == 27'500_ps + 2 * 640_ns);
  MetricSet metrics;
  platform.dram.device().report(metrics, 1_us);
  CHECK(metrics.find("dram.dma.count")->value == 1);
  CHECK(metrics.find("dram.accesses")->value == 0);
}

TEST_CASE("addresses beyond the capacity and commands that move nothing are answered with an error and no delay") {
  Platform platform;
  const std::uint64_t capacity = DramConfig().capacity.value();
  Picoseconds delay = 0_ns;
  CHECK(platform.access(capacity, 1, delay) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(platform.access(capacity - 8, 9, delay) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  tlm::tlm_generic_payload payload;
  CHECK(platform.initiator.send(payload, tlm::TLM_IGNORE_COMMAND, 0, 8, delay) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(delay == 0_ns);
  CHECK(platform.access(capacity - 8, 8, delay) == tlm::TLM_OK_RESPONSE);
}

TEST_CASE("what is written is read back, also without time and through direct access, and a power cut clears it") {
  Platform platform;
  std::vector<unsigned char> data(300);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 3 + 1);
  const std::uint64_t place = DramConfig().capacity.value() - 300;
  tlm::tlm_generic_payload payload;
  payload.set_data_ptr(data.data());
  Picoseconds delay = 0_ns;
  CHECK(platform.initiator.send(payload, tlm::TLM_WRITE_COMMAND, place, 300, delay) == tlm::TLM_OK_RESPONSE);

  std::vector<unsigned char> back(400, 0xee);
  payload.set_data_ptr(back.data());
  CHECK(platform.initiator.send(payload, tlm::TLM_READ_COMMAND, place, 300, delay) == tlm::TLM_OK_RESPONSE);
  CHECK(std::equal(data.begin(), data.end(), back.begin()));
  CHECK(back[300] == 0xee);

  std::fill(back.begin(), back.end(), 0xee);
  payload.set_data_length(400);  // 100 bytes beyond the end
  CHECK(platform.initiator.socket->transport_dbg(payload) == 300);
  CHECK(payload.get_data_length() == 400);  // that is the initiator's
  CHECK(std::equal(data.begin(), data.end(), back.begin()));

  tlm::tlm_dmi dmi;
  REQUIRE(platform.initiator.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == 0);
  CHECK(dmi.get_end_address() == DramConfig().capacity.value() - 1);
  CHECK(dmi.is_read_write_allowed());
  CHECK(std::equal(data.begin(), data.end(), dmi.get_dmi_ptr() + place));
  dmi.get_dmi_ptr()[place] = 0x55;
  payload.set_data_length(1);
  CHECK(platform.initiator.socket->transport_dbg(payload) == 1);
  CHECK(back[0] == 0x55);

  platform.dram.power_off();
  payload.set_data_length(300);
  CHECK(platform.initiator.socket->transport_dbg(payload) == 300);
  CHECK(back == [] {
    std::vector<unsigned char> zeros(400, 0);
    std::fill(zeros.begin() + 300, zeros.end(), 0xee);
    return zeros;
  }());
}

TEST_CASE("byte enables of no length and streaming are refused") {
  Platform platform;
  tlm::tlm_generic_payload payload;
  unsigned char enables = 0xff;
  payload.set_byte_enable_ptr(&enables);
  Picoseconds delay = 0_ns;
  CHECK(platform.initiator.send(payload, tlm::TLM_READ_COMMAND, 0, 8, delay) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_data_length(8);
  payload.set_streaming_width(4);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time annotated;
  platform.initiator.socket->b_transport(payload, annotated);
  CHECK(payload.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST_CASE("a request is answered in its call, a phase of somebody's own is ignored, and a later one of the base protocol ends the run") {
  Platform platform;
  unsigned char data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(64);
  payload.set_data_ptr(data);
  payload.set_data_length(8);
  payload.set_streaming_width(8);
  const auto send = [&](tlm::tlm_phase phase) {
    sc_core::sc_time delay;
    return platform.initiator.socket->nb_transport_fw(payload, phase, delay);
  };
  for (const tlm::tlm_phase_enum later : {tlm::END_REQ, tlm::BEGIN_RESP, tlm::END_RESP})
    CHECK_THROWS_WITH(send(later), Catch::Contains("was sent a later phase"));
  CHECK(send(somebodys_phase) == tlm::TLM_ACCEPTED);
  CHECK(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
  CHECK(send(tlm::BEGIN_REQ) == tlm::TLM_COMPLETED);
  CHECK(payload.get_response_status() == tlm::TLM_OK_RESPONSE);
  CHECK(payload.is_dmi_allowed());
}
