// Frames of Serial ATA and SAS: what they add to commands and data, by hand, and how those of several commands share the link.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "host/link_schedule.hpp"
#include "platforms/description/listing.hpp"
#include "support/random_histories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::size_t down = 0, up = 1;

/// 2 ns a byte, 100 ns a turn of the link.
HostConfig linked(LinkProtocol link) {
  HostConfig config;
  config.link = link;
  config.link_rate = BytesPerSecond(500'000'000);
  config.turnaround = 100_ns;
  return config;
}

/// Why the parameter has no effect; "" where it may have one.
std::string unused(HostConfig config, std::string_view asked) {
  ParameterCollector collector;
  config.describe(collector);
  for (const Parameter& parameter : collector.parameters())
    if (parameter.path() == asked) return parameter.unused;
  return "no such parameter";
}

HostRequest command(HostOp op, std::uint32_t blocks) {
  HostRequest made;
  made.op = op;
  made.blocks = {HostBlock(0), blocks};
  return made;
}

struct Bench {
  explicit Bench(LinkProtocol protocol) : config(linked(protocol)), link(config, signals, 1), framing(config) {}
  Picoseconds carry(std::uint32_t tag, const LinkExtent& extent, Picoseconds at) { return link.carry(tag, extent, at, at).end; }
  double metric(const char* name) const {
    MetricSet metrics;
    link.report(metrics, 1_ms);
    return *metrics.find(name)->value;
  }
  HostConfig config;
  SignalScope signals;
  LinkSchedule link;
  LinkFraming framing;
};

}  // namespace

