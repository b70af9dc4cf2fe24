// Streams and random readers that share a disk: the read cache and the command queue together, against the same drive without the cache.
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "firmware/caches/read_cache.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint64_t blocks = 8;              // of 512 B in a sector
constexpr std::uint32_t stream_sectors = 8;      // of a read of a stream
constexpr std::uint64_t stream_apart = 250'000;  // sectors: a quarter of the drive

/// A turn of 8.3 ms, 4 GiB in tracks of 512 KiB, whose first sectors are apart by the shortest seek; electronics take their time.
BenchConfig quick_drive() {
  BenchConfig config;
  config.media.speed = Rpm(7200);
  config.media.tracks = 8192;
  config.media.sectors_per_track = 128;
  config.media.cylinder_skew = 36;
  config.dram.capacity = Bytes(std::uint64_t{256} << 20);
  config.host.tags = 160;
  config.host.buffer = Bytes(std::uint64_t{64} << 20);
  config.controller.scheduling = SchedulingPolicy::shortest_positioning;
  config.controller.age_pause = 100_ms;
  config.content = ContentMode::none;
  return config;
}

FirmwareConfig cache(std::uint32_t segments) {
  FirmwareConfig config;
  config.read_cache = {
      .segments = segments, .segment_sectors = 256, .read_ahead = 64, .read_ahead_step = 16, .read_ahead_until = ReadAheadUntil::limit};
  return config;
}

/// One host that keeps `depth` reads in flight: one after the other, or anywhere.
class Reader {
 public:
  Reader(std::uint64_t first, std::uint32_t depth) : next_(first), in_flight_(depth, nullptr) {}
  static Reader anywhere(std::uint64_t seed) {
    Reader reader(0, 1);
    reader.dice_.emplace(seed, "test.mixes");
    return reader;
  }

  /// Sends what is due; gives the bytes that have come since.
  std::uint64_t go_on(TestDrive& drive) {
    std::uint64_t bytes = 0;
    for (HostRequest*& request : in_flight_) {
      if (request != nullptr && !FirmwareBench::done(*request)) continue;
      if (request != nullptr) bytes += std::uint64_t{request->blocks.count} * 512;
      const std::uint32_t count = dice_ ? 1 : stream_sectors;
      const std::uint64_t sector = dice_ ? dice_->below(drive.user_sectors()) : next_;
      next_ += count;
      request = &drive->submit(HostOp::read, sector * blocks, static_cast<std::uint32_t>(count * blocks));
    }
    return bytes;
  }

 private:
  std::uint64_t next_;
  std::optional<RandomStream> dice_;
  std::vector<HostRequest*> in_flight_;
};

struct Mix {
  std::uint32_t streams = 1;
  std::uint32_t depth = 1;    ///< of each stream
  std::uint32_t readers = 0;  ///< of single sectors anywhere, one at a time
};

/// MB/s of all together, once they have got going.
double rate_of(const Mix& mix, const FirmwareConfig& firmware) {
  TestDrive drive(make_cmr_factory(), {}, quick_drive(), firmware);
  std::vector<Reader> hosts;
  for (std::uint64_t i = 0; i < mix.streams; ++i) hosts.emplace_back(i * stream_apart, mix.depth);
  for (std::uint64_t i = 0; i < mix.readers; ++i) hosts.push_back(Reader::anywhere(i + 1));
  std::uint64_t bytes = 0;
  const Picoseconds begin = drive->now() + 500_ms;
  const Picoseconds end = begin + 8_s;
  while (drive->now() < end) {
    for (Reader& host : hosts) {
      const std::uint64_t more = host.go_on(drive);
      if (drive->now() >= begin) bytes += more;
    }
    drive->timeline().step();
  }
  return static_cast<double>(bytes) / 8e6;
}

}  // namespace

TEST_CASE("read cache: no mix of streams and random readers is slower with it, deeper queues are no slower, and streams share the disk") {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> best;  // by streams and readers, of smaller depths
  const double alone = rate_of({}, cache(16));
  for (const std::uint32_t depth : {1U, 2U, 4U, 8U, 32U}) {
    for (std::uint32_t streams = 1; streams <= 4; ++streams) {
      for (std::uint32_t readers = 0; readers <= 2; ++readers) {
        const Mix mix{streams, depth, readers};
        const double with = rate_of(mix, cache(16));
        const double without = rate_of(mix, cache(0));
        INFO(streams << " streams at depth " << depth << ", " << readers << " readers: " << with << " MB/s, without cache " << without);
        CHECK(with >= 0.97 * without);
        double& before = best[{streams, readers}];
        CHECK(with >= 0.97 * before);
        before = std::max(before, with);
        if (readers == 0 && streams > 1) CHECK(with >= (depth < 4 ? 0.5 : 0.8) * alone);
      }
    }
  }
}

TEST_CASE("read cache: one read far away costs a stream three turns at most, or what it costs without cache, and nothing after that") {
  const auto time_of = [](std::uint32_t depth, std::uint32_t segments, bool disturbed) {
    BenchConfig config = quick_drive();
    config.media.seek_min = 250_us;  // there and back again over a quarter of the drive in less than two turns
    config.media.seek_full_stroke = 14_ms;
    config.media.cylinder_skew = 8;
    TestDrive drive(make_cmr_factory(), {}, config, cache(segments));
    Reader stream(0, depth);
    std::uint64_t bytes = 0;
    bool asked = !disturbed;
    const Picoseconds begin = drive->now();
    while (bytes < std::uint64_t{100} << 20) {
      bytes += stream.go_on(drive);
      if (!asked && bytes > std::uint64_t{10} << 20) {
        drive->submit(HostOp::read, stream_apart * blocks, blocks);
        asked = true;
      }
      drive->timeline().step();
    }
    return drive->now() - begin;
  };
  for (const std::uint32_t depth : {1U, 4U, 8U, 32U}) {
    const Picoseconds cost = time_of(depth, 16, true) - time_of(depth, 16, false);
    const Picoseconds most = 3 * 8'334_us;
    // 32 reads in flight reach over two tracks: the arm comes back to the second, and to the first a turn later.
    const Picoseconds without = depth == 32 ? time_of(depth, 0, true) - time_of(depth, 0, false) + 1_ms : most;
    INFO("depth " << depth << ": " << static_cast<double>(cost.value()) / 1e9 << " ms");
    CHECK(cost <= std::max(most, without));
  }
}
