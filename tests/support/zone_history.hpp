#pragma once
// Histories of a host on a small drive with zones: what it sends, with power cuts between, lost requests sent again, and every answer
// judged.
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>

#include "base/random.hpp"
#include "stimuli/hosts/zoned_workload.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

/// Six cuts. `drive` is a LayerDrive; `random` decides how much is under way, and for how long, before each.
template <class Drive>
void play_zone_history(Drive& drive, ZonedWorkload& host, RandomStream random) {
  FirmwareBench& bench = drive.bench();
  struct Request {
    HostRequest* at_drive;
    TraceRecord record;
  };
  std::map<std::uint64_t, Request> under_way;
  std::uint64_t made = 0;
  const auto send = [&](std::uint64_t number, const TraceRecord& record) {
    under_way[number] = {&bench.submit(record.op, record.offset / Bytes(host_block_bytes),
                                       static_cast<std::uint32_t>(record.size / Bytes(host_block_bytes)), record.force_unit_access),
                         record};
  };
  const auto collect = [&] {
    for (auto at = under_way.begin(); at != under_way.end();) {
      if (!FirmwareBench::done(*at->second.at_drive)) {
        ++at;
        continue;
      }
      HostRequest request = *at->second.at_drive;
      request.number = at->first;
      const ZonedWorkload::Verdict verdict = host.completed(request);
      INFO(verdict.complaint << ", " << to_string(request.op) << " " << to_string(request.status));
      REQUIRE(verdict.complaint.empty());
      REQUIRE((ok(request.status) || verdict.in_order));
      at = under_way.erase(at);
    }
  };
  for (std::uint32_t cut = 0; cut < 6; ++cut) {
    for (std::uint64_t requests = 30 + random.below(60); requests > 0; --requests) {
      TraceRecord record;
      REQUIRE(host.next(record));
      send(made++, record);
      while (under_way.size() > random.below(12)) {
        bench.timeline().step();
        collect();
      }
    }
    for (std::uint64_t actions = random.below(200); actions > 0 && !under_way.empty(); --actions) {
      bench.timeline().step();
      collect();
    }
    bench.cut_now();
    REQUIRE(bench.boot_status() == Status::ok);
    host.power_lost();
    drive.check_content();
    const auto lost = under_way;
    under_way.clear();
    for (const auto& [number, request] : lost) send(number, request.record);  // as a host's block layer does
    bench.run_until_all_done();
    collect();
  }
  drive.check_content();
}

}  // namespace tessera::test
