// Bit errors in the firmware's tables: one is corrected, two make the firmware restart, and what was acknowledged is there.
#include "base/random.hpp"
#include "failing_drive.hpp"
#include "firmware/layers/layer_factories.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

FirmwareConfig write_cache(CacheDurability durability) {
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(16 * 4096);
  config.write_cache.durability = durability;
  return config;
}

BenchConfig promising(CacheDurability durability) {
  BenchConfig config = failing_dram();
  if (durability == CacheDurability::volatile_memory) config.promise = DurabilityPromise::flushed;
  return config;
}

constexpr CacheDurability all_durabilities[] = {CacheDurability::plp, CacheDurability::journal, CacheDurability::volatile_memory};

}  // namespace

TEST_CASE("memory errors: one wrong bit in a table is corrected, two make the firmware restart") {
  for (const std::uint64_t bits : {1, 2}) {
    FailingDrive drive(write_cache(CacheDurability::plp));
    REQUIRE(drive.write(4, 3) == Status::ok);
    REQUIRE(drive.read(9) == Status::ok);
    drive.strike(drive->last_table_access, bits);
    REQUIRE(drive.read(9) == Status::ok);
    CHECK(drive->memory_failed() == (bits == 2));
    CHECK(drive.metric("dram.ecc_corrected") == (bits == 1 ? 1 : 0));
    CHECK(drive.metric("dram.ecc_uncorrectable") == (bits == 2 ? 1 : 0));
    CHECK(drive.metric("recovery.restarts_by_memory_error") == 0);
    if (bits == 1) continue;
    drive->restart_now();
    CHECK_FALSE(drive->memory_failed());
    CHECK(drive.metric("recovery.restarts_by_memory_error") == 1);
    CHECK(drive.metric("recovery.restarts") == 1);
    CHECK(drive.metric("dram.lost_sectors") == 0);
    CHECK(drive.read(4, 3) == Status::ok);
    CHECK(drive.wrong_blocks() == 0);
    CHECK_FALSE(drive->memory_failed());
  }
}

TEST_CASE("memory errors: nothing that the firmware does behind a table's error reaches the host before the restart") {
  FailingDrive drive(write_cache(CacheDurability::plp));
  REQUIRE(drive.read(9) == Status::ok);
  drive.strike(drive->last_table_access);
  const HostRequest& request = drive->submit(HostOp::write, 9 * 8, 8);
  drive.run_until([&] { return drive->memory_failed(); });
  CHECK_FALSE(FirmwareBench::done(request));
}

TEST_CASE("memory errors: after a restart for a table all that each durability promises is there") {
  for (const CacheDurability durability : all_durabilities) {
    FailingDrive drive(write_cache(durability), promising(durability));
    for (std::uint64_t sector = 0; sector < 64; ++sector) REQUIRE(drive.write(sector * 5 % 64) == Status::ok);
    REQUIRE(drive->flush() == Status::ok);
    for (std::uint64_t sector = 0; sector < 8; ++sector) REQUIRE(drive.write(sector) == Status::ok);
    drive.strike(drive->last_table_access);
    REQUIRE(drive.read(9) == Status::ok);
    drive->restart_now();
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("memory errors: random errors in all of the memory, with restarts and cuts, leave no wrong data") {
  struct Kind {
    std::function<std::unique_ptr<LayerFactory>()> make;
    std::map<std::string, double> parameters;
  };
  const Kind kinds[] = {{make_cmr_factory, {{"journal_tracks", 4}}},
                        {make_imr_rmw_factory, {{"journal_tracks", 4}, {"backup_slots", 1}}},
                        {make_imr_dtm_factory, {{"journal_tracks", 4}, {"log_records", 64}, {"backup_slots", 1}}},
                        {make_vguard_factory, {{"band_tracks", 8}, {"cache_tracks", 4}}}};
  double restarts = 0;
  double lost = 0;
  for (const Kind& kind : kinds) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      CAPTURE(seed);
      RandomStream random(seed, "memory errors");
      const CacheDurability durability = all_durabilities[kind.parameters.contains("journal_tracks") ? seed % 3 : 0];
      TestDrive drive(kind.make(), kind.parameters, promising(durability), seed % 4 == 3 ? FirmwareConfig{} : write_cache(durability));
      const auto used = static_cast<std::uint64_t>(drive.metric("dram.reserved.total"));
      for (int action = 0; action < 600; ++action) {
        const std::uint64_t sectors = drive.user_sectors();
        const auto count = static_cast<std::uint32_t>(1 + random.below(24));
        const std::uint64_t first = random.below(std::min<std::uint64_t>(sectors * 8, 640) - count);
        switch (random.below(8)) {
          case 0: static_cast<void>(drive->submit(HostOp::read, first, count)); break;
          case 1:
            if (random.below(4) == 0) static_cast<void>(drive->submit(HostOp::flush, 0, 0));
            break;
          case 2: static_cast<void>(drive->submit(HostOp::trim, first, count)); break;
          default: static_cast<void>(drive->submit(HostOp::write, first, count, random.below(8) == 0));
        }
        for (std::uint64_t errors = random.below(4); errors > 0; --errors)
          drive->dram().add_bit_error(DramAddress(random.below(used)), 1 + random.below(2), drive->now());
        if (random.below(50) == 0) drive->dram().add_bit_error(drive->last_table_access, 1 + random.below(2), drive->now());
        for (std::uint64_t steps = random.below(40); steps > 0 && !drive->timeline().empty() && !drive->memory_failed(); --steps)
          drive->timeline().step();
        if (drive->memory_failed())
          drive->restart_now();
        else if (random.below(100) == 0)
          drive->cut_now();
      }
      drive->dram().initialise(drive->now());
      if (drive->memory_failed()) drive->restart_now();
      drive->run_until_all_done();
      CHECK(drive.wrong_blocks() == 0);
      CHECK(drive->failed_whole_requests() == 0);
      restarts += drive.metric("recovery.restarts_by_memory_error");
      lost += drive.metric("dram.lost_sectors");
    }
  }
  CHECK(restarts > 100);
  CHECK(lost > 200);
}
