// Headers of single sectors: what a buffer's slots are found by.
#include <catch2/catch.hpp>

#include <vector>

#include "media/media_device.hpp"

using namespace tessera;

namespace {

SectorHeader marked(int mark) {
  SectorHeader header{};
  header[0] = static_cast<std::byte>(mark);
  return header;
}

struct OneTrack {
  MediaConfig config;
  MediaDevice media;
  Picoseconds now;

  static MediaConfig of_eight_sectors() {
    MediaConfig config;
    config.tracks = 2;
    config.sectors_per_track = 8;
    config.powerfail_sector = PowerfailSector::atomic_old;
    return config;
  }
  OneTrack() : config(of_eight_sectors()), media(config, {{.name = "buffer", .first = 0, .count = 2}}, ContentMode::none, 1) {}

  MediaTiming start(MediaOp op, std::uint32_t first, std::vector<SectorHeader>& headers) {
    step = MediaStep{};
    step.op = op;
    step.run = {{0, 0}, first, static_cast<std::uint32_t>(headers.size())};
    step.headers = headers;
    return media.start(step, now);
  }
  Status run(MediaOp op, std::uint32_t first, std::vector<SectorHeader>& headers) {
    now = start(op, first, headers).end;
    return media.finish();
  }
  std::vector<int> marks() {
    std::vector<SectorHeader> headers(8);
    static_cast<void>(run(MediaOp::read, 0, headers));
    std::vector<int> found;
    for (const SectorHeader& header : headers) found.push_back(static_cast<int>(header[0]));
    return found;
  }
  MediaStep step;
};

}  // namespace

TEST_CASE("each sector of a run keeps its own header, and a sector that is rewritten changes its own alone") {
  OneTrack track;
  std::vector<SectorHeader> headers{marked(1), marked(2), marked(3), marked(4)};
  REQUIRE(track.run(MediaOp::write, 2, headers) == Status::ok);
  std::vector<SectorHeader> one{marked(9)};
  REQUIRE(track.run(MediaOp::write, 4, one) == Status::ok);
  CHECK(track.marks() == std::vector<int>{0, 0, 1, 2, 9, 4, 0, 0});
}

TEST_CASE("a cut leaves the headers of the sectors that had passed the head") {
  OneTrack track;
  std::vector<SectorHeader> old(8, marked(1));
  REQUIRE(track.run(MediaOp::write, 0, old) == Status::ok);
  std::vector<SectorHeader> renewed(4, marked(2));
  const MediaTiming timing = track.start(MediaOp::write, 2, renewed);
  const Picoseconds sector = (timing.end - track.now - timing.seek - timing.rotation) / 4;
  track.now = timing.end - 2 * sector;
  track.media.cut(track.now);
  track.media.restore(track.now);
  CHECK(track.marks() == std::vector<int>{1, 1, 2, 2, 1, 1, 1, 1});
}

TEST_CASE("a sector that cannot be read has no header, its neighbours have theirs") {
  OneTrack track;
  std::vector<SectorHeader> headers(8, marked(1));
  REQUIRE(track.run(MediaOp::write, 0, headers) == Status::ok);
  track.media.add_unreadable({{0, 0}, 5});
  CHECK(track.marks() == std::vector<int>{1, 1, 1, 1, 1, 0, 1, 1});
}
