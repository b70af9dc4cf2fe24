#include "media/content_store.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <set>

#include "base/random.hpp"
#include "small_drive.hpp"

using namespace tessera;
using test::tag_of;
using test::tagged;

namespace {

constexpr SectorShape tags{4096, ContentMode::tags};

SectorHeader header_of(int value) {
  SectorHeader header;
  header.fill(static_cast<std::byte>(value));
  return header;
}

}  // namespace

TEST_CASE("tags come back block by block, collapsed or not, and a blank sector reads as never written") {
  ContentStore store(tags, 10, 100);
  DataBuffer data = tagged(20, 1000);
  const Tag odd = 7;  // breaks the third sector's sequence
  std::memcpy(data.content(2, 1).data() + 5 * sizeof(Tag), &odd, sizeof odd);
  store.write(3, 5, 20, data.content(0, 20));
  DataBuffer back = tagged(22, 1);
  CHECK(store.read(3, 4, 22, back.content(0, 22)) == Status::ok);
  CHECK(tag_of(back, 0, 3) == never_written);
  CHECK(std::memcmp(back.content(1, 20).data(), data.content(0, 20).data(), back.content(1, 20).size()) == 0);
  CHECK(tag_of(back, 21, 7) == never_written);
  CHECK_FALSE(store.occupied(2));
  CHECK(store.occupied(3));
}

TEST_CASE("bytes come back whole") {
  const SectorShape bytes{4096, ContentMode::bytes};
  ContentStore store(bytes, 10, 100);
  DataBuffer data(DramAddress(0), 3, bytes);
  RandomStream random(1, "bytes");
  for (std::byte& byte : data.content(0, 3)) byte = static_cast<std::byte>(random.below(256));
  store.write(0, 7, 3, data.content(0, 3));
  DataBuffer back(DramAddress(0), 3, bytes);
  CHECK(store.read(0, 7, 3, back.content(0, 3)) == Status::ok);
  CHECK(std::memcmp(back.content(0, 3).data(), data.content(0, 3).data(), 3 * 4096) == 0);
  store.damage(0, 8, 1);
  CHECK(store.read(0, 7, 3, back.content(0, 3)) == Status::damaged);
  CHECK(tag_of(back, 1, 4) == destroyed);
  CHECK(back.content(2, 1)[9] == data.content(2, 1)[9]);
}

TEST_CASE("a sector that got only a header has no host data, whatever it held before") {
  for (const ContentMode mode : {ContentMode::tags, ContentMode::bytes}) {
    const SectorShape shape{4096, mode};
    ContentStore store(shape, 10, 100);
    DataBuffer data = tagged(1, 500, shape);
    store.write(1, 10, 1, data.content(0, 1));
    store.write(1, 10, 1, {});
    store.write_header(1, 10, header_of(1));
    CHECK(store.read(1, 10, 1, data.content(0, 1)) == Status::ok);
    CHECK(tag_of(data, 0) == never_written);
  }
}

TEST_CASE("damage destroys what was written until it is written again, and blank sectors have nothing to lose") {
  ContentStore store(tags, 10, 100);
  DataBuffer data = tagged(10, 500);
  store.write(1, 10, 10, data.content(0, 10));
  store.damage(1, 5, 8);
  CHECK(store.damaged_sectors() == 3);
  DataBuffer back = tagged(10, 1);
  CHECK(store.read(1, 10, 10, back.content(0, 10)) == Status::damaged);
  CHECK(tag_of(back, 2, 0) == destroyed);
  CHECK(tag_of(back, 2, 7) == destroyed);
  CHECK(tag_of(back, 3) == 500 + 3 * 8);
  CHECK(store.read(1, 13, 7, back.content(0, 7)) == Status::ok);
  CHECK(store.read(1, 5, 5, back.content(0, 5)) == Status::ok);
  store.write(1, 10, 3, data.content(7, 3));
  CHECK(store.damaged_sectors() == 0);
  CHECK(store.read(1, 10, 10, back.content(0, 10)) == Status::ok);
  CHECK(tag_of(back, 0) == 500 + 7 * 8);
}

