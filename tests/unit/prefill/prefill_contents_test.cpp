#include "platforms/drive/prefill_contents.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "base/error.hpp"
#include "prefilled_drive.hpp"

using namespace tessera;
using test::PrefilledDrive;

namespace {

constexpr SectorShape tags{4096, ContentMode::tags};

Tag tag_at(const std::vector<std::byte>& data, std::size_t block) {
  Tag tag = 0;
  std::memcpy(&tag, data.data() + block * sizeof tag, sizeof tag);
  return tag;
}

}  // namespace

TEST_CASE("contents of a track: the marks of the sectors that lie there, in parts of runs too") {
  const PrefillContents contents(tags, {80, 1}, {{7, 4, 2, LogicalSector(8)}, {3, 0, 5, LogicalSector(0)}, {7, 0, 3, LogicalSector(5)}});
  CHECK(contents.on(3));
  CHECK(contents.on(7));
  CHECK_FALSE(contents.on(5));
  CHECK_FALSE(contents.on(8));
  std::vector<std::byte> data(4 * tags.kept());
  contents.fill(7, 2, 4, data);
  CHECK(tag_at(data, 0) == (prefill_mark | 56));
  CHECK(tag_at(data, 8) == never_written);
  CHECK(tag_at(data, 16) == (prefill_mark | 64));
  CHECK(tag_at(data, 31) == (prefill_mark | 79));
  const std::vector<HostRun> blocks = contents.blocks_on(7);
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].first == HostBlock(40));
  CHECK(blocks[0].count == 24);
  CHECK(blocks[1].first == HostBlock(64));
}

TEST_CASE("two sectors at one place are a bug of the layer") {
  CHECK_THROWS_AS(PrefillContents(tags, {80, 1}, {{3, 0, 5, LogicalSector(0)}, {3, 4, 5, LogicalSector(5)}}), ModelBug);
}

TEST_CASE("the survey finds each prefilled sector of every layer at one place, within its track") {
  for (const auto& layer : all_layers())
    for (const std::uint32_t percent : {1U, 50U, 100U}) {
      CAPTURE(layer->name(), percent);
      PrefilledDrive drive(layer->name(), percent);
      const TrackGeometry& geometry = drive->media().geometry();
      std::uint64_t blocks = 0;
      for (std::uint64_t track = 0; track < geometry.tracks(); ++track)
        for (const HostRun& run : drive.contents().blocks_on(track)) blocks += run.count;
      CHECK(blocks == drive.prefilled_blocks());
    }
}

TEST_CASE("the survey leaves no trace: a layer that maps one to one holds sector by sector") {
  PrefilledDrive drive("cmr", 100);
  const HostRun first = drive.contents().blocks_on(0).front();
  CHECK(first.first == HostBlock(0));
  CHECK(first.count == 16 * test::blocks_per_sector);
  CHECK(drive->steps.empty());
}
