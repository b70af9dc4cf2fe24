// Pieces of a command that streams reach the link in the order in which its tasks began them, on however many cores these run.
#include <catch2/catch.hpp>
#include <deque>

#include "controller/host_channel.hpp"
#include "unit/controller/memory_bench.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Link final : HostLinkUp {
  void complete(HostRequest&) override {}
  void fetch(HostRequest& request) override { carry(request); }
  void send(HostRequest& request) override { carry(request); }
  void carry(HostRequest& request) {
    crossed.push_back(request.piece.first.value());
    request.data_last = request.data_first = timeline->now() + 1_us;
  }
  Timeline* timeline = nullptr;
  std::vector<std::uint64_t> crossed;
};

/// Two tasks on two cores. The first one works long before it begins piece 0; the second, which starts later and has less to do, begins
/// piece 1 as soon as piece 0 is begun. A task runs at one go, so it sees that before its own clock has come to it.
struct TwoCores final : FirmwareEntry {
  static ControllerConfig config() {
    ControllerConfig made = memory_bench::Machine::config();
    made.cores = 4;  // host, translation twice, media
    made.costs[CpuOperation::list_element] = 1;
    return made;
  }
  explicit TwoCores(HostOp op)
      : cpu(timeline, config()),
        memory(cpu, dram, dram, bus, {4096, ContentMode::none}, {1_MiB, 256_KiB, {}}, config()),
        channel(timeline, cpu, memory, link, 1) {
    link.timeline = &timeline;
    request.op = op;
    request.blocks = {HostBlock(0), 16};
    request.window = Bytes(8192);
    request.data_at_host = op == HostOp::write;
    request.life.begin(0_ps);
  }
  Task<void> serve(HostCommand& command) override {
    pieces.emplace_back(HostPiece{command, 0, {HostBlock(0), 8}, command.buffer.part(0, 1)});
    pieces.emplace_back(HostPiece{command, 1, {HostBlock(8), 8}, command.buffer.part(1, 1)});
    cpu.spawn(begin_after(1000, 0), "first");
    cpu.scan(10);
    cpu.spawn(begin_after(10, 1), "second");
    co_return;
  }
  Task<void> begin_after(std::uint64_t cycles, std::size_t piece) {
    cpu.scan(cycles);
    told.push_back(cpu.now());
    channel.begin(pieces[piece]);
    co_return;
  }
  Task<Status> boot(bool) override { co_return Status::ok; }
  [[nodiscard]] bool idle() const override { return true; }

  Timeline timeline;
  Executor cpu;
  memory_bench::ToyDram dram;
  Interconnect bus{{}, 0};
  MemoryController memory;
  Link link;
  HostChannel channel;
  HostRequest request;
  std::deque<HostPiece> pieces;
  std::vector<Picoseconds> told;
};

}  // namespace

TEST_CASE("pieces of a stream: a core that is behind cannot have a later one cross the link first") {
  for (const HostOp op : {HostOp::write, HostOp::read}) {
    TwoCores bench(op);
    bench.channel.arrived(bench.request, bench);
    bench.timeline.run();
    REQUIRE(bench.told.size() == 2);
    CHECK(bench.told[1] < bench.told[0]);  // or the case shows nothing
    CHECK(bench.link.crossed == std::vector<std::uint64_t>{0, 8});
  }
}