TEST_CASE("system bytes and headers are kept in every mode, and destroyed by damage and by overwriting") {
  for (const ContentMode mode : {ContentMode::none, ContentMode::tags, ContentMode::bytes}) {
    const SectorShape shape{4096, mode};
    ContentStore store(shape, 10, 100);
    std::vector<std::byte> journal(3 * 4096, std::byte{0x5a});
    DataBuffer data(DramAddress(0), 1, shape);
    std::vector<std::byte> back(3 * 4096);
    SectorHeader header;

    store.write_system(4, 20, 3, journal);
    store.write_header(4, 22, header_of(9));
    CHECK(store.read_system(4, 20, 3, back) == Status::ok);
    CHECK(back == journal);
    store.read_header(4, 22, header);
    CHECK(header == header_of(9));

    store.damage(4, 22, 1);
    CHECK(store.read_system(4, 20, 3, back) == Status::damaged);
    CHECK(back[2 * 4096] == std::byte{0});
    CHECK(back[4096] == std::byte{0x5a});
    store.read_header(4, 22, header);
    CHECK(header == SectorHeader{});

    store.write(4, 21, 1, data.content(0, 1));  // host data over a journal sector
    CHECK(store.read_system(4, 21, 1, std::span(back).first(4096)) == Status::ok);
    CHECK(back[0] == std::byte{0});

    store.write(4, 30, 1, data.content(0, 1));
    store.write_header(4, 30, header_of(3));
    store.read_header(4, 30, header);
    CHECK(header == header_of(3));
    store.write(4, 30, 1, data.content(0, 1));  // without a header
    store.read_header(4, 30, header);
    CHECK(header == SectorHeader{});
  }
}

TEST_CASE("what lies far apart on a track of any size is met by the damage that reaches it, and by no other") {
  for (const std::uint32_t sectors : {1U, 8U, 9U, 511U, 512U, 513U, 1'024U, 1'025U, 5'000U}) {
    const std::set<std::uint32_t> held = {0, sectors / 3, sectors / 2, sectors - 1};
    for (const std::uint32_t first : held)
      for (const std::uint32_t last : held) {
        if (last < first) continue;
        ContentStore store({4096, ContentMode::none}, 2, sectors);
        for (const std::uint32_t sector : held) store.write_header(1, sector, header_of(1));
        store.damage(1, first, last - first + 1);
        for (const std::uint32_t sector : held)
          CHECK(store.status(1, sector) == (first <= sector && sector <= last ? Status::damaged : Status::ok));
        store.write(1, first, last - first + 1, {});
        CHECK(store.damaged_sectors() == 0);
        CHECK(store.header_status(1, 0, sectors) == Status::ok);
      }
  }
}

TEST_CASE("in mode none host data is neither kept nor damaged, and a torn sector is") {
  ContentStore store({4096, ContentMode::none}, 10, 100);
  store.write(1, 0, 50, {});
  CHECK_FALSE(store.occupied(1));
  store.damage(1, 0, 50);
  CHECK(store.read(1, 0, 50, {}) == Status::ok);
  store.destroy(1, 7);
  CHECK(store.read(1, 0, 50, {}) == Status::damaged);
  CHECK(store.read(1, 8, 50, {}) == Status::ok);
  store.write(1, 7, 1, {});
  CHECK(store.read(1, 0, 50, {}) == Status::ok);
}

TEST_CASE("the store agrees with a plain table over random writes, damage and reads") {
  struct Plain {
    Tag tag = never_written;
    bool damaged = false;
  };
  ContentStore store({512, ContentMode::tags}, 4, 30);
  std::map<std::pair<std::uint64_t, std::uint32_t>, Plain> plain;
  RandomStream random(5, "store");
  Tag next = 1;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t track = random.below(4);
    const auto first = static_cast<std::uint32_t>(random.below(30));
    const auto count = static_cast<std::uint32_t>(1 + random.below(30 - first));
    DataBuffer data = tagged(count, next, {512, ContentMode::tags});
    switch (random.below(3)) {
      case 0:
        store.write(track, first, count, data.content(0, count));
        for (std::uint32_t s = 0; s < count; ++s) plain[{track, first + s}] = {next + s, false};
        next += count;
        break;
      case 1:
        store.damage(track, first, count);
        for (std::uint32_t s = 0; s < count; ++s)
          if (plain[{track, first + s}].tag != never_written) plain[{track, first + s}].damaged = true;
        break;
      default: {
        bool damaged = false;
        const Status status = store.read(track, first, count, data.content(0, count));
        for (std::uint32_t s = 0; s < count; ++s) {
          const Plain& expected = plain[{track, first + s}];
          damaged = damaged || expected.damaged;
          REQUIRE(tag_of(data, s) == (expected.damaged ? destroyed : expected.tag));
        }
        REQUIRE(status == (damaged ? Status::damaged : Status::ok));
      }
    }
  }
}

