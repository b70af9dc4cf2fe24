// What the platters hold goes through a stream: a store that loads it answers as the one that saved it.
#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "media/content_store.hpp"
#include "small_drive.hpp"
#include "support/message.hpp"

using namespace tessera;
using test::message_of;
using test::tagged;

namespace {

constexpr std::uint64_t tracks = 6;
constexpr std::uint32_t sectors = 21;  // no multiple of a chunk

SectorHeader header_of(std::uint64_t value) {
  SectorHeader header;
  header.fill(static_cast<std::byte>(value));
  return header;
}

/// Writes of every kind, torn and damaged sectors, at random.
void scribble(ContentStore& store, RandomStream& random, int steps) {
  const SectorShape shape = store.shape();
  for (int step = 0; step < steps; ++step) {
    const std::uint64_t track = random.below(tracks - 1);  // one holds nothing
    const auto first = static_cast<std::uint32_t>(random.below(sectors));
    const auto count = static_cast<std::uint32_t>(1 + random.below(sectors - first));
    switch (random.below(8)) {
      case 0:
      case 1: {
        DataBuffer data = tagged(count, 1 + random.below(1'000'000), shape);
        if (!data.content(0, 1).empty() && random.below(2) == 0)
          data.content(0, 1)[9] = std::byte{77};  // tags that do not follow each other
        store.write(track, first, count, data.content(0, count));
        break;
      }
      case 2: store.write_system(track, first, count, std::vector<std::byte>(count * 4096, static_cast<std::byte>(step))); break;
      case 3: store.write_header(track, first, header_of(random.below(256))); break;
      case 4: store.damage(track, first, count); break;
      case 5: store.destroy(track, first); break;
      case 6: store.mark_lost(track, first); break;
      case 7: store.spoil(track, first); break;
    }
  }
}

/// Everything that can be asked of a store.
std::vector<std::byte> answers(const ContentStore& store) {
  std::vector<std::byte> all;
  for (std::uint64_t track = 0; track < tracks; ++track) {
    all.push_back(static_cast<std::byte>(store.occupied(track)));
    for (std::uint32_t sector = 0; sector < sectors; ++sector) {
      std::vector<std::byte> data(store.shape().kept());
      std::vector<std::byte> system(4096);
      SectorHeader header;
      all.push_back(static_cast<std::byte>(store.read(track, sector, 1, data)));
      all.push_back(static_cast<std::byte>(store.read_system(track, sector, 1, system)));
      store.read_header(track, sector, header);
      for (const std::span<const std::byte> part :
           {std::span<const std::byte>(data), std::span<const std::byte>(system), std::span<const std::byte>(header)})
        all.insert(all.end(), part.begin(), part.end());
    }
  }
  all.push_back(static_cast<std::byte>(store.damaged_sectors()));
  return all;
}

std::string state_of(const ContentStore& store) {
  StateWriter out;
  store.save_state(out);
  return out.state();
}

}  // namespace

TEST_CASE("a store that loads what another saved answers as that one, and goes on alike") {
  for (const ContentMode mode : {ContentMode::none, ContentMode::tags, ContentMode::bytes}) {
    const SectorShape shape{4096, mode};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      RandomStream random(seed, "scribble");
      ContentStore saved(shape, tracks, sectors);
      scribble(saved, random, 30);
      const std::string state = state_of(saved);
      ContentStore loaded(shape, tracks, sectors);
      RandomStream other(seed + 100, "scribble");
      scribble(loaded, other, 10);  // what it held before is gone
      StateReader in(state, "s");
      loaded.load_state(in);
      CHECK(in.left() == 0);
      REQUIRE(answers(loaded) == answers(saved));
      CHECK(state_of(loaded) == state);
      RandomStream again = random;
      scribble(saved, random, 10);
      scribble(loaded, again, 10);
      REQUIRE(answers(loaded) == answers(saved));
    }
  }
}

TEST_CASE("a million sectors that were written one behind the other are saved in a few bytes a track") {
  const SectorShape shape{4096, ContentMode::tags};
  ContentStore store(shape, 1000, 1000);
  for (std::uint64_t track = 0; track < 1000; ++track) {
    DataBuffer data = tagged(1000, 1 + track * 8000);
    store.write(track, 0, 1000, data.content(0, 1000));
  }
  // One run: the tags go on from track to track. The 1000 numbers of the tracks are a byte each.
  CHECK(state_of(store).size() < 1000 + 30);
}

TEST_CASE("a stream that was cut off at any byte is refused by name") {
  const SectorShape shape{4096, ContentMode::tags};
  RandomStream random(3, "scribble");
  ContentStore saved(shape, tracks, sectors);
  scribble(saved, random, 6);
  const std::string state = state_of(saved);
  for (std::size_t length = 0; length < state.size(); length += 1 + length / 50) {
    ContentStore loaded(shape, tracks, sectors);
    StateReader in(std::string_view(state).substr(0, length), "old.state");
    CHECK(message_of([&] { loaded.load_state(in); }).starts_with("old.state: the state of the drive is damaged: "));
  }
}

TEST_CASE("a sector outside the drive is refused, the last one of it is not") {
  const SectorShape shape{4096, ContentMode::none};
  const auto load = [&shape](std::uint64_t first) {
    StateWriter out;
    out.sorted(std::vector<std::uint64_t>{63});  // tracks are counted by the 64
    out.number(0);                               // no initial content was changed
    out.number(first + 1);
    out.number(1);
    out.number(1);  // damaged
    out.number(0);
    ContentStore store(shape, tracks, sectors);
    StateReader in(out.state(), "s");
    store.load_state(in);
    return store.damaged_sectors();
  };
  CHECK(load(64 * 24 - 1) == 1);  // 21 sectors take three chunks of 8
  CHECK(message_of([&] { load(64 * 24); }) == "s: the state of the drive is damaged: a sector lies outside the drive");
}
