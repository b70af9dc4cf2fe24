#include "platforms/output/requests_log.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "base/error.hpp"
#include "scratch.hpp"

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("the header's length does not depend on the number of records, and aligns the data") {
  const std::size_t length = requests_header(0).size();
  CHECK(length % 64 == 0);
  CHECK(requests_header(9).size() == length);
  CHECK(requests_header(~0ULL).size() == length);
  CHECK(requests_header(12).find("'shape': (12,), }") != std::string::npos);
  CHECK(requests_header(0).back() == '\n');
}

TEST_CASE("the length field of the header counts what follows it") {
  const std::string header = requests_header(5);
  const auto low = static_cast<unsigned char>(header[8]);
  const auto high = static_cast<unsigned char>(header[9]);
  CHECK(low + 256U * high == header.size() - 10);
}

TEST_CASE("records lie one after the other behind a header that counts them") {
  const test::Scratch scratch;
  RequestsLog log(scratch / "requests.npy");
  HostRequest request;
  request.op = HostOp::write;
  request.blocks = {HostBlock(1000), 8};
  request.number = 3;
  request.status = Status::media_error;
  request.life.begin(1_us);
  request.life.issue = 2_us;
  request.life.account(LifePhase::host_queue, 2_us);
  request.life.account(LifePhase::outage, 5_us, Cause::recovery);
  log.on_complete(request, 5_us);
  request.number = 4;
  log.on_complete(request, 5_us);
  CHECK(log.records() == 2);
  log.close();
  const std::string text = test::contents(scratch / "requests.npy");
  const std::string header = requests_header(2);
  REQUIRE(text.size() == header.size() + 2 * sizeof(RequestRecord));
  CHECK(text.substr(0, header.size()) == header);
  RequestRecord second;
  std::memcpy(&second, text.data() + header.size() + sizeof second, sizeof second);
  CHECK(second.number == 4);
  CHECK(second.lba == 1000);
  CHECK(second.blocks == 8);
  CHECK(second.op == 1);
  CHECK(second.status == 1);
  CHECK(second.arrival == 1'000'000);
  CHECK(second.issue == 2'000'000);
  CHECK(second.completion == 5'000'000);
  CHECK(second.phases.front() == 1'000'000);
  CHECK(second.phases.back() == 3'000'000);
  CHECK(second.cause == static_cast<std::uint64_t>(Cause::recovery));
  CHECK(second.by_cause[static_cast<std::size_t>(Cause::recovery)] == 3'000'000);
  CHECK(second.by_cause[static_cast<std::size_t>(Cause::host)] == 1'000'000);
}

TEST_CASE("a request whose parts do not sum to its latency is a model bug") {
  const test::Scratch scratch;
  RequestsLog log(scratch / "requests.npy");
  HostRequest request;
  request.life.begin(1_us);
  request.life.account(LifePhase::link, 4_us);
  CHECK_THROWS_AS(log.on_complete(request, 5_us), ModelBug);
  CHECK_NOTHROW(log.on_complete(request, 4_us));
}
