#include "stimuli/hosts/zoned_workload.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace tessera::test {
namespace {

constexpr std::uint64_t zone_blocks = 512, zones = 4;

/// A drive that carries out what keeps to the pointers, one at a time, and says of the first write that does not: this zone is read only.
ZonedWorkload::Verdict verdict_of_a_wrong_write(ZonedWorkload& host) {
  std::vector<std::uint64_t> pointers(zones, 0);
  for (std::uint64_t number = 0;; ++number) {
    TraceRecord record;
    REQUIRE(host.next(record));
    HostRequest request;
    request.number = number;
    request.op = record.op;
    const std::uint64_t first = record.offset / Bytes(host_block_bytes), blocks = record.size / Bytes(host_block_bytes);
    const std::uint64_t zone = first / zone_blocks, place = first % zone_blocks;
    if (record.op == HostOp::zone_report) {
      for (std::uint64_t told = zone; told < zones; ++told)
        request.zones.push_back({.type = ZoneType::sequential_write_required,
                                 .condition = pointers[told] == zone_blocks ? ZoneCondition::full : ZoneCondition::implicitly_open,
                                 .start = HostBlock(told * zone_blocks),
                                 .blocks = zone_blocks,
                                 .pointer = HostBlock(told * zone_blocks + pointers[told])});
    } else if (record.op == HostOp::write && (place != pointers[zone] || blocks % 8 != 0 || place + blocks > zone_blocks)) {
      request.status = Status::zone_read_only;
      return host.completed(request);
    } else if (record.op == HostOp::zone_reset && place != 0) {
      request.status = Status::invalid_field;
    } else if (record.op == HostOp::write) {
      pointers[zone] += blocks;
    } else if (record.op == HostOp::zone_reset) {
      pointers[zone] = 0;
    } else if (record.op == HostOp::zone_finish) {
      pointers[zone] = zone_blocks;
    }
    REQUIRE(host.completed(request).complaint.empty());
  }
}

}  // namespace

TEST_CASE("a zone that an earlier write made read only may refuse a wrong write for that, on a drive with faults alone") {
  const bool faults = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ZonedWorkload host(seed, {.blocks = zones * zone_blocks, .zone_blocks = zone_blocks, .largest = 64, .faults = faults});
    const ZonedWorkload::Verdict verdict = verdict_of_a_wrong_write(host);
    CHECK(verdict.complaint.empty() == faults);
    CHECK(verdict.in_order == faults);
  }
}

}  // namespace tessera::test
