#include "platforms/output/explain.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <fstream>

#include "base/error.hpp"
#include "platforms/output/event_log.hpp"
#include "platforms/output/requests_log.hpp"
#include "scratch.hpp"

using namespace tessera;
using namespace tessera::literals;
using Catch::Contains;

namespace {

void write_log(const test::Scratch& scratch, std::uint64_t requests) {
  RequestsLog log(scratch / "requests.npy");
  for (std::uint64_t number = 0; number < requests; ++number) {
    HostRequest request;
    request.op = HostOp::write;
    request.blocks = {HostBlock(8 * number), 8};
    request.number = requests - 1 - number;
    request.life.begin(1_s);
    request.life.account(LifePhase::seek, 1_s + 2_ms);
    request.life.account(LifePhase::transfer, 1_s + 2_ms + 33_us);
    log.on_complete(request, 1_s + 2_ms + 33_us);
  }
  log.close();
}

}  // namespace

TEST_CASE("the life of a request is told part by part") {
  const test::Scratch scratch;
  write_log(scratch, 10'000);  // more than one chunk of the search
  CHECK(explain_request(scratch.path(), 2) ==
        "Request 2 writes 8 blocks of 512 B from LBA 79976.\n"
        "It arrived at 1.000 s of simulated time, was handed to the drive at once and completed 2.033 ms after its arrival with status "
        "'ok'.\n\n"
        "Where the time went:\n"
        "        2.000 ms  seek: the head moved (seek, head switch, settle), with the wait for a parked disk\n"
        "        33.00 us  transfer: sectors under the head\n"
        "        2.033 ms  in all\n");
}

TEST_CASE("whose work a request waited for is told with the times, the most of it first in words") {
  const test::Scratch scratch;
  RequestsLog log(scratch / "requests.npy");
  HostRequest request;
  request.op = HostOp::flush;
  request.life.begin(1_s);
  request.life.account(LifePhase::link, 1_s + 1_ms);
  request.life.account(LifePhase::lock, 1_s + 9_ms, Cause::cleaning);
  request.life.account(LifePhase::host_queue, 1_s + 10_ms, Cause::tags);
  log.on_complete(request, 1_s + 10_ms);
  log.close();
  CHECK_THAT(explain_request(scratch.path(), 0),
             Contains("        10.00 ms  in all\n\n"
                      "Whose work that was, above all room being made: cleaning, merge or collection:\n"
                      "        1.000 ms  host: the request's own work\n"
                      "        8.000 ms  cleaning: room being made: cleaning, merge or collection\n"
                      "        1.000 ms  tags: other host requests that had all tags, or the replay policy\n"));
}

TEST_CASE("logs of versions that did not know causes, or not all, are still explained") {
  const test::Scratch scratch;
  RequestRecord record{};
  record.number = 7;
  record.completion = 5'000'000;
  record.phases.front() = 5'000'000;
  record.by_cause[1] = 5'000'000;
  record.cause = 1;
  const auto explained = [&](std::size_t known, std::size_t bytes) {
    std::ofstream(scratch / "requests.npy", std::ios::binary)
        << requests_header(1, known) << std::string_view(reinterpret_cast<const char*>(&record), bytes);
    return explain_request(scratch.path(), 7);
  };
  const std::string without = explained(0, offsetof(RequestRecord, cause));
  CHECK_THAT(without, Contains("5.000 us  in all\n"));
  CHECK_THAT(without, !Contains("Whose work"));
  CHECK_THAT(explained(causes_of_older_logs, offsetof(RequestRecord, by_cause) + 8 * causes_of_older_logs),
             Contains("5.000 us  requests: other host requests that came before it\n"));
}

TEST_CASE("what the firmware did during the request is told with it, and nothing else") {
  const test::Scratch scratch;
  write_log(scratch, 1);
  EventLog events(scratch / "events.csv");
  events.record(1_s - 1_ps, {"merge", FirmwareEvent::Edge::begin, 1, 1});
  events.record(1_s + 1_ms, {"rmw", FirmwareEvent::Edge::begin, 17, 64});
  events.record(1_s + 2_ms + 33_us, {"cut", FirmwareEvent::Edge::instant, 0, 0});
  events.record(1_s + 3_ms, {"merge", FirmwareEvent::Edge::end, 1, 1});
  events.close();
  const std::string text = explain_request(scratch.path(), 0);
  CHECK_THAT(text, Contains("Meanwhile, counted from its arrival:\n        1.000 ms  rmw begins (about 17, amount 64)\n"
                            "        2.033 ms  cut (about 0, amount 0)\n"));
  CHECK_THAT(text, !Contains("merge"));
}

TEST_CASE("bad logs and numbers are input errors that say what is wrong") {
  const test::Scratch scratch;
  CHECK_THROWS_WITH(explain_request(scratch.path(), 0), Contains("requests.npy: cannot be read; was the run made with --requests?"));
  write_log(scratch, 3);
  CHECK_THROWS_WITH(explain_request(scratch.path(), 3), Contains("holds no request 3 (3 requests, counted from 0)"));
  CHECK_THROWS_AS(explain_request(scratch.path(), 3), InputError);
  const std::string whole = test::contents(scratch / "requests.npy");
  std::filesystem::resize_file(scratch / "requests.npy", whole.size() - 1);
  CHECK_THROWS_WITH(explain_request(scratch.path(), 9), Contains("is cut off after 2 of 3 records"));
  std::filesystem::resize_file(scratch / "requests.npy", 100);
  CHECK_THROWS_WITH(explain_request(scratch.path(), 0), Contains("is not a request log of this version"));
}

TEST_CASE("durations get a unit that suits them") {
  CHECK(readable(0) == "0 ps");
  CHECK(readable(999) == "999 ps");
  CHECK(readable(1'000) == "1.000 ns");
  CHECK(readable(83'300'000) == "83.30 us");
  CHECK(readable(123'456'000'000) == "123.5 ms");
  CHECK(readable(2'000'000'000'000) == "2.000 s");
}
