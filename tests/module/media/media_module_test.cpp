// The media behind its socket: protocol, times and power.
#include <tlm_utils/simple_initiator_socket.h>
#include <catch2/catch.hpp>
#include <systemc>
#include <tlm>

#include <vector>

#include "base/error.hpp"
#include "media/media_module.hpp"
#include "unit/media/small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// Stands for the disk channel: submits a list of steps, one after the other, and notes each response.
struct Channel : sc_core::sc_module {
  struct Response {
    Picoseconds at;
    MediaBreakdown timing;
    Status status;
    tlm::tlm_response_status response;
  };

  Channel(sc_core::sc_module_name name, TimelineModule& drive_timeline) : sc_module(name), socket("socket"), drive(drive_timeline) {
    socket.register_nb_transport_bw(this, &Channel::nb_transport_bw);
    SC_HAS_PROCESS(Channel);
    SC_METHOD(begin);
  }

  void begin() { submit(); }

  void submit() {
    if (responses.size() == steps.size()) return;
    tlm::tlm_generic_payload& payload = pool.take();
    in_flight.push_back(&payload);
    payload.get_extension<MediaExtension>()->step = &steps[responses.size()];
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = drive.ahead();
    const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
    CHECK(answer == tlm::TLM_UPDATED);
    CHECK(phase == tlm::END_REQ);
  }

  /// Gives back what is in flight: answered, or lost with the power.
  void drop() {
    for (tlm::tlm_generic_payload* payload : in_flight) payload->release();
    in_flight.clear();
  }
  ~Channel() override { drop(); }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    CHECK(phase == tlm::BEGIN_RESP);
    const auto* extension = payload.get_extension<MediaExtension>();
    responses.push_back(
        {from_sc_time(sc_core::sc_time_stamp() + delay), extension->timing, extension->status, payload.get_response_status()});
    drop();
    submit();
    return tlm::TLM_COMPLETED;
  }

  tlm_utils::simple_initiator_socket<Channel> socket;
  TimelineModule& drive;
  PayloadPool<MediaExtension> pool;
  std::vector<tlm::tlm_generic_payload*> in_flight;
  std::vector<MediaStep> steps;
  std::vector<Response> responses;
};

struct Bench {
  explicit Bench(Picoseconds quantum)
      : drive("drive", quantum), media("media", drive, test::small_drive(), {}, ContentMode::tags, 1), channel("channel", drive) {
    channel.socket.bind(media.socket);
  }
  TimelineModule drive;
  MediaModule media;
  Channel channel;
};

/// Three steps and where they must end: seek 1.2 ms, rotation, transfer of 100 us a sector on a turn of 10 ms.
void check_times(Picoseconds quantum) {
  Bench bench(quantum);
  DataBuffer data = test::tagged(2, 77);
  DataBuffer back(DramAddress(0), 2, {4096, ContentMode::tags});
  bench.channel.steps = {test::write_step({{0, 20}, 30, 2}, data.all()), test::read_step({{0, 20}, 30, 2}, back.all()),
                         test::read_step({{0, 20}, 200, 2})};
  sc_core::sc_start();
  const auto& responses = bench.channel.responses;
  REQUIRE(responses.size() == 3);
  CHECK(responses[0].at == 3200_us);
  CHECK(responses[0].timing.seek == 1200_us);
  CHECK(responses[0].timing.rotation == 1800_us);
  CHECK(responses[0].timing.transfer == 200_us);
  CHECK(responses[0].response == tlm::TLM_OK_RESPONSE);
  CHECK(responses[1].at == 13200_us);
  CHECK(test::tag_of(back, 1) == 77 + 8);
  CHECK(responses[2].at == 13200_us);
  CHECK(responses[2].status == Status::rule_violation);
  CHECK(responses[2].response == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

}  // namespace

TEST_CASE("each step is answered at its end, ahead of the kernel") { check_times(1_s); }

TEST_CASE("each step is answered at its end, in step with the kernel") { check_times(0_ps); }

TEST_CASE("a power cut ends the step in flight without an answer, and steps run again after the power is back") {
  Bench bench(0_ps);
  DataBuffer data = test::tagged(2, 77);
  bench.channel.steps = {test::write_step({{0, 20}, 30, 2}, data.all())};
  sc_core::sc_start(to_sc_time(3100_us));  // the boundary of the two sectors
  bench.drive.synchronise(sc_core::SC_ZERO_TIME);
  bench.media.power_off();
  bench.channel.drop();
  CHECK_FALSE(bench.media.device().powered());
  sc_core::sc_start(to_sc_time(10_ms));
  CHECK(bench.channel.responses.empty());
  bench.drive.synchronise(sc_core::SC_ZERO_TIME);
  bench.media.power_on();

  DataBuffer back(DramAddress(0), 2, {4096, ContentMode::tags});
  bench.channel.steps = {test::read_step({{0, 20}, 30, 2}, back.all())};
  bench.channel.submit();
  sc_core::sc_start();
  REQUIRE(bench.channel.responses.size() == 1);
  CHECK(bench.channel.responses[0].at == 23'200_us);  // from 13.1 ms on: 1.2 ms seek, sector 30 comes round at 23 ms
  CHECK(test::tag_of(back, 0) == 77);                 // had passed the head
  CHECK(test::tag_of(back, 1) == never_written);      // had not reached it
}

TEST_CASE("a second step before the answer to the first is a bug of the channel") {
  Bench bench(0_ps);
  bench.channel.steps = {test::read_step({{0, 20}, 30, 2}), test::read_step({{0, 20}, 40, 2})};
  sc_core::sc_start(to_sc_time(1_ms));
  CHECK_THROWS_AS(bench.channel.submit(), ModelBug);
}