TEST_CASE("a copy of a sector that holds nothing holds nothing: no header is written as zeros, no data as it was read") {
  for (const ContentMode mode : {ContentMode::none, ContentMode::tags, ContentMode::bytes}) {
    const SectorShape shape{4096, mode};
    ContentStore store(shape, 10, 100);
    DataBuffer copy(DramAddress(0), 1, shape);
    SectorHeader header;
    CHECK(store.read(2, 5, 1, copy.content(0, 1)) == Status::ok);
    store.read_header(2, 5, header);
    store.write(2, 5, 1, copy.content(0, 1));
    store.write_header(2, 5, header);
    store.damage(2, 0, 10);
    CHECK(store.damaged_sectors() == 0);
    CHECK(store.read(2, 5, 1, copy.content(0, 1)) == Status::ok);
  }
}

TEST_CASE("what reads of headers and system bytes say does not depend on what is kept of data") {
  constexpr std::uint64_t tracks = 4;
  constexpr std::uint32_t sectors = 30;
  for (const ContentMode mode : {ContentMode::tags, ContentMode::bytes}) {
    const SectorShape shape{4096, mode};
    ContentStore without({4096, ContentMode::none}, tracks, sectors);
    ContentStore with(shape, tracks, sectors);
    RandomStream random(5, "headers");
    for (int step = 0; step < 20'000; ++step) {
      const std::uint64_t track = random.below(tracks);
      const auto first = static_cast<std::uint32_t>(random.below(sectors));
      const auto count = static_cast<std::uint32_t>(1 + random.below(sectors - first));
      DataBuffer data = tagged(count, 1 + static_cast<Tag>(step) * 1000, shape);
      const SectorHeader header = header_of(static_cast<int>(random.below(4)));
      const std::vector<std::byte> system(std::size_t{count} * 4096, std::byte{7});
      const std::uint64_t what = random.below(8);
      for (ContentStore* const store : {&without, &with}) switch (what) {
          case 0:
          case 1: store->write(track, first, count, store == &with ? ConstContentSpan(data.content(0, count)) : ConstContentSpan()); break;
          case 2: store->write_system(track, first, count, system); break;
          case 3:
            store->write(track, first, 1, store == &with ? ConstContentSpan(data.content(0, 1)) : ConstContentSpan());
            store->write_header(track, first, header);
            break;
          case 4: store->destroy(track, first); break;
          case 5:
            store->write(track, first, 1, store == &with ? ConstContentSpan(data.content(0, 1)) : ConstContentSpan());
            store->mark_lost(track, first);
            break;
          default: store->damage(track, first, count);
        }
      std::vector<std::byte> bytes(std::size_t{count} * 4096);
      const Status said = without.header_status(track, first, count);
      REQUIRE(with.header_status(track, first, count) == said);
      REQUIRE(without.read_system(track, first, count, bytes) == said);
      REQUIRE(with.read_system(track, first, count, bytes) == said);
    }
  }
}

TEST_CASE("a sector stored as lost keeps its header, reads as lost in every mode, and is good again once it is written") {
  for (const ContentMode mode : {ContentMode::none, ContentMode::tags, ContentMode::bytes}) {
    const SectorShape shape{4096, mode};
    ContentStore store(shape, 10, 100);
    DataBuffer data(DramAddress(0), 2, shape);
    store.write(0, 7, 2, data.content(0, 2));
    store.mark_lost(0, 8);
    store.write_header(0, 8, header_of(3));
    CHECK(store.status(0, 7) == Status::ok);
    CHECK(store.status(0, 8) == Status::lost);
    CHECK(store.read(0, 7, 2, data.content(0, 2)) == Status::lost);
    SectorHeader header;
    store.read_header(0, 8, header);
    CHECK(header == header_of(3));
    store.write(0, 8, 1, data.content(0, 1));
    CHECK(store.read(0, 7, 2, data.content(0, 2)) == Status::ok);
  }
}

