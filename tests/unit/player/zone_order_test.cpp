// A host waits for the end of what manages a zone before it writes there.
#include <catch2/catch.hpp>

#include "stub_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::Bench;
using tessera::test::ListSource;

namespace {

TraceRecord of_zone(HostOp op, std::uint64_t zone, bool all = false) {
  TraceRecord record{Picoseconds(0), op, false, 0, Bytes(zone * 65'536), Bytes(moves_data(op) ? 4096 : 0)};
  record.all_zones = all;
  return record;
}

/// When each was issued, in ms; the drive takes 10 ms for one after the other.
std::vector<std::uint64_t> issued(const std::vector<TraceRecord>& records, ReplayPolicy policy, std::uint64_t zone_blocks = 128) {
  ListSource source(records);
  PlayerConfig config{policy, 8, 0};
  config.zone_blocks = zone_blocks;
  Bench bench(source, config, 10_ms);
  bench.run();
  std::vector<std::uint64_t> all;
  for (const RequestLife& life : bench.recorder.lives) all.push_back(life.issue.value() / (1_ms).value());
  CHECK(bench.recorder.sums_hold);
  return all;
}

}  // namespace

TEST_CASE("zones: a write waits for the end of what manages its zone, reads and other zones do not") {
  using enum HostOp;
  for (const ReplayPolicy policy :
       {ReplayPolicy{ReplayKind::by_input, 0}, ReplayPolicy{ReplayKind::closed, 8}, ReplayPolicy{ReplayKind::queue, 8}}) {
    CAPTURE(static_cast<int>(policy.kind));
    CHECK(issued({of_zone(zone_reset, 1), of_zone(write, 2), of_zone(read, 1), of_zone(write, 1), of_zone(write, 1)}, policy) ==
          std::vector<std::uint64_t>{0, 0, 0, 10, 10});
    CHECK(issued({of_zone(zone_reset, 0, true), of_zone(write, 2)}, policy) == std::vector<std::uint64_t>{0, 10});
    CHECK(issued({of_zone(zone_finish, 1), of_zone(zone_reset, 1)}, policy) == std::vector<std::uint64_t>{0, 10});
    CHECK(issued({of_zone(write, 1), of_zone(zone_reset, 1)}, policy) == std::vector<std::uint64_t>{0, 10});
    CHECK(issued({of_zone(write, 1), of_zone(read, 1), of_zone(zone_reset, 2)}, policy) == std::vector<std::uint64_t>{0, 0, 0});
    CHECK(issued({of_zone(zone_reset, 1), of_zone(write, 1)}, policy, 0) == std::vector<std::uint64_t>{0, 0});
  }
}
