#pragma once
// Drives whose flash fails: what is acknowledged is what is read, or the read fails because a fault took it; a write is refused only by a
// drive that says that it takes no more.
#include <catch2/catch.hpp>

#include "support/random_histories.hpp"

namespace tessera::test {

/// Failures of programs and erases at random, `per_million` of each.
inline void fail_at_random(NandConfig& nand, std::uint32_t per_million) {
  nand.program_failures_per_million = nand.erase_failures_per_million = per_million;
}

/// Bits that read wrong. With few levels of read retry some pages cannot be saved.
inline void wrong_bits(NandConfig& nand, std::uint64_t per_billion, std::uint32_t retries) {
  nand.ecc_bits = 2;
  nand.bit_errors_fresh = per_billion;
  nand.read_retries = retries;
  nand.read_retry_leaves = retries < 4 ? 60 : 10;
  nand.read_retry_time = Picoseconds(100'000'000);
}

inline constexpr std::uint32_t most_spoilt = 12;

/// Makes random sectors of the platters unreadable.
template <class Drive>
void spoil_sectors(Drive& drive, RandomStream& random, std::uint32_t count) {
  MediaDevice& media = drive.bench().media();
  for (; count > 0; --count) {
    const Region& region = drive.plan()[random.below(drive.plan().size())];
    if (region.name != "bands" && region.name != "wave") continue;  // logs and superblocks have tests of their own
    const PhysicalTrack track{static_cast<std::uint32_t>(random.below(media.geometry().surfaces())),
                              static_cast<std::uint32_t>(region.first + random.below(region.count))};
    media.add_unreadable({track, static_cast<std::uint32_t>(random.below(media.sectors_on(track)))});
  }
}

/// Failures, wrong bits or both, by the number of the run, at a rate that is drawn.
inline void draw_faults(NandConfig& nand, RandomStream& random, std::uint64_t run, std::uint32_t retries) {
  constexpr std::uint32_t per_million[] = {100, 1000, 10'000};
  constexpr std::uint64_t per_billion[] = {20'000, 100'000, 400'000};
  if (run % 3 != 1) fail_at_random(nand, per_million[random.below(3)]);
  if (run % 3 != 0) wrong_bits(nand, per_billion[random.below(3)], retries);
}

/// Reads everything back.
template <class Drive>
void check_with_faults(Drive& drive) {
  FirmwareBench& bench = drive.bench();
  REQUIRE(bench.boot_status() == Status::ok);
  bench.verify_all();
  INFO((bench.scoreboard().messages().empty() ? "" : bench.scoreboard().messages().front()));
  REQUIRE(bench.scoreboard().errors() == 0);
  // A sector that was trimmed may come back as lost. Nothing else is lost that no fault took.
  REQUIRE(bench.unreadable_blocks() <= (bench.nand().array().uncorrectable() + most_spoilt) * blocks_per_sector);
}

/// Requests without cuts. Requests may be refused.
template <class Drive>
void history_with_faults(Drive& drive, RandomStream& random, const RandomTraffic& shape = {}) {
  for (std::uint32_t round = 0; round < shape.rounds; ++round) {
    for (std::uint64_t depth = 1 + random.below(6); depth > 0; --depth) submit_random(drive, random, shape);
    drive.bench().run_until_all_done();
  }
  check_with_faults(drive);
}

/// Requests and cuts in turn. Requests may be refused.
template <class Drive>
void cuts_with_faults(Drive& drive, RandomStream& random, const RandomTraffic& shape = {}) {
  for (std::uint32_t cut = 0; cut < shape.cuts; ++cut) {
    for (std::uint64_t requests = random.below(shape.requests); requests > 0; --requests) {
      submit_random(drive, random, shape);
      if (random.below(3) == 0) drive.bench().run_until_all_done();
    }
    drive.bench().run_until_all_done();
    check_with_faults(drive);
    for (std::uint64_t requests = random.below(8); requests > 0; --requests) submit_random(drive, random, shape);
    drive.bench().cut_after_actions(random.below(shape.actions));
    check_with_faults(drive);
  }
}

/// Random cuts on flash with paired pages: gives how many blocks were lost.
template <class Drive, class Setup>
std::uint64_t lost_with_paired_pages(Setup setup, RandomStream& random, const RandomTraffic& shape = {}) {
  setup.bench.nand->paired_page = true;
  Drive drive(setup);
  for (std::uint32_t cut = 0; cut < shape.cuts; ++cut) {
    for (std::uint64_t requests = random.below(shape.requests); requests > 0; --requests) submit_random(drive, random, shape);
    drive.bench().cut_after_actions(random.below(shape.actions));
    if (!ok(drive.bench().boot_status())) return 1;
    drive.bench().verify_all();
  }
  return drive.bench().scoreboard().errors() + drive.bench().unreadable_blocks();
}

}  // namespace tessera::test
