// What a user set in vain: who set it, and why it has no effect.
#include "platforms/description/unused_parameters.hpp"

#include <catch2/catch.hpp>

#include "platforms/description/reader.hpp"
#include "platforms/description/search_path.hpp"
#include "support/message.hpp"

using namespace tessera;
using tessera::test::TemporaryFolder;
using Sentences = std::vector<std::string>;

namespace {

struct CacheConfig {
  Bytes size{0};
  std::uint32_t ways = 4;
  bool prefetch = false;
  std::uint32_t ahead = 8;

  void describe(ParameterVisitor& visitor) {
    visitor.field("size", size, {}, "0: no cache");
    visitor.unused_where(size == Bytes(0), "its size is 0 B", [&] {
      visitor.field("ways", ways, {1, 64}, "lines of a set");
      visitor.field("prefetch", prefetch, "reads ahead");
      visitor.unused_where(!prefetch, "prefetch is false", [&] { visitor.field("ahead", ahead, {1, 64}, "lines that it reads ahead"); });
    });
  }
};

struct Machine {
  CacheConfig cache;
  std::uint32_t clock = 100;

  void describe(ParameterVisitor& visitor) {
    visitor.section("cache", cache, "the cache");
    visitor.field("clock", clock, {}, "MHz");
  }
};

Sentences told(TomlDocument document, const std::vector<std::string>& overrides, const std::vector<UnusedParameters>& between = {}) {
  for (const std::string& assignment : overrides) document.set(assignment);
  Machine machine;
  DescriptionReader reader(document);
  machine.describe(reader);
  reader.finish();
  ParameterCollector values, defaults;
  machine.describe(values);
  Machine().describe(defaults);
  return unused_sentences(values.parameters(), defaults.parameters(), between, document);
}

Sentences told(const std::vector<std::string>& overrides, const std::vector<UnusedParameters>& between = {}) {
  return told(TomlDocument::parse("", "drive.toml"), overrides, between);
}

}  // namespace

TEST_CASE("unused: a parameter that another switches off is named with the reason, one that has an effect is not") {
  CHECK(told({"cache.ways=8"}) == Sentences{"cache.ways: without effect, its size is 0 B"});
  CHECK(told({"cache.ways=8", "cache.size=1 KiB"}).empty());
  CHECK(told({"cache.size=1 KiB", "cache.ahead=2"}) == Sentences{"cache.ahead: without effect, prefetch is false"});
  CHECK(told({"cache.size=1 KiB", "cache.ahead=2", "cache.prefetch=true"}).empty());
}

TEST_CASE("unused: of reasons inside one another the outermost counts, and one sentence names all that it holds for") {
  CHECK(told({"cache.ahead=2"}) == Sentences{"cache.ahead: without effect, its size is 0 B"});
  CHECK(told({"cache.ahead=2", "cache.ways=8"}) == Sentences{"cache.ways, cache.ahead: without effect, its size is 0 B"});
}

TEST_CASE("unused: an override counts whatever its value is") {
  CHECK(told({"cache.ways=4"}) == Sentences{"cache.ways: without effect, its size is 0 B"});
  CHECK(told({}).empty());
}

TEST_CASE("unused: of a file of the user's own what differs from the default counts, of a library of descriptions nothing") {
  TemporaryFolder folder;
  folder.write("drives/known.toml", "[cache]\nways = 8");
  const auto own = folder.write("own.toml", "extends = \"known\"\n[cache]\nahead = 8");
  const auto changed = folder.write("changed.toml", "extends = \"known\"\n[cache]\nahead = 9");
  const SearchPath search({folder.path("")});
  CHECK(told(search.load(DescriptionFile::drive, "known"), {}).empty());
  CHECK(told(search.load(DescriptionFile::drive, own.string()), {}).empty());
  CHECK(told(search.load(DescriptionFile::drive, changed.string()), {}) == Sentences{"cache.ahead: without effect, its size is 0 B"});
  CHECK(told(search.load(DescriptionFile::drive, "known"), {"cache.ways=8"}) == Sentences{"cache.ways: without effect, its size is 0 B"});
}

TEST_CASE("unused: what another block says comes first, for a parameter or for all whose paths begin so") {
  const UnusedParameters one{"clock", "nobody looks"};
  CHECK(told({"clock=2", "cache.ways=8"}, {one}) ==
        Sentences{"cache.ways: without effect, its size is 0 B", "clock: without effect, nobody looks"});
  CHECK(told({"cache.ways=8"}, {{"cache.", "nobody asks"}}) == Sentences{"cache.ways: without effect, nobody asks"});
  CHECK(UnusedParameters{"cache.w", ""}.covers("cache.w"));
  CHECK_FALSE(UnusedParameters{"cache.w", ""}.covers("cache.ways"));
  CHECK(UnusedParameters{"nand.read_", ""}.covers("nand.read_time"));
}

TEST_CASE("unused: what a file may hold for another use is told of the command line alone") {
  TemporaryFolder folder;
  const auto own = folder.write("own.toml", "clock = 2");
  const SearchPath search({});
  const UnusedParameters other{"clock", "another layer runs", true};
  CHECK(told(search.load(DescriptionFile::drive, own.string()), {}, {other}).empty());
  CHECK(told(search.load(DescriptionFile::drive, own.string()), {"clock=3"}, {other}) ==
        Sentences{"clock: without effect, another layer runs"});
}
