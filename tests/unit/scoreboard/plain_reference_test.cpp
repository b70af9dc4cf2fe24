// The scoreboard against a plain drive: a map of blocks, with planted faults.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "host.hpp"

using namespace tessera;
using tessera::test::Host;

namespace {

/// A drive that applies each request at some instant between issue and completion, over 24 blocks, up to six at once. Its cache
/// is volatile: `media` is what a cut leaves. Faults are planted by `broken`.
class PlainDrive {
 public:
  PlainDrive(std::uint64_t seed, DurabilityPromise promise) : host(promise), promise_(promise), random_(seed, "plain") {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
  }
  void finish() {
    while (!pending_.empty()) complete(0);
  }
  void cut() {
    for (const Pending& p : pending_) host.board.lost(*p.request);
    host.board.power_cut();
    pending_.clear();
    if (promise_ == DurabilityPromise::flushed) {  // each block keeps any state since it was last durable
      for (auto& [block, states] : since_durable_) cache[block] = states[random_.below(states.size())];
      media_is_cache();
    }
  }

  Host host;
  std::map<std::uint64_t, Tag> cache;
  bool broken = false;
  bool uncovers = false;
  bool to_zeros = false;  // what it promises

 private:
  struct Pending {
    HostRequest* request;
    bool applied = false;
    std::vector<Tag> result;
  };

  void step() {
    const std::uint64_t what = random_.below(8);
    if (what < 3 && pending_.size() < 6) {
      issue();
    } else if (!pending_.empty()) {
      const std::size_t which = random_.below(pending_.size());
      what < 6 ? apply(pending_[which]) : complete(which);
    }
  }
  void issue() {
    const std::uint64_t first = random_.below(20);
    const auto count = static_cast<std::uint32_t>(1 + random_.below(4));
    switch (random_.below(8)) {
      case 0: pending_.push_back({&host.flush(), false, {}}); break;
      case 1: pending_.push_back({&host.trim(first, count), false, {}}); break;
      case 2:
      case 3:
      case 4: pending_.push_back({&host.read(first, count), false, {}}); break;
      default: pending_.push_back({&host.write(first, count, random_.below(4) == 0), false, {}});
    }
  }
  void apply(Pending& p) {
    if (p.applied) return;
    p.applied = true;
    const HostRun& run = p.request->blocks;
    for (std::uint64_t block = run.first.value(); block < run.end().value(); ++block) {
      if (p.request->op == HostOp::read) p.result.push_back(cache[block]);
      if (p.request->op == HostOp::trim && uncovers)
        store(block, before_[block]);
      else if (p.request->op == HostOp::trim && (to_zeros || random_.below(2) == 0))
        store(block, never_written);
      if (p.request->op != HostOp::write || broken) continue;
      store(block, Host::tag(*p.request, block));
      if (p.request->force_unit_access) since_durable_[block] = {cache[block]};
    }
    if (p.request->op == HostOp::flush) media_is_cache();
  }
  void store(std::uint64_t block, Tag tag) {
    if (since_durable_[block].empty()) since_durable_[block].push_back(cache[block]);
    before_[block] = cache[block];
    cache[block] = tag;
    since_durable_[block].push_back(tag);
  }
  void media_is_cache() { since_durable_.clear(); }
  void complete(std::size_t which) {
    apply(pending_[which]);
    const Pending p = pending_[which];
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(which));
    if (p.request->op == HostOp::read) {
      host.returns(*p.request, p.result);
    } else {
      host.done(*p.request);
    }
  }

  DurabilityPromise promise_;
  RandomStream random_;
  std::vector<Pending> pending_;
  std::map<std::uint64_t, std::vector<Tag>> since_durable_;
  std::map<std::uint64_t, Tag> before_;  // what the cache's content replaced
};

}  // namespace

TEST_CASE("a drive that keeps its promise is never blamed, whatever the order, through power cuts") {
  const auto promise = GENERATE(DurabilityPromise::acknowledged, DurabilityPromise::flushed);
  const bool to_zeros = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    PlainDrive drive(seed, promise);
    drive.to_zeros = to_zeros;
    if (to_zeros) drive.host.board.expect_zeros_after_trim();
    for (int life = 0; life < 4; ++life) {
      drive.run(150);
      drive.cut();
      for (std::uint64_t block = 0; block < 24; ++block) drive.host.reads_as(block, drive.cache[block]);
      INFO("seed " << seed << ", life " << life << ", promise " << static_cast<int>(promise));
      for (const auto& message : drive.host.board.messages()) UNSCOPED_INFO(message);
      REQUIRE(drive.host.board.errors() == 0);
    }
  }
}

TEST_CASE("a drive whose TRIM uncovers what was there before is blamed") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    PlainDrive drive(seed, DurabilityPromise::acknowledged);
    drive.uncovers = true;
    drive.run(3000);
    drive.finish();
    for (std::uint64_t block = 0; block < 24; ++block) drive.host.reads_as(block, drive.cache[block]);
    CHECK(drive.host.board.errors() > 0);
  }
}

TEST_CASE("a drive that promises zeros is blamed where a TRIM leaves what was there") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    PlainDrive drive(seed, DurabilityPromise::acknowledged);
    drive.host.board.expect_zeros_after_trim();
    drive.run(3000);
    drive.finish();
    CHECK(drive.host.board.errors() > 0);
  }
}

TEST_CASE("a drive that drops writes is blamed") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    PlainDrive drive(seed, DurabilityPromise::acknowledged);
    drive.broken = true;
    drive.run(300);
    drive.finish();
    for (std::uint64_t block = 0; block < 24; ++block) drive.host.reads_as(block, drive.cache[block]);
    CHECK(drive.host.board.errors() > 0);
  }
}