namespace {

/// Track 4 held sectors 2 to 9 of a prefilled drive: blocks from 800 on, each its mark.
struct OneTrack final : InitialContent {
  explicit OneTrack(SectorShape of) : shape(of) {}
  [[nodiscard]] bool on(std::uint64_t track) const override { return track == 4; }
  void fill(std::uint64_t, std::uint32_t first, std::uint32_t count, ContentSpan data) const override {
    for (std::uint32_t sector = std::max(first, 2U); sector < std::min(first + count, 10U); ++sector)
      for (std::uint32_t block = 0; block < 8; ++block) {
        const Tag mark = mark_of(sector, block);
        std::memcpy(data.data() + std::size_t{sector - first} * shape.kept() + block * kept_per_block(shape.mode), &mark, sizeof mark);
      }
  }
  static Tag mark_of(std::uint32_t sector, std::uint32_t block) { return prefill_mark | (800 + (sector - 2) * 8 + block); }
  SectorShape shape;
};

}  // namespace

TEST_CASE("what a track held before the simulation is read, kept when it is written over, and lost when it is damaged") {
  for (const ContentMode mode : {ContentMode::tags, ContentMode::bytes}) {
    const SectorShape shape{4096, mode};
    const OneTrack initial(shape);
    ContentStore store(shape, 10, 12);
    store.set_initial(&initial);
    DataBuffer back(DramAddress(0), 12, shape);
    const auto reads_as_before = [&](std::uint32_t sector) {
      CHECK(store.read(4, 0, 12, back.content(0, 12)) == Status::ok);
      return tag_of(back, sector, 0) == OneTrack::mark_of(sector, 0) && tag_of(back, sector, 7) == OneTrack::mark_of(sector, 7);
    };
    CHECK(store.occupied(4));
    CHECK_FALSE(store.occupied(3));
    CHECK(reads_as_before(2));
    CHECK(reads_as_before(9));
    CHECK(tag_of(back, 1, 7) == never_written);
    CHECK(tag_of(back, 10, 0) == never_written);
    CHECK(store.read(4, 5, 2, back.content(0, 2)) == Status::ok);
    CHECK(tag_of(back, 1, 3) == OneTrack::mark_of(6, 3));
    CHECK(store.changed_initial().empty());

    DataBuffer data(DramAddress(0), 1, shape);
    store.write(4, 5, 1, data.content(0, 1));
    CHECK(store.changed_initial() == std::vector<std::uint64_t>{4});
    CHECK(reads_as_before(4));
    CHECK(reads_as_before(6));
    CHECK(tag_of(back, 5, 0) == never_written);

    store.damage(4, 6, 6);
    CHECK(store.damaged_sectors() == 4);  // 10 and 11 held nothing
    CHECK(store.read(4, 5, 2, back.content(0, 2)) == Status::damaged);
    CHECK(tag_of(back, 1, 3) == destroyed);
    CHECK(store.changed_initial().size() == 1);
  }
}

TEST_CASE("a spoilt sector is a media error, whatever else its run has, until it is written again") {
  ContentStore store(tags, 10, 12);
  DataBuffer data = tagged(4, 1000);
  store.write(4, 0, 4, data.content(0, 4));
  store.mark_lost(4, 1);
  store.damage(4, 2, 1);
  store.spoil(4, 3);
  store.spoil(4, 5);  // which held nothing
  CHECK(store.read(4, 0, 12, {}) == Status::media_error);
  CHECK(store.read(4, 0, 3, {}) == Status::damaged);
  CHECK(store.status(4, 3) == Status::media_error);
  CHECK(store.status(4, 5) == Status::ok);
  store.write(4, 3, 1, data.content(3, 1));
  CHECK(store.status(4, 3) == Status::ok);
  CHECK(store.damaged_sectors() == 1);
}

TEST_CASE("damage, a torn sector and a write without content are first changes of a track too") {
  const OneTrack initial(tags);
  DataBuffer back(DramAddress(0), 12, tags);
  for (int change = 0; change < 3; ++change) {
    ContentStore store(tags, 10, 12);
    store.set_initial(&initial);
    if (change == 0) store.damage(4, 5, 1);
    if (change == 1) store.destroy(4, 5);
    if (change == 2) store.write(4, 5, 1, {});
    CHECK(store.read(4, 4, 3, back.content(0, 3)) == (change == 2 ? Status::ok : Status::damaged));
    CHECK(tag_of(back, 0, 0) == OneTrack::mark_of(4, 0));
    CHECK(tag_of(back, 1, 0) == (change == 2 ? never_written : destroyed));
    CHECK(tag_of(back, 2, 0) == OneTrack::mark_of(6, 0));
  }
}