// A FIS of n bytes: n with CRC, SOF, EOF, X_RDY and WTRM (20 bytes) one way, R_RDY and R_OK (8) the other, two turns of the link; 8 bytes
// of ALIGN in 1016.
TEST_CASE("framing: commands and status of Serial ATA") {
  const LinkFraming framing(linked(LinkProtocol::sata));
  const LinkExtent read = framing.command(command(HostOp::read, 8));  // two Register FISes of 20: 48 bytes either way
  CHECK(read.time == 592_ns);
  CHECK(read.overhead == std::array{48_B, 48_B});
  CHECK(read.frames == 2);
  CHECK(framing.command(command(HostOp::write, 8)).time == 592_ns);
  CHECK(framing.command(command(HostOp::flush, 0)).time == 296_ns);
  CHECK(framing.status(HostOp::read).time == 272_ns);   // Set Device Bits, 8
  CHECK(framing.status(HostOp::flush).time == 296_ns);  // Register, 20
  // A list of 512 bytes has room for 64 ranges of 65,535 sectors; DMA Setup, 28, and Data, 4 and the list.
  CHECK(framing.command(command(HostOp::trim, 64 * 65'535)).time == 592_ns + 312_ns + 1288_ns);
  CHECK(framing.command(command(HostOp::trim, 64 * 65'535 + 1)).time == 592_ns + 312_ns + 1288_ns + 1024_ns + 16_ns);
}

TEST_CASE("framing: data of Serial ATA goes in frames of at most 8192 bytes, a write's each asked for") {
  const LinkFraming framing(linked(LinkProtocol::sata));
  // DMA Setup 48 up and 8 down, Data 24 up and 8 down: 4168 up, with four pairs of ALIGN 4200; 16 down; four turns.
  const LinkExtent read = framing.data(HostOp::read, 8);
  CHECK(read.time == 8832_ns);
  CHECK(read.overhead == std::array{16_B, 104_B});
  CHECK(read.busy == std::array{32_ns, 8800_ns});
  CHECK(framing.data(HostOp::read, 16).frames == 2);
  CHECK(framing.data(HostOp::read, 17).frames == 3);
  // DMA Setup, two Data, one DMA Activate: down 8704 + 8 + 48 + 8 and eight pairs of ALIGN, up 48 + 16 + 24; eight turns.
  const LinkExtent write = framing.data(HostOp::write, 17);
  CHECK(write.time == 18'640_ns);
  CHECK(write.frames == 4);
  CHECK(write.overhead == std::array{128_B, 88_B});
}

// An SSP frame of n bytes: n with header, CRC, SOF and EOF (36 bytes) one way, RRDY and ACK (8) the other. A connection: 56 bytes by who
// opens it, 20 by the other, two turns.
TEST_CASE("framing: SAS opens a connection for each command, its data and its status") {
  const LinkFraming framing(linked(LinkProtocol::sas));
  const LinkExtent asked = framing.command(command(HostOp::read, 8));  // 56 + 36 + 28 down
  CHECK(asked.time == 440_ns);
  CHECK(asked.overhead == std::array{120_B, 28_B});
  CHECK(asked.frames == 2);
  const LinkExtent read = framing.data(HostOp::read, 8);  // 4096 + 4 * 36 + 56 up
  CHECK(read.time == 8792_ns);
  CHECK(read.overhead == std::array{52_B, 200_B});
  CHECK(read.frames == 5);
  CHECK(framing.data(HostOp::read, 2).frames == 2);
  CHECK(framing.data(HostOp::read, 3).frames == 3);
  const LinkExtent write = framing.data(HostOp::write, 8);  // 4096 + 4 * 36 + 20 + 8 down; XFER_RDY turns the link once more
  CHECK(write.time == 8836_ns);
  CHECK(write.busy == std::array{8836_ns, 272_ns});
  CHECK(framing.status(HostOp::read).time == 120_ns);  // in the connection of its data
  CHECK(framing.status(HostOp::write).time == 432_ns);
  CHECK(framing.command(command(HostOp::trim, 8)).time == 440_ns + 100_ns + 120_ns + 16_ns);  // UNMAP: 24 bytes after XFER_RDY
}

TEST_CASE("framing: the frames of a command pass between those of another's data") {
  for (const LinkProtocol protocol : {LinkProtocol::sata, LinkProtocol::ideal}) {
    Bench bench(protocol);
    const LinkExtent large = bench.framing.data(HostOp::read, 2048);
    CHECK(bench.carry(0, large, 0_ns) == large.time);
    const LinkExtent small = bench.framing.status(HostOp::write);
    const Picoseconds end = bench.carry(1, small, 100_us);
    // Each of the two has half of the link until the small one is through; an ideal link carries whole extents.
    CHECK(end == (protocol == LinkProtocol::sata ? 100_us + 2 * small.time : large.time + small.time));
  }
}

TEST_CASE("framing: Serial ATA carries one direction at a time, SAS both at once") {
  for (const LinkProtocol protocol : {LinkProtocol::sata, LinkProtocol::sas}) {
    Bench bench(protocol);
    const LinkExtent read = bench.framing.data(HostOp::read, 512);
    const LinkExtent write = bench.framing.data(HostOp::write, 512);
    CHECK(bench.carry(0, write, 0_ns) == write.time);
    const Picoseconds end = bench.carry(1, read, 0_ns);
    CHECK(end == (protocol == LinkProtocol::sas ? read.time : 2 * read.time));  // the shorter one: half of the link all along
    CHECK(bench.metric("host.link.frames") == static_cast<double>(read.frames + write.frames));
    CHECK(bench.metric("host.link.to_host.overhead_bytes") == static_cast<double>((read.overhead[up] + write.overhead[up]).value()));
    CHECK(bench.metric("host.link.to_drive.overhead_bytes") == static_cast<double>((read.overhead[down] + write.overhead[down]).value()));
    CHECK(bench.metric("host.link.to_drive.utilisation") ==
          Approx(static_cast<double>((read.busy[down] + write.busy[down]).value()) * 1e-9));
  }
}

TEST_CASE("framing: commands of any sizes share the link as if their frames took turns") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "test.framing");
    Bench bench(LinkProtocol::sata);
    std::vector<Picoseconds> works;
    const std::uint32_t commands = pick(random, 2, 32);
    Picoseconds last;
    for (std::uint32_t tag = 0; tag < commands; ++tag) {
      const LinkExtent extent = bench.framing.data(HostOp::read, pick(random, 1, 2048));
      works.push_back(extent.time);
      last = bench.carry(tag, extent, 0_ns);
    }
    // Turn by turn each has had as much as the last one when that ends, or all of its own.
    Picoseconds expected;
    for (const Picoseconds work : works) expected += std::min(work, works.back());
    const Picoseconds most = expected - works.back();  // of the others
    CHECK(last >= works.back());
    CHECK(last <= expected + most / 4 + 1_us);
    CHECK(last + most / 4 + 1_us >= expected);
  }
}

TEST_CASE("framing: a whole command takes the sum of its frames and the parts of its life say so") {
  for (const HostOp op : {HostOp::read, HostOp::write}) {
    BenchConfig config = small_drive();
    const HostConfig link = linked(LinkProtocol::sata);
    config.host.link = link.link;
    config.host.link_rate = link.link_rate;
    config.host.turnaround = link.turnaround;
    TestDrive drive(make_cmr_factory(), {}, config);
    HostRequest& request = drive->submit(op, 0, 8);
    REQUIRE(drive->run_until_done(request) == Status::ok);
    CHECK(request.life.parts[static_cast<std::size_t>(LifePhase::link)] == 592_ns + 8832_ns + 272_ns);
  }
}

TEST_CASE("framing: what surrounds a FIS and how much data goes into one is the description's") {
  HostConfig config = linked(LinkProtocol::sata);
  config.frames.fis_overhead = 24_B;
  CHECK(LinkFraming(config).command(command(HostOp::read, 8)).time == 608_ns);
  config.frames.fis_answer = 4_B;
  CHECK(LinkFraming(config).command(command(HostOp::read, 8)).time == 592_ns);
  config.frames = {};
  const auto frames = [&config](std::uint64_t bytes) {
    config.frames.fis_data = Bytes(bytes);
    return LinkFraming(config).data(HostOp::read, 8).frames;
  };
  CHECK(frames(4096) == 2);  // DMA Setup, and all data in one
  CHECK(frames(4092) == 3);
  CHECK(frames(4) == 1025);
  config.frames = {};
  // To the host: DMA Setup of 28 and a Data FIS of 4 + 4096, each with 20 around it; 8 B of ALIGN for each distance.
  CHECK(LinkFraming(config).data(HostOp::read, 8).overhead[up] == 72_B + 8_B * 4);
  config.frames.align_distance = 1000_B;
  CHECK(LinkFraming(config).data(HostOp::read, 8).overhead[up] == 72_B + 8_B * 4);
  config.frames.align_distance = 4_B;
  CHECK(LinkFraming(config).data(HostOp::read, 8).overhead[up] == 72_B + 8_B * 1042);
}

TEST_CASE("framing: what surrounds a frame and a connection of SAS and how much data goes into one is the description's") {
  HostConfig config = linked(LinkProtocol::sas);
  const LinkExtent usual = LinkFraming(config).command(command(HostOp::read, 8));
  config.frames.ssp_overhead = 40_B;
  config.frames.connection = 64_B;
  const LinkExtent longer = LinkFraming(config).command(command(HostOp::read, 8));
  CHECK(longer.overhead[down] == usual.overhead[down] + 12_B);
  CHECK(longer.time == usual.time + 24_ns);
  config.frames.ssp_answer = 12_B;
  config.frames.connection_answer = 16_B;
  CHECK(LinkFraming(config).command(command(HostOp::read, 8)).overhead[up] == usual.overhead[up]);
  const auto frames = [&config](std::uint64_t bytes) {
    config.frames.ssp_data = Bytes(bytes);
    return LinkFraming(config).data(HostOp::read, 8).frames;
  };
  CHECK(frames(1024) == 5);  // the connection, and four DATA frames
  CHECK(frames(1020) == 6);
  CHECK(frames(4) == 1025);
}

TEST_CASE("framing: Serial ATA names 32 commands, and parameters of the other links have no effect") {
  HostConfig config = linked(LinkProtocol::sata);
  CHECK(config.problem().empty());
  config.tags = 33;
  CHECK(config.problem() == "host.tags is 33; Serial ATA names at most 32 commands (host.link)");
  config.link = LinkProtocol::sas;
  CHECK(config.problem().empty());
  CHECK(unused(config, "turnaround").empty());
  for (const char* overhead :
       {"command_overhead", "completion_overhead", "read_completion_overhead", "write_completion_overhead", "write_rate"})
    CHECK(unused(config, overhead) == "host.link is not ideal and has frames instead");
  config.link = LinkProtocol::ideal;
  CHECK(unused(config, "turnaround") == "host.link is ideal");
  CHECK(unused(config, "command_overhead").empty());
}

TEST_CASE("framing: frames are whole dwords, and those of another link have no effect") {
  HostConfig config = linked(LinkProtocol::sata);
  config.frames.fis_data = 8190_B;
  CHECK(config.problem() == "host.frames.fis_data is 8190 B; links carry dwords of 4 B");
  config.frames.fis_data = 8188_B;
  CHECK(config.problem().empty());
  CHECK(unused(config, "frames.fis_data").empty());
  CHECK(unused(config, "frames.ssp_data") == "host.link is sata");
  config.link = LinkProtocol::sas;
  CHECK(unused(config, "frames.fis_data") == "host.link is sas");
  CHECK(unused(config, "frames.ssp_data").empty());
  config.link = LinkProtocol::ideal;
  CHECK(unused(config, "frames.fis_data") == "host.link is ideal");
  CHECK(unused(config, "frames.ssp_data") == "host.link is ideal");
}
