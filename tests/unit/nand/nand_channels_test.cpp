// Who has a channel next, by hand, and against a model of events that shares no code with the device.
#include <catch2/catch.hpp>
#include <deque>
#include <queue>
#include <tuple>
#include <vector>

#include "base/metrics.hpp"
#include "nand_bench.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr auto both = {ChannelArbitration::in_order, ChannelArbitration::command_first};

/// 0.1 ms a page, 0.2 ms a read, 1.3 ms a program; and 1 us a command.
NandConfig with_commands(std::uint32_t dies, ChannelArbitration arbitration) {
  NandConfig config = with_bus(shaped(1, dies, 1));
  config.command_time = 1_us;
  config.arbitration = arbitration;
  return config;
}

struct Request {
  std::size_t die;
  bool program;
};

/// The same numbers for the device and for the model: a linear congruential generator (Knuth's MMIX constants).
std::vector<Request> random_requests(std::size_t count, std::size_t dies, unsigned programs_in_256) {
  std::vector<Request> requests;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    requests.push_back({(state >> 33) % dies, (state >> 24 & 255) < programs_in_256});
  }
  return requests;
}

// An independent simulator's flash: 4 KiB in 12.3 us, tR 75 us, 0.3 us of command; programs of 100 us, so that the channel matters to them.
constexpr std::uint64_t command = 300'000, page = 12'300'300, reading = 75'000'000, programming = 100'000'000;  // ps

/// One channel, its dies and a host that keeps `depth` requests under way, event by event in picoseconds.
class Model {
 public:
  Model(std::vector<Request> requests, std::size_t dies, bool commands_first)
      : requests_(std::move(requests)), waiting_(dies), busy_(dies), commands_first_(commands_first) {}

  /// Gives requests per second.
  double run(std::size_t depth) {
    for (std::size_t i = 0; i < depth; ++i) {
      issue();
      grant();
    }
    for (; !events_.empty(); grant()) {
      const auto [at, order, what, request] = events_.top();
      events_.pop();
      now_ = at;
      if (what != What::array) carrying_ = false;
      carry_out(what, request);
    }
    return static_cast<double>(requests_.size()) / static_cast<double>(now_) * 1e12;
  }

 private:
  enum class What { command_in, program_in, page_out, array };
  using Event = std::tuple<std::uint64_t, std::size_t, What, std::size_t>;

  void carry_out(What what, std::size_t request) {
    const auto [die, program] = requests_[request];
    if (what == What::command_in) return post(reading, What::array, request);
    if (what == What::program_in) return post(programming, What::array, request);
    if (what == What::array && !program) return pages_.push_back({What::page_out, request});
    busy_[die] = false;
    if (!waiting_[die].empty()) {
      start(waiting_[die].front());
      waiting_[die].pop_front();
    }
    issue();
  }
  void issue() {
    if (issued_ == requests_.size()) return;
    const std::size_t request = issued_++;
    if (busy_[requests_[request].die])
      waiting_[requests_[request].die].push_back(request);
    else
      start(request);
  }
  void start(std::size_t request) {
    busy_[requests_[request].die] = true;
    if (requests_[request].program)
      pages_.push_back({What::program_in, request});
    else
      (commands_first_ ? commands_ : pages_).push_back({What::command_in, request});
  }
  void grant() {
    auto& line = commands_.empty() ? pages_ : commands_;
    if (carrying_ || line.empty()) return;
    const auto [what, request] = line.front();
    line.pop_front();
    carrying_ = true;
    post(what == What::command_in ? command : what == What::page_out ? page : command + page, what, request);
  }
  void post(std::uint64_t after, What what, std::size_t request) { events_.emplace(now_ + after, posted_++, what, request); }

  std::vector<Request> requests_;
  std::vector<std::deque<std::size_t>> waiting_;
  std::vector<bool> busy_;
  bool commands_first_;
  std::deque<std::pair<What, std::size_t>> commands_, pages_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  bool carrying_ = false;
  std::uint64_t now_ = 0;
  std::size_t issued_ = 0, posted_ = 0;
};

/// The device under the same host.
double run_device(const std::vector<Request>& requests, std::uint32_t dies, ChannelArbitration arbitration, std::size_t depth) {
  NandConfig config = shaped(1, dies, 1);
  config.blocks = 4096;
  config.oob_size = 0_B;
  config.bus_rate = BytesPerSecond(333'000'000);  // 4 KiB in 12.3 us
  config.command_time = 300_ns;
  config.read_time = 75_us;
  config.program_time = 100_us;
  config.arbitration = arbitration;
  Bench bench(config);
  std::vector<std::uint64_t> programmed(dies);
  std::size_t issued = 0;
  const auto issue = [&] {
    if (issued == requests.size()) return;
    const auto [die, program] = requests[issued++];
    const std::uint64_t number = program ? programmed[die]++ : 0;
    const std::uint64_t block = die + number / config.pages_per_block * dies;
    bench.submit(program ? FlashOp::program : FlashOp::read, block * config.pages_per_block + number % config.pages_per_block,
                 bench.timeline.now());
  };
  bench.on_done = [&](std::size_t) { issue(); };
  for (std::size_t i = 0; i < depth; ++i) issue();
  bench.timeline.run();
  return static_cast<double>(requests.size()) / static_cast<double>(bench.timeline.now().value()) * 1e12;
}

