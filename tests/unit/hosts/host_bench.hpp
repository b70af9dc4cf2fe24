#pragma once
// An application with random requests, a translating host and a small drive with zones, under the scoreboard.
#include <catch2/catch.hpp>
#include <cstring>

#include "stimuli/scoreboard/scoreboard.hpp"
#include "zoned_link.hpp"

namespace tessera::test {

using namespace tessera::literals;

/// Requests anywhere, some close together, some of parts of sectors.
class RandomRequests final : public TraceSource {
 public:
  RandomRequests(std::uint64_t seed, std::uint64_t blocks, std::uint64_t requests)
      : random_(seed, "random_requests"), blocks_(blocks), left_(requests) {}
  bool next(TraceRecord& record) override {
    if (left_ == 0) return false;
    --left_;
    record = {};
    now_ += Picoseconds(random_.below(random_.below(200) == 0 ? 200'000'000'000 : 3'000'000'000));
    record.arrival = now_;
    const std::uint64_t kind = random_.below(100);
    record.op = kind < 60 ? HostOp::write : kind < 92 ? HostOp::read : kind < 96 ? HostOp::flush : HostOp::trim;
    record.force_unit_access = kind < 5;
    if (record.op == HostOp::flush) return true;
    const std::uint64_t reach = random_.below(3) == 0 ? blocks_ : blocks_ / 4;
    const bool whole = random_.below(4) != 0;
    std::uint64_t count = 1 + random_.below(random_.below(10) == 0 ? 200 : 24);
    std::uint64_t first = random_.below(reach - count);
    if (whole) {
      first = first / 8 * 8;
      count = (count + 7) / 8 * 8;
    }
    record.offset = Bytes(first * host_block_bytes);
    record.size = Bytes(std::min(count, blocks_ - first) * host_block_bytes);
    return true;
  }
  [[nodiscard]] std::string position() const override { return "random"; }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  RandomStream random_;
  std::uint64_t blocks_;
  std::uint64_t left_;
  Picoseconds now_;
};

/// Reads of everything.
class ReadAll final : public TraceSource {
 public:
  explicit ReadAll(std::uint64_t blocks) : blocks_(blocks) {}
  bool next(TraceRecord& record) override {
    if (at_ == blocks_) return false;
    record = {};
    record.offset = Bytes(at_ * host_block_bytes);
    const std::uint64_t count = std::min<std::uint64_t>(100, blocks_ - at_);
    record.size = Bytes(count * host_block_bytes);
    at_ += count;
    return true;
  }
  [[nodiscard]] std::string position() const override { return "all"; }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  std::uint64_t blocks_;
  std::uint64_t at_ = 0;
};

/// A translating host above a small drive, an application, and the scoreboard in between. `Parts` has the types Config and Host, plan() and
/// promise().
template <class Parts>
class HostBench {
  using Config = typename Parts::Config;

 public:
  HostBench(const Config& config, std::uint64_t seed, std::uint64_t requests, DriveZones drive)
      : shape_(drive),
        layout_(planned(config, drive)),
        link(timeline, drive, seed),
        host(config, {}, drive, layout_, timeline, link),
        board(ContentMode::tags, Parts::promise(config)),
        source_(seed, layout_.user_sectors * drive.sector_blocks, requests),
        player({ReplayPolicy::parse("timed"), drive.tags, 0}, timeline, source_, host) {
    link.answer = [this](HostRequest& command) { host.completed(command); };
    host.set_receiver([this](HostRequest& request) { player.completed(request); });
    player.set_checker(board);
  }
  static typename Parts::Layout planned(const Config& config, const DriveZones& drive) {
    std::string problem;
    typename Parts::Layout layout = Parts::plan(config, drive, problem);
    REQUIRE(problem.empty());
    return layout;
  }
  void cut() {
    link.cut();
    host.power_lost();
  }
  /// To the end of the recovery; false where the power is to be cut after so many more actions, and that was before it.
  bool boot(std::uint64_t actions = ~std::uint64_t{0}) {
    bool booted = false;
    const Picoseconds on = timeline.now() + 10_ms;
    timeline.run_until(on);  // requests arrive meanwhile
    timeline.advance_to(on);
    host.recover([&booted](Status status) {
      REQUIRE(status == Status::ok);
      booted = true;
    });
    while (!booted && actions-- > 0) timeline.step();
    return booted;
  }
  /// Of whole sectors of 4 KiB, without the application; has a second.
  Status ask(HostOp op, std::uint64_t sector, std::uint32_t sectors) {
    HostRequest request;
    return ask(request, op, sector, sectors, 0);
  }
  /// A sector that holds its own number, in its first bytes.
  Status write_mark(std::uint64_t sector) {
    HostRequest request;
    return ask(request, HostOp::write, sector, 1, sector);
  }
  std::uint64_t read_mark(std::uint64_t sector) {
    HostRequest request;
    REQUIRE(ask(request, HostOp::read, sector, 1, 0) == Status::ok);
    std::uint64_t mark = 0;
    std::memcpy(&mark, request.content.data(), sizeof mark);
    return mark;
  }
  void read_all() {
    ReadAll source(layout_.user_sectors * shape_.sector_blocks);
    Player reader({ReplayPolicy::parse("closed:4"), shape_.tags, 0}, timeline, source, host);
    reader.set_checker(board);
    host.set_receiver([&reader](HostRequest& request) { reader.completed(request); });
    reader.start();
    while (!reader.ended()) timeline.step();
    host.set_receiver([this](HostRequest& request) { player.completed(request); });
    CHECK(reader.statistics().failed() == 0);
  }
  void run_to_end() {
    while (!player.ended()) timeline.step();
  }
  double figure(const char* name) const {
    MetricSet metrics;
    host.report(metrics);
    REQUIRE(metrics.find(name) != nullptr);
    return metrics.find(name)->value.value_or(-1);
  }
  void check() const {
    for (const std::string& message : board.messages()) UNSCOPED_INFO(message);
    CHECK(board.errors() == 0);
    CHECK(link.refused == 0);
    CHECK(player.statistics().failed() == 0);
  }

 private:
  Status ask(HostRequest& request, HostOp op, std::uint64_t sector, std::uint32_t sectors, std::uint64_t mark) {
    Status answered = Status::aborted;
    host.set_receiver([&answered](HostRequest& answer) { answered = answer.status; });
    request.op = op;
    request.blocks = {HostBlock(sector * 8), sectors * 8};
    request.content.resize(request.blocks.count * kept_per_block(ContentMode::tags));
    std::memcpy(request.content.data(), &mark, sizeof mark);
    host.issue(request);
    timeline.run_until(timeline.now() + 1_s);
    host.set_receiver([this](HostRequest& answer) { player.completed(answer); });
    return answered;
  }

  DriveZones shape_;
  typename Parts::Layout layout_;

 public:
  Timeline timeline;
  ZonedLink link;
  typename Parts::Host host;
  Scoreboard board;

 private:
  RandomRequests source_;

 public:
  Player player;
};

}  // namespace tessera::test
