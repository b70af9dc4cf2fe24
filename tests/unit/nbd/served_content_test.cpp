// The image and its journal: whatever is left of the journal when the program ends, the next one finds the state of a commit.
#include "platforms/serve/served_content.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <random>

#include "base/error.hpp"
#include "platforms/output/output_file.hpp"

using namespace tessera;

namespace {

constexpr std::uint64_t size = 64 * 1024, sector = 4096, block = 512;

using Bytes = std::vector<std::byte>;

/// A folder that goes with its end.
struct Folder {
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "tessera-image-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void store(const std::filesystem::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

std::string as_text(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// While it lives a file beyond so many bytes is as one on a full disk.
struct SmallFiles {
  explicit SmallFiles(std::uint64_t bytes) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit limit{bytes, before.rlim_max};
    handler = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  rlimit before{};
  void (*handler)(int) = nullptr;
};

/// A session of random writes, clears and commits that ends like one that is killed.
struct Session {
  Session(const std::filesystem::path& image, unsigned seed) : journal(image.string() + ".journal") {
    std::mt19937 random(seed);
    DiskImage disk(image, size);
    Bytes now(size);
    states.push_back(as_text(now));
    lengths.push_back(0);
    for (int step = 0; step < 40; ++step) {
      const std::uint64_t blocks = 1 + random() % 9, first = random() % (size / block - blocks);
      const auto part = std::span(now).subspan(first * block, blocks * block);
      switch (random() % 3) {
        case 0:
          REQUIRE(disk.commit());
          states.push_back(as_text(now));
          lengths.push_back(std::filesystem::exists(journal) ? std::filesystem::file_size(journal) : 0);
          break;
        case 1:
          std::ranges::fill(part, std::byte{0});
          REQUIRE(disk.clear(first * block, blocks * block));
          break;
        default:
          std::ranges::generate(part, [&random] { return static_cast<std::byte>(random()); });
          REQUIRE(disk.write(first * block, part));
      }
    }
  }
  /// What a journal of this length promises.
  [[nodiscard]] const std::string& promised(std::uint64_t length) const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      if (lengths[i] <= length) last = i;
    return states[last];
  }
  std::filesystem::path journal;
  std::vector<std::string> states;     // as of each commit
  std::vector<std::uint64_t> lengths;  // of the journal then
};

}  // namespace

TEST_CASE("disk image: a journal that is cut off anywhere gives the state of the last commit in it") {
  const Folder folder;
  const auto image = folder.path / "disk.img";
  const Session session(image, GENERATE(1U, 2U, 3U));
  const std::string whole = contents(session.journal), before = contents(image);
  const auto time = std::filesystem::last_write_time(image);
  REQUIRE(whole.size() > 1000);
  for (std::size_t length = 0; length <= whole.size(); length += 1 + length % 397) {
    store(image, before);
    std::filesystem::last_write_time(image, time);
    store(session.journal, whole.substr(0, length));
    { const DiskImage again(image, size); }
    CHECK(contents(image) == session.promised(length));
    CHECK_FALSE(std::filesystem::exists(session.journal));
  }
}

TEST_CASE("disk image: a journal with a wrong byte gives the state of a commit before it") {
  const Folder folder;
  const auto image = folder.path / "disk.img";
  const Session session(image, 4);
  const std::string whole = contents(session.journal), before = contents(image);
  const auto time = std::filesystem::last_write_time(image);
  for (std::size_t place = 16; place < whole.size(); place += 911) {
    std::string wrong = whole;
    wrong[place] = static_cast<char>(wrong[place] ^ 0x10);
    store(image, before);
    std::filesystem::last_write_time(image, time);
    store(session.journal, wrong);
    { const DiskImage again(image, size); }
    CHECK(contents(image) == session.promised(place));
  }
}

TEST_CASE("disk image: a disk that is full when the image is changed destroys nothing, and the next session goes on") {
  const Folder folder;
  const auto image = folder.path / "disk.img";
  const Bytes ones(block, std::byte{1}), twos(block, std::byte{2});
  {
    DiskImage disk(image, size);
    REQUIRE(disk.write(0, ones));
    REQUIRE(disk.write(size - block, ones));
    disk.finish();
  }
  {
    DiskImage disk(image, size);
    REQUIRE(disk.write(0, twos));
    REQUIRE(disk.write(size - block, twos));
    REQUIRE(disk.commit());
    const SmallFiles limit(size / 2);
    CHECK_THROWS_AS(disk.finish(), OutputError);
    REQUIRE(disk.write(2 * block, twos));  // the session may go on
    REQUIRE(disk.commit());
  }
  CHECK(contents(image).ends_with(std::string(block, '\1')));
  CHECK(DiskImage(image, size).took_in());
  CHECK(contents(image).starts_with(std::string(block, '\2') + std::string(block, '\0') + std::string(block, '\2')));
  CHECK(contents(image).ends_with(std::string(block, '\2')));
}

TEST_CASE("disk image: a disk that is full while a session goes on refuses what it has no room for, and keeps what was committed") {
  const Folder folder;
  const auto image = folder.path / "disk.img";
  {
    DiskImage disk(image, size);
    REQUIRE(disk.write(0, Bytes(block, std::byte{1})));
    REQUIRE(disk.commit());
    {
      const SmallFiles limit(4096);
      CHECK_FALSE(disk.write(block, Bytes(4096, std::byte{2})));
      CHECK(disk.commit());
    }
    REQUIRE(disk.write(2 * block, Bytes(block, std::byte{3})));
    REQUIRE(disk.commit());
  }
  CHECK(DiskImage(image, size).took_in());
  CHECK(contents(image).starts_with(std::string(block, '\1') + std::string(block, '\0') + std::string(block, '\3')));
}

TEST_CASE("disk image: what is finished is in the image alone") {
  const Folder folder;
  const auto image = folder.path / "disk.img";
  {
    DiskImage disk(image, size);
    REQUIRE(disk.write(block, Bytes(block, std::byte{3})));
    disk.finish();
  }
  CHECK_FALSE(std::filesystem::exists(image.string() + ".journal"));
  CHECK(contents(image).substr(block, block) == std::string(block, '\3'));
  { DiskImage(image, size).finish(); }
  CHECK_FALSE(std::filesystem::exists(image.string() + ".journal"));
}

TEST_CASE("disk image: a journal of another image is refused, and kept") {
  const Folder folder;
  const auto image = folder.path / "disk.img", journal = folder.path / "disk.img.journal";
  {
    DiskImage disk(image, size);
    REQUIRE(disk.write(0, Bytes(block, std::byte{3})));
    REQUIRE(disk.commit());
  }
  const std::string held = contents(journal);
  SECTION("the image was changed since") {
    std::filesystem::last_write_time(image, std::filesystem::last_write_time(image) + std::chrono::seconds(1));
    CHECK_THROWS_WITH(DiskImage(image, size), Catch::Contains("or to this one before it was changed"));
  }
  SECTION("the image is gone") {
    std::filesystem::remove(image);
    CHECK_THROWS_WITH(DiskImage(image, size), Catch::Contains("it holds what was flushed to another image"));
  }
  SECTION("another file has its name") {
    store(journal, "my diary");
    CHECK_THROWS_WITH(DiskImage(image, size), Catch::Contains("it is not the journal of an image"));
    CHECK(contents(journal) == "my diary");
    return;
  }
  CHECK(contents(journal) == held);
}

TEST_CASE("disk image: two at once are refused, and so is what is no file") {
  const Folder folder;
  const auto image = folder.path / "disk.img";
  const DiskImage first(image, size);
  CHECK_THROWS_WITH(DiskImage(image, size), Catch::Contains("another server has it"));
  CHECK_THROWS_WITH(DiskImage(folder.path, size), Catch::Contains("expected a regular file"));
}

TEST_CASE("disk image: data is loaded in whole sectors, and holes are not") {
  const Folder folder;
  const auto image = folder.path / "disk.img";
  store(image, std::string(512, 'x'));
  std::filesystem::resize_file(image, size);
  DiskImage disk(image, size);
  std::uint64_t offset = 1, read = 0;
  for (Bytes data; disk.load(sector, offset, data); read += data.size()) {
    CHECK(offset % sector == 0);
    CHECK(data.size() % sector == 0);
    if (offset == 0) CHECK(data[511] == std::byte{'x'});
  }
  CHECK(read >= sector);
}

TEST_CASE("served content: what a power cut leaves in doubt is what no flush has covered, in pieces that can be halved") {
  const Folder folder;
  ServedContent content;
  content.open(folder.path / "disk.img", size);
  const Bytes data(block, std::byte{1});
  CHECK(content.wrote(0, data, false) == NbdError::none);
  const bool covers = content.flush_begins();
  CHECK(covers);
  CHECK_FALSE(content.flush_begins());                         // a second one covers nothing of its own
  CHECK(content.wrote(block, data, false) == NbdError::none);  // behind the flush
  CHECK(content.flushed(covers) == NbdError::none);
  CHECK(content.wrote(2 * block, data, true) == NbdError::none);  // FUA
  content.power_lost();
  std::uint64_t offset = 0, length = 0;
  REQUIRE(content.take_doubtful(offset, length));
  CHECK(offset == block);
  CHECK(length == block);
  CHECK_FALSE(content.take_doubtful(offset, length));
  content.doubt_apart(0, block, 3 * block);
  REQUIRE(content.take_doubtful(offset, length));
  CHECK(offset == block);
  CHECK(length == 2 * block);
  REQUIRE(content.take_doubtful(offset, length));
  CHECK(offset == 0);
  CHECK_FALSE(content.take_doubtful(offset, length));
}

TEST_CASE("allocation map: behaves as an array of blocks, whatever is written and trimmed") {
  std::mt19937 random(11);
  AllocationMap map;
  std::vector<std::uint32_t> states(64, NbdExtent::hole | NbdExtent::zero);
  for (int step = 0; step < 3000; ++step) {
    const std::uint64_t first = random() % states.size(), count = 1 + random() % (states.size() - first);
    const bool fresh = step % 100 == 0;
    if (fresh) {
      map = {};
      std::ranges::fill(states, NbdExtent::hole | NbdExtent::zero);
    } else if (random() % 2 == 0) {
      map.write(first * block, count * block);
      std::fill_n(states.begin() + static_cast<std::ptrdiff_t>(first), count, NbdExtent::data);
    } else {
      map.trim(first * block, count * block);
      for (std::uint64_t at = first; at < first + count; ++at)
        if (states[at] == NbdExtent::data) states[at] = NbdExtent::hole;
    }
    std::uint64_t at = first;
    for (const NbdExtent& extent : map.extents(first * block, count * block, 1000)) {
      CHECK(extent.length % block == 0);
      for (std::uint64_t i = 0; i < extent.length / block; ++i) CHECK(states.at(at++) == extent.state);
    }
    CHECK(at == first + count);
    const bool untouched =
        std::all_of(states.begin() + static_cast<std::ptrdiff_t>(first), states.begin() + static_cast<std::ptrdiff_t>(at),
                    [](std::uint32_t state) { return state == (NbdExtent::hole | NbdExtent::zero); });
    CHECK(map.never_written(first * block, count * block) == untouched);
  }
}