void agree_in_sixteen_points(unsigned programs_in_256) {
  for (const ChannelArbitration arbitration : both)
    for (const std::uint32_t dies : {1, 2, 4, 8})
      for (const std::size_t depth : {1, 4, 16, 64}) {
        const std::vector<Request> requests = random_requests(1'500, dies, programs_in_256);
        const double expected = Model(requests, dies, arbitration == ChannelArbitration::command_first).run(depth);
        INFO(dies << " dies, depth " << depth);
        CHECK(run_device(requests, dies, arbitration, depth) == Approx(expected).epsilon(0.02));
      }
}

}  // namespace

TEST_CASE("a command goes before pages that wait for the channel, and waits for the one under way") {
  for (const ChannelArbitration arbitration : both) {
    Bench bench(with_commands(3, arbitration));
    bench.submit(FlashOp::read, 0 * 32, 0_us);    // command until 1 us, page from 201 to 301 us
    bench.submit(FlashOp::read, 1 * 32, 0_us);    // command until 2 us, page ready at 202 us
    bench.submit(FlashOp::read, 2 * 32, 250_us);  // wants the channel while the first page crosses
    bench.timeline.run();
    const bool first = arbitration == ChannelArbitration::command_first;
    CHECK(bench.results[0].at == 301_us);
    CHECK(bench.results[1].at == (first ? 402_us : 401_us));
    CHECK(bench.results[2].at == (first ? 302_us + 300_us : 402_us + 300_us));
    for (std::size_t i = 0; i < 3; ++i) CHECK(bench.results[i].busy == 301_us);  // the wait is queueing
  }
}

TEST_CASE("an erase is a command, and a program, which brings a page, is none") {
  for (const FlashOp op : {FlashOp::erase, FlashOp::program}) {
    Bench bench(with_commands(3, ChannelArbitration::command_first));
    bench.submit(FlashOp::read, 0 * 32, 0_us);
    bench.submit(FlashOp::read, 1 * 32, 0_us);
    bench.submit(op, op == FlashOp::erase ? 2 : 2 * 32, 250_us);
    bench.timeline.run();
    CHECK(bench.results[1].at == (op == FlashOp::erase ? 402_us : 401_us));
    CHECK(bench.results[2].at == (op == FlashOp::erase ? 302_us + 1500_us : 401_us + 101_us + 1300_us));
  }
}

TEST_CASE("the command of a die whose page has just crossed goes before the pages that wait") {
  Bench bench(with_commands(2, ChannelArbitration::command_first));
  bench.submit(FlashOp::read, 0 * 32, 0_us);
  bench.submit(FlashOp::read, 1 * 32, 0_us);
  bench.on_done = [&bench](std::size_t number) {
    if (number == 0) bench.submit(FlashOp::read, 0 * 32, bench.timeline.now());
  };
  bench.timeline.run();
  CHECK(bench.results[1].at == 402_us);
  CHECK(bench.results[2].at == 602_us);
}

TEST_CASE("a cut frees the channel, and what waited for it does not count as carried") {
  Bench bench(with_commands(3, ChannelArbitration::command_first));
  for (const std::uint64_t die : {0, 1}) bench.submit(FlashOp::read, die * 32, 0_us);
  bench.submit(FlashOp::read, 2 * 32, 250_us);
  bench.timeline.run_until(260_us);
  bench.device.cut(260_us);
  MetricSet metrics;
  bench.device.report(metrics, 260_us);
  CHECK(*metrics.find("nand.channel.0.utilisation")->value == Approx(61.0 / 260));
  bench.submit(FlashOp::read, 2 * 32, 1_ms);
  bench.timeline.run();
  CHECK(bench.results[3].at == 1_ms + 301_us);
}

TEST_CASE("random reads of a channel agree with the model of events in sixteen points") { agree_in_sixteen_points(0); }

TEST_CASE("random writes of a channel agree with the model of events in sixteen points") { agree_in_sixteen_points(256); }

TEST_CASE("reads and writes together agree with the model of events in sixteen points") { agree_in_sixteen_points(77); }

TEST_CASE("random reads per second with commands first are those of an independent simulator, and in order what they always were") {
  struct Point {
    std::uint32_t dies;
    ChannelArbitration arbitration;
    double measured;
  };
  constexpr auto in_order = ChannelArbitration::in_order, command_first = ChannelArbitration::command_first;
  for (const auto& [dies, arbitration, measured] :
       {Point{4, in_order, 31'600}, Point{4, command_first, 44'400}, Point{8, in_order, 44'900}, Point{8, command_first, 78'300}})
    CHECK(run_device(random_requests(10'000, dies, 0), dies, arbitration, 64) == Approx(measured).epsilon(0.02));
}
