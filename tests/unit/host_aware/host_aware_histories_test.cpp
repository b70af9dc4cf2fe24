// Histories of a host that writes in order and anywhere, resets and finishes, with power cuts between.
#include <map>

#include "host_aware_drive.hpp"
#include "stimuli/hosts/zoned_workload.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("histories of a host that writes anywhere lose nothing, and find the pointers where they may be") {
  const std::uint64_t seed = GENERATE(range(1, 31));
  HostAwareSetup setup;
  setup.prefilled = seed % 3 * 120;
  setup.layer.optimal_open = 1 + static_cast<std::uint32_t>(seed % 4);
  if (seed % 2 == 0) setup.layer.cache.merge_step = Picoseconds(20'000'000'000);
  if (seed % 5 == 0) setup.layer.cache.head_width = 3;
  if (seed % 7 == 0) setup.layer.cache.stay_mark = 50;
  if (seed % 3 == 0) {
    setup.layer.cache.idle_cleaning = media_cache::IdleCleaning::on;
    setup.layer.cache.idle_after = Picoseconds(5'000'000'000);
  }
  HostAwareDrive drive(setup);
  FirmwareBench& bench = drive.bench();
  ZonedWorkload host(
      seed,
      {.blocks = drive.user_sectors() * blocks_per_sector, .zone_blocks = drive.layer().zone_blocks(), .largest = 64, .anywhere = true});
  RandomStream random(seed, "host-aware histories");
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
