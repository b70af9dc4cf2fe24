// The order in which a drive hears of commands: of writes, where it has zones, that of issue, over every link and on every path.
#include <catch2/catch.hpp>
#include <deque>
#include <vector>

#include "host/host_interface.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Ends final : HostInterface::Downstream, HostInterface::Upstream {
  void arrived(HostRequest& request) override { came.push_back(request.number); }
  void abort(HostRequest&) override {}
  void completed(HostRequest&) override {}
  std::vector<std::uint64_t> came;
};

struct Bench {
  explicit Bench(const HostConfig& config, bool zones) : interface(timeline, config, 4096, ends, ends) {
    if (zones) interface.tell_writes_in_order();
  }
  void issue(HostOp op, std::uint32_t sectors) {
    HostRequest& request = requests.emplace_back();
    request.op = op;
    request.blocks = {HostBlock(0), sectors * 8};
    request.number = requests.size() - 1;
    request.tag = static_cast<std::uint32_t>(requests.size() - 1);
    request.life.begin(timeline.now());
    interface.issue(request);
  }
  std::vector<std::uint64_t> come() {
    timeline.run_until(timeline.now() + 1_s);
    return ends.came;
  }
  Timeline timeline;
  Ends ends;
  HostInterface interface;
  std::deque<HostRequest> requests;
};

HostConfig linked(LinkProtocol link) {
  HostConfig config;
  config.link = link;
  return config;
}

}  // namespace

TEST_CASE("order: a drive with zones hears of writes in the order of issue, over every link and on every path") {
  const auto link = GENERATE(LinkProtocol::ideal, LinkProtocol::sata, LinkProtocol::sas);
  const auto data = GENERATE(WriteData::with_command, WriteData::on_request);
  const auto window = GENERATE(Bytes(0), Bytes(std::uint64_t{64} << 10));
  const bool errors = GENERATE(false, true);
  CAPTURE(static_cast<int>(link), static_cast<int>(data), window.value(), errors);
  HostConfig config = linked(link);
  config.write_data = data;
  config.window = window;
  if (errors) {
    config.crc_errors = {{1, 40}, {3, 7}};
    config.link_outages = {{0.01, 3}};
  }
  Bench bench(config, true);
  for (const std::uint32_t sectors : {200, 1, 17, 1, 300, 2}) bench.issue(HostOp::write, sectors);
  CHECK(bench.come() == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("order: over frames a short command overtakes a long one where no order is asked for, and a read where it is") {
  const auto link = GENERATE(LinkProtocol::sata, LinkProtocol::sas);
  Bench plain(linked(link), false);
  plain.issue(HostOp::write, 200);
  plain.issue(HostOp::write, 1);
  CHECK(plain.come() == std::vector<std::uint64_t>{1, 0});
  Bench zones(linked(link), true);
  zones.issue(HostOp::write, 200);
  zones.issue(HostOp::read, 1);
  CHECK(zones.come() == std::vector<std::uint64_t>{1, 0});
}

TEST_CASE("order: what a power cut took holds no later write back") {
  Bench bench(linked(LinkProtocol::sata), true);
  bench.issue(HostOp::write, 300);
  bench.timeline.run_until(1_us);
  bench.interface.power_off();
  bench.issue(HostOp::write, 1);
  bench.timeline.run_until(100_us);
  CHECK(bench.ends.came == std::vector<std::uint64_t>{1});
}
