// The media behind its socket: protocol, times and power.
#include <tlm_utils/simple_initiator_socket.h>
#include <catch2/catch.hpp>
#include <systemc>
#include <tlm>

#include <algorithm>
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

  Channel(sc_core::sc_module_name name, TimelineModule& drive_timeline, MediaAddressing window)
      : sc_module(name), socket("socket"), drive(drive_timeline), addressing(window) {
    socket.register_nb_transport_bw(this, &Channel::nb_transport_bw);
    SC_HAS_PROCESS(Channel);
    SC_METHOD(begin);
  }

  void begin() { submit(); }

  void submit() {
    if (responses.size() >= steps.size()) return;
    tlm::tlm_generic_payload& payload = pool.take();
    in_flight.push_back(&payload);
    const MediaStep& step = steps[responses.size()];
    payload.set_command(step.op == MediaOp::read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    payload.set_address(addressing.offset_of({step.run.track, step.run.first}));
    payload.set_data_length(step.run.count * 4096);
    payload.set_streaming_width(step.run.count * 4096);
    payload.get_extension<MediaExtension>()->buffer = step.data;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = drive.ahead() + to_sc_time(annotated);
    const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
    CHECK((answer == tlm::TLM_ACCEPTED || (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ)));
  }

  /// Gives back what is in flight: answered, or lost with the power.
  void drop() {
    for (tlm::tlm_generic_payload* payload : in_flight) payload->release();
    in_flight.clear();
  }
  ~Channel() override { drop(); }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    CHECK(phase == tlm::BEGIN_RESP);
    const auto* extension = payload.get_extension<MediaExtension>();
    responses.push_back(
        {from_sc_time(sc_core::sc_time_stamp() + delay), extension->timing, extension->status, payload.get_response_status()});
    in_flight.erase(std::find(in_flight.begin(), in_flight.end(), &payload));
    payload.release();
    submit();
    return tlm::TLM_COMPLETED;
  }

  tlm_utils::simple_initiator_socket<Channel> socket;
  TimelineModule& drive;
  MediaAddressing addressing;
  PayloadPool<MediaExtension> pool;
  std::vector<tlm::tlm_generic_payload*> in_flight;
  Picoseconds annotated;  // on top of every request's delay
  std::vector<MediaStep> steps;
  std::vector<Response> responses;
};

struct Bench {
  explicit Bench(Picoseconds quantum)
      : drive("drive", quantum),
        media("media", drive, test::small_drive(), {}, ContentMode::tags, 1),
        channel("channel", drive, media.addressing()) {
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
                         test::read_step({{0, 20}, 110, 2})};  // the track's span of addresses is 128 sectors; it has 100
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
  bench.drive.catch_up();
  bench.media.power_off();
  bench.channel.drop();
  CHECK_FALSE(bench.media.device().powered());
  sc_core::sc_start(to_sc_time(10_ms));
  CHECK(bench.channel.responses.empty());
  bench.drive.catch_up();
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

TEST_CASE("the END_REQ of a second step is kept back until the first has ended, and both are served") {
  Bench bench(0_ps);
  // Sector 30 is under the head 3 ms after the index, sector 40 at 4 ms: one turn each behind the seek, and no step disturbs the other.
  bench.channel.steps = {test::read_step({{0, 20}, 30, 2}), test::read_step({{0, 20}, 40, 2})};
  sc_core::sc_start(to_sc_time(1_ms));
  const MediaStep second = test::read_step({{0, 20}, 40, 2});
  tlm::tlm_generic_payload& payload = bench.channel.pool.take();
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(bench.media.addressing().offset_of({second.run.track, second.run.first}));
  payload.set_data_length(2 * 4096);
  payload.set_streaming_width(2 * 4096);
  bench.channel.steps.pop_back();
  bench.channel.in_flight.push_back(&payload);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  CHECK(bench.channel.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED);
  sc_core::sc_start();
  bench.drive.rethrow_failure();
  REQUIRE(bench.channel.responses.size() == 2);
  CHECK(bench.channel.responses[0].at == 3200_us);
  CHECK(bench.channel.responses[1].at == 4200_us);
}

TEST_CASE("a delay in front of the media moves the step and is no part of its mechanical times") {
  Bench bench(1_s);
  bench.channel.annotated = 1_ms;
  bench.channel.steps = {test::read_step({{0, 20}, 30, 2})};
  sc_core::sc_start();
  bench.drive.rethrow_failure();
  REQUIRE(bench.channel.responses.size() == 1);
  // Begun at 1 ms: seek until 2.2 ms, sector 30 at 3 ms, two sectors of 100 us. Without the delay the rotation would be 1.8 ms.
  CHECK(bench.channel.responses[0].at == 3200_us);
  CHECK(bench.channel.responses[0].timing.seek == 1200_us);
  CHECK(bench.channel.responses[0].timing.rotation == 800_us);
}

TEST_CASE("a plain payload reads and writes whole sectors by address, and what no sector is is refused") {
  TimelineModule drive("drive", 0_ps);
  MediaModule media("media", drive, test::small_drive(), {}, ContentMode::bytes, 1);
  struct Processor : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Processor> socket{"socket"};
    std::vector<unsigned char> written, back;
    std::vector<tlm::tlm_response_status> refusals;
    std::uint64_t end = 0;  // of the window
    explicit Processor(sc_core::sc_module_name name) : sc_module(name), written(8192), back(8192, 0xee) {
      SC_HAS_PROCESS(Processor);
      SC_THREAD(run);
    }
    tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned length,
                                       unsigned width) {
      tlm::tlm_generic_payload payload;
      payload.set_command(command);
      payload.set_address(address);
      payload.set_data_ptr(data);
      payload.set_data_length(length);
      payload.set_streaming_width(width);
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->b_transport(payload, delay);
      return payload.get_response_status();
    }
    void run() {
      for (std::size_t i = 0; i < written.size(); ++i) written[i] = static_cast<unsigned char>(i * 7 + i / 512);
      CHECK(transport(tlm::TLM_WRITE_COMMAND, 128 * 4096, written.data(), 8192, 8192) == tlm::TLM_OK_RESPONSE);
      CHECK(transport(tlm::TLM_READ_COMMAND, 128 * 4096, back.data(), 8192, 8192) == tlm::TLM_OK_RESPONSE);
      refusals = {transport(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0, 0), transport(tlm::TLM_READ_COMMAND, 100, back.data(), 4096, 4096),
                  transport(tlm::TLM_READ_COMMAND, end, back.data(), 4096, 4096),
                  transport(tlm::TLM_READ_COMMAND, 0, back.data(), 100, 100), transport(tlm::TLM_READ_COMMAND, 0, back.data(), 8192, 4096)};
    }
  } processor("processor");
  processor.socket.bind(media.socket);
  processor.end = media.device().geometry().tracks() * 128 * 4096;
  sc_core::sc_start();
  drive.rethrow_failure();
  CHECK(processor.back == processor.written);
  CHECK(processor.refusals == std::vector{tlm::TLM_COMMAND_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                          tlm::TLM_BURST_ERROR_RESPONSE, tlm::TLM_BURST_ERROR_RESPONSE});
  CHECK(media.device().content().occupied(1));  // 128 sectors of addresses a track: surface 1 of radius 0
}
