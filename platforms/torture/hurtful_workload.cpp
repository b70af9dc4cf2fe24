#include "platforms/torture/hurtful_workload.hpp"

#include <algorithm>

namespace tessera {

using namespace literals;

namespace {

constexpr std::size_t hot_places = 6;
constexpr std::uint32_t hot_reach = 24;      // sectors around a hot place
constexpr std::uint32_t largest_border = 9;  // the coarsest borders are 2^9 sectors apart

/// Bounds in percent; writes are the rest, one in `forced` with FUA.
struct Shares {
  std::uint64_t flush, trim, read, forced;
};
constexpr Shares usual{3, 9, 28, 8};
constexpr Shares with_barriers{12, 30, 40, 2};

}  // namespace

HurtfulWorkload::HurtfulWorkload(std::uint64_t seed, const Drive& drive) : random_(seed, "torture.workload"), drive_(drive) {
  for (std::size_t i = 0; i < hot_places; ++i) hot_.push_back(random_.below(drive.blocks));
}

bool HurtfulWorkload::next(TraceRecord& record) {
  record = {};
  if (made_++ > 0) now_ += pause();  // times count from the first request
  record.arrival = now_;
  const std::uint64_t kind = random_.below(100);
  const Shares& shares = drive_.barriers ? with_barriers : usual;
  record.op = kind < shares.flush ? HostOp::flush : kind < shares.trim ? HostOp::trim : kind < shares.read ? HostOp::read : HostOp::write;
  if (record.op == HostOp::flush) return true;
  record.force_unit_access = record.op == HostOp::write && random_.below(shares.forced) == 0;
  const std::uint64_t blocks = size();
  record.offset = Bytes(place(blocks) * host_block_bytes);
  record.size = Bytes(blocks * host_block_bytes);
  return true;
}

std::uint64_t HurtfulWorkload::size() {
  const std::uint64_t sector = drive_.sector_blocks;
  const std::uint64_t kind = random_.below(20);
  const std::uint64_t most = kind < 8 ? sector : kind < 15 ? 16 * sector : kind < 19 ? 64 * sector : drive_.largest;
  std::uint64_t blocks = 1 + random_.below(most);
  if (random_.below(2) == 0) blocks = (blocks + sector - 1) / sector * sector;
  return std::min({blocks, std::uint64_t{drive_.largest}, drive_.blocks});
}

std::uint64_t HurtfulWorkload::place(std::uint64_t blocks) {
  const std::uint64_t sector = drive_.sector_blocks;
  const std::uint64_t room = drive_.blocks - blocks;
  std::uint64_t first = random_.below(room + 1);
  const std::uint64_t kind = random_.below(20);
  if (kind < 8) {
    first = hot_[random_.below(hot_.size())] + random_.below(hot_reach * sector);
  } else if (kind < 16) {
    const std::uint64_t apart =
        (random_.below(2) == 0 ? std::uint64_t{drive_.track_sectors} : std::uint64_t{1} << random_.below(largest_border + 1)) * sector;
    const std::uint64_t border = first / apart * apart;
    const std::uint64_t before = random_.below(blocks + 1);
    first = border > before ? border - before : 0;
  }
  if (random_.below(2) == 0) first = first / sector * sector;
  return std::min(first, room);
}

/// Most requests come at once; one in fifty after up to a second, drawn by its magnitude.
Picoseconds HurtfulWorkload::pause() {
  if (random_.below(50) != 0) return {};
  const std::uint64_t most = (1_us).value() << random_.below(21);
  return Picoseconds(random_.below(most));
}

}  // namespace tessera
