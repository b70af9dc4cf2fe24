#pragma once
// Random histories of a drive: requests of all kinds, several at a time, with pauses or with power cuts. What was acknowledged is what
// is read (the bench's scoreboard is the plain map). `Drive` is a LayerDrive or a TestDrive.
#include <catch2/catch.hpp>

#include <algorithm>

#include "base/random.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

using namespace tessera::literals;

/// Pages of one sector, or, on half of the drives, of two or four.
inline void draw_subpages(NandConfig& nand, std::uint64_t seed) {
  constexpr std::uint32_t sectors[] = {1, 1, 2, 4};
  RandomStream random(seed, "sectors of a page");
  nand.subpages = sectors[random.below(4)];
  nand.page_size = nand.page_size * nand.subpages;
  nand.oob_size = nand.oob_size * nand.subpages;
}

/// Uniform from `low` to `high`.
inline std::uint32_t pick(RandomStream& random, std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint32_t>(low + random.below(high - low + 1));
}

/// On half of the drives any skew: there the numbers of interlaced and in-place shingled tracks begin anywhere, and runs wrap.
inline void add_skew(MediaConfig& media, RandomStream& random) {
  if (random.below(2) == 0) return;
  media.cylinder_skew = pick(random, 1, media.sectors_per_track - 1);
  media.track_skew = pick(random, 0, media.sectors_per_track - 1);
}

struct RandomTraffic {
  std::uint32_t longest = 120;  ///< blocks of one request in four; of the others 16
  std::uint32_t reads = 4;      ///< to 14 writes, one of them with FUA, a TRIM and a FLUSH
  // Of a history
  std::uint32_t rounds = 60;
  Picoseconds longest_pause = 400_ms;
  // With cuts
  std::uint32_t cuts = 8;
  std::uint32_t requests = 40;  ///< between two cuts, at most
  std::uint32_t actions = 400;  ///< of the timeline between the last request and the cut, at most
};

/// A request of a random kind to these blocks.
inline void submit_random_at(FirmwareBench& bench, RandomStream& random, std::uint64_t first, std::uint32_t count, std::uint32_t reads) {
  const std::uint64_t kind = random.below(16 + reads);
  const HostOp op = kind == 0 ? HostOp::trim : kind == 1 ? HostOp::flush : kind < 2 + reads ? HostOp::read : HostOp::write;
  if (op == HostOp::flush) {
    bench.submit(op, 0, 0);
  } else {
    bench.submit(op, first, count, kind == 15 + reads);
  }
}

template <class Drive>
void submit_random(Drive& drive, RandomStream& random, const RandomTraffic& traffic = {}) {
  const std::uint64_t user = drive.user_sectors() * blocks_per_sector;
  const std::uint64_t first = random.below(user);
  const std::uint64_t longest = std::min<std::uint64_t>(user - first, random.below(4) == 0 ? traffic.longest : 16);
  submit_random_at(drive.bench(), random, first, pick(random, 1, longest), traffic.reads);
}

/// Rounds of up to six requests at a time, a pause behind one round in five; then everything is read back.
template <class Drive>
void random_history(Drive& drive, RandomStream& random, const RandomTraffic& traffic = {}) {
  for (std::uint32_t round = 0; round < traffic.rounds; ++round) {
    for (std::uint64_t depth = 1 + random.below(6); depth > 0; --depth) submit_random(drive, random, traffic);
    drive.bench().run_until_all_done();
    if (random.below(5) == 0) drive.bench().run_for(Picoseconds(random.below(traffic.longest_pause.value())));
  }
  drive.check_content();
}

/// Requests and power cuts at random instants; everything is read back after each.
template <class Drive>
void random_cuts(Drive& drive, RandomStream& random, const RandomTraffic& traffic = {}) {
  for (std::uint32_t cut = 0; cut < traffic.cuts; ++cut) {
    for (std::uint64_t requests = random.below(traffic.requests); requests > 0; --requests) {
      submit_random(drive, random, traffic);
      if (random.below(3) == 0) drive.bench().run_until_all_done();
    }
    drive.bench().cut_after_actions(random.below(traffic.actions));
    REQUIRE(drive.bench().boot_status() == Status::ok);
    drive.check_content();
  }
}

}  // namespace tessera::test
