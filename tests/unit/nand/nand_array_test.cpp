#include "nand/nand_array.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;

namespace {

constexpr std::uint32_t kept = 64;  // tags of a 4 KiB sector

NandConfig small() {
  NandConfig config;
  config.blocks = 4;
  config.log_blocks = config.dump_blocks = 0;
  config.pages_per_block = 4;
  config.oob_size = Bytes(16);
  return config;
}

using Content = std::array<std::byte, kept>;
using Oob = std::array<std::byte, 16>;

Content content(int value) {
  Content result;
  result.fill(std::byte(value));
  return result;
}

Oob oob(int value) {
  Oob result;
  result.fill(std::byte(value));
  return result;
}

Status program(NandArray& array, std::uint64_t page, int value = 1) {
  return array.program(NandPage(page), content(value), oob(value + 1));
}

struct Seen {
  Status status;
  Content content;
  Oob oob;
};

Seen read(NandArray& array, std::uint64_t page) {
  Seen seen{};
  seen.status = array.read(NandPage(page), seen.content, seen.oob);
  return seen;
}

}  // namespace

TEST_CASE("a page reads back the content and the out-of-band bytes that were programmed") {
  NandArray array(small(), kept, 1);
  REQUIRE(program(array, 4, 7) == Status::ok);
  const Seen seen = read(array, 4);
  CHECK(seen.status == Status::ok);
  CHECK(seen.content == content(7));
  CHECK(seen.oob == oob(8));
}

TEST_CASE("a page that was not programmed since the last erase is blank") {
  NandArray array(small(), kept, 1);
  CHECK(read(array, 0).status == Status::blank);
  REQUIRE(program(array, 0) == Status::ok);
  CHECK(read(array, 0).status == Status::ok);
  const Seen next = read(array, 1);
  CHECK(next.status == Status::blank);
  CHECK(next.content == content(0));
  CHECK(next.oob == oob(0xff));
  REQUIRE(array.erase(NandBlock(0)) == Status::ok);
  CHECK(read(array, 0).status == Status::blank);
}

TEST_CASE("out-of-band bytes that are not given stay erased") {
  NandArray array(small(), kept, 1);
  const std::array two{std::byte{1}, std::byte{2}};
  REQUIRE(array.program(NandPage(0), {}, two) == Status::ok);
  const Seen seen = read(array, 0);
  CHECK(seen.oob[0] == std::byte{1});
  CHECK(seen.oob[1] == std::byte{2});
  CHECK(seen.oob[2] == std::byte{0xff});
  CHECK(seen.oob[15] == std::byte{0xff});
  CHECK(seen.content == content(0));
}

TEST_CASE("pages keep their out-of-band bytes when a later one brings more of them") {
  NandArray array(small(), kept, 1);
  const std::array two{std::byte{1}, std::byte{2}};
  REQUIRE(array.program(NandPage(0), content(3), two) == Status::ok);
  REQUIRE(array.program(NandPage(4), {}, {}) == Status::ok);
  REQUIRE(program(array, 1, 7) == Status::ok);
  const Seen first = read(array, 0);
  CHECK(first.content == content(3));
  CHECK(first.oob[1] == std::byte{2});
  CHECK(first.oob[2] == std::byte{0xff});
  CHECK(read(array, 1).oob == oob(8));
  CHECK(read(array, 4).oob == oob(0xff));
}

TEST_CASE("a page is not programmed twice without an erase between") {
  NandArray array(small(), kept, 1);
  REQUIRE(program(array, 0, 1) == Status::ok);
  CHECK(program(array, 0, 2) == Status::rule_violation);
  CHECK(read(array, 0).content == content(1));
  REQUIRE(array.erase(NandBlock(0)) == Status::ok);
  CHECK(program(array, 0, 2) == Status::ok);
  CHECK(read(array, 0).content == content(2));
}

TEST_CASE("a full block takes no page until it is erased") {
  NandArray array(small(), kept, 1);
  for (std::uint64_t page = 0; page < 4; ++page) REQUIRE(program(array, page) == Status::ok);
  for (std::uint64_t page = 0; page < 4; ++page) CHECK(program(array, page) == Status::rule_violation);
  REQUIRE(array.erase(NandBlock(0)) == Status::ok);
  CHECK(program(array, 0) == Status::ok);
}

TEST_CASE("pages of a block are programmed in order: the next one, not the one behind it") {
  NandArray array(small(), kept, 1);
  CHECK(program(array, 1) == Status::rule_violation);
  CHECK(read(array, 1).status == Status::blank);
  REQUIRE(program(array, 0) == Status::ok);
  CHECK(program(array, 2) == Status::rule_violation);
  CHECK(program(array, 1) == Status::ok);
  CHECK(array.programmed(NandBlock(0)) == 2);
}

TEST_CASE("wear counts the erases of each block, those of factory-bad blocks left out") {
  NandConfig config = small();
  config.bad_blocks = {{3}};
  NandArray array(config, kept, 1);
  for (int i = 0; i < 5; ++i) REQUIRE(array.erase(NandBlock(1)) == Status::ok);
  REQUIRE(array.erase(NandBlock(2)) == Status::ok);
  CHECK(array.erases(NandBlock(1)) == 5);
  const NandWear wear = array.wear(NandBlock(array.blocks()));
  CHECK(wear.total == 6);
  CHECK(wear.min == 0);
  CHECK(wear.max == 5);
  CHECK(wear.blocks == 3);
  const NandWear first_two = array.wear(NandBlock(2));  // those behind are for logs, say
  CHECK(first_two.total == 5);
  CHECK(first_two.blocks == 2);
  CHECK(first_two.mean() == 2.5);
}

TEST_CASE("a block that is bad from the factory is neither programmed nor erased") {
  NandConfig config = small();
  config.bad_blocks = {{2}};
  NandArray array(config, kept, 1);
  CHECK_FALSE(array.is_bad(NandBlock(1)));
  CHECK(array.is_bad(NandBlock(2)));
  CHECK(program(array, 8) == Status::program_failed);
  CHECK(array.erase(NandBlock(2)) == Status::erase_failed);
  CHECK(array.grown_bad() == 0);
}

TEST_CASE("the nth program of a block fails on request, retires the block and leaves its other pages readable") {
  NandConfig config = small();
  config.program_failures = {{1, 3}};
  NandArray array(config, kept, 1);
  REQUIRE(program(array, 0) == Status::ok);  // another block does not count
  REQUIRE(program(array, 4, 4) == Status::ok);
  REQUIRE(program(array, 5, 5) == Status::ok);
  CHECK(program(array, 6, 6) == Status::program_failed);
  CHECK(array.is_bad(NandBlock(1)));
  CHECK(array.grown_bad() == 1);
  CHECK(read(array, 5).content == content(5));
  CHECK(read(array, 6).status == Status::media_error);
  CHECK(read(array, 6).content == content(0xff));
  CHECK(program(array, 7) == Status::program_failed);
}

TEST_CASE("the nth erase of a block fails on request and leaves the block unreadable and retired") {
  NandConfig config = small();
  config.erase_failures = {{0, 2}};
  NandArray array(config, kept, 1);
  REQUIRE(array.erase(NandBlock(0)) == Status::ok);
  REQUIRE(program(array, 0) == Status::ok);
  CHECK(array.erase(NandBlock(0)) == Status::erase_failed);
  CHECK(array.is_bad(NandBlock(0)));
  CHECK(read(array, 0).status == Status::media_error);
}

TEST_CASE("the nth read of a page fails on request, once") {
  NandConfig config = small();
  config.read_failures = {{0, 2}};
  NandArray array(config, kept, 1);
  REQUIRE(program(array, 0) == Status::ok);
  CHECK(read(array, 0).status == Status::ok);
  CHECK(read(array, 0).status == Status::media_error);
  CHECK(read(array, 0).status == Status::ok);
}

TEST_CASE("failures at random come at the rate asked for, and alike for one seed") {
  NandConfig config = small();
  config.blocks = 20'000;
  config.erase_failures_per_million = 100'000;
  const auto failed = [&config](std::uint64_t seed) {
    NandArray array(config, kept, seed);
    std::vector<std::uint64_t> blocks;
    for (std::uint64_t b = 0; b < config.blocks; ++b)
      if (array.erase(NandBlock(b)) == Status::erase_failed) blocks.push_back(b);
    return blocks;
  };
  const auto blocks = failed(1);
  CHECK(blocks.size() > 1'830);  // 2,000 expected, four standard deviations of 42
  CHECK(blocks.size() < 2'170);
  CHECK(blocks == failed(1));
  CHECK(blocks != failed(2));
}

TEST_CASE("a program that a cut ended is unreadable, takes its page, and its block can go on") {
  NandArray array(small(), kept, 1);
  REQUIRE(program(array, 0, 1) == Status::ok);
  array.tear_program(NandPage(1));
  CHECK(read(array, 0).content == content(1));
  CHECK(read(array, 1).status == Status::media_error);
  CHECK(program(array, 1) == Status::rule_violation);
  CHECK(program(array, 2) == Status::ok);
  REQUIRE(array.erase(NandBlock(0)) == Status::ok);
  CHECK(read(array, 1).status == Status::blank);
}

TEST_CASE("a cut of a program that the array would have refused changes nothing") {
  NandArray array(small(), kept, 1);
  REQUIRE(program(array, 0, 1) == Status::ok);
  array.tear_program(NandPage(0));
  array.tear_program(NandPage(2));
  CHECK(read(array, 0).content == content(1));
  CHECK(read(array, 2).status == Status::blank);
  CHECK(program(array, 1) == Status::ok);
}

TEST_CASE("a block whose erase a cut ended is unreadable until it is erased again") {
  NandArray array(small(), kept, 1);
  REQUIRE(program(array, 0) == Status::ok);
  array.tear_erase(NandBlock(0));
  CHECK(read(array, 0).status == Status::media_error);
  CHECK(read(array, 3).status == Status::media_error);
  CHECK(program(array, 0) == Status::rule_violation);
  CHECK(program(array, 1) == Status::rule_violation);
  REQUIRE(array.erase(NandBlock(0)) == Status::ok);
  CHECK(read(array, 0).status == Status::blank);
  CHECK(program(array, 0) == Status::ok);
  CHECK(array.erases(NandBlock(0)) == 2);
}

TEST_CASE("lower and upper pages pair one to one, as 2-bit-cell blocks are programmed") {
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs{{2, 0}, {4, 1}, {6, 3}, {8, 5}, {30, 27}, {31, 29}};
  for (const auto& [upper, lower] : pairs) CHECK(paired_lower_page(upper, 32) == lower);
  for (const std::uint32_t lower : {0U, 1U, 3U, 27U, 29U}) CHECK(paired_lower_page(lower, 32) == lower);
  CHECK(paired_lower_page(1, 2) == 0);
  for (const std::uint32_t pages : {2U, 4U, 32U, 128U}) {
    std::vector<int> named(pages, 0);
    for (std::uint32_t page = 0; page < pages; ++page)
      if (const std::uint32_t lower = paired_lower_page(page, pages); lower != page) {
        ++named[page];
        ++named[lower];
      }
    CHECK(named == std::vector<int>(pages, 1));
  }
}

TEST_CASE("with paired pages a cut in an upper page takes the lower page along, and only with them") {
  for (const bool paired : {false, true}) {
    NandConfig config = small();
    config.paired_page = paired;
    NandArray array(config, kept, 1);
    REQUIRE(program(array, 0, 1) == Status::ok);
    REQUIRE(program(array, 1, 2) == Status::ok);
    array.tear_program(NandPage(2));
    CHECK(read(array, 0).status == (paired ? Status::media_error : Status::ok));
    CHECK(read(array, 1).status == Status::ok);
    CHECK(read(array, 2).status == Status::media_error);
  }
}

TEST_CASE("a description that names a block that is not there is refused with the range that is") {
  NandConfig config = small();
  config.bad_blocks = {{4}};
  CHECK_THROWS_WITH(NandArray(config, kept, 1), Catch::Contains("nand.bad_blocks") && Catch::Contains("from 0 to 3"));
  config.bad_blocks = {{3}};
  CHECK_NOTHROW(NandArray(config, kept, 1));
  config.program_failures = {{0, 0}};
  CHECK_THROWS_AS(NandArray(config, kept, 1), InputError);
  config.program_failures = {{0, 1.5}};
  CHECK_THROWS_AS(NandArray(config, kept, 1), InputError);
}

TEST_CASE("an address outside the array is a model bug") {
  NandArray array(small(), kept, 1);
  CHECK(read(array, 15).status == Status::blank);
  CHECK_THROWS_AS(read(array, 16), ModelBug);
  CHECK_THROWS_AS(array.erase(NandBlock(4)), ModelBug);
}

TEST_CASE("a page programmed as lost gives its out-of-band bytes and no data, until its block is erased") {
  NandArray array(small(), kept, 1);
  REQUIRE(ok(array.program(NandPage(0), content(1), oob(5), true)));
  Content found = content(9);
  Oob beside{};
  CHECK(array.read(NandPage(0), found, beside) == Status::lost);
  CHECK(found == content(0xff));
  CHECK(beside == oob(5));
  REQUIRE(ok(array.erase(NandBlock(0))));
  CHECK(program(array, 0) == Status::ok);
  CHECK(read(array, 0).status == Status::ok);
}

TEST_CASE("with paired pages upper pages may be passed over and stay blank, lower ones may not, and without them none may") {
  for (const bool paired : {false, true}) {
    NandConfig config = small();
    config.pages_per_block = 8;
    config.paired_page = paired;
    NandArray array(config, 8, 1);
    const auto program_page = [&](std::uint64_t page) { return array.program(NandPage(page), {}, {}); };
    REQUIRE(program_page(0) == Status::ok);
    CHECK(program_page(3) == Status::rule_violation);  // over lower page 1
    REQUIRE(program_page(1) == Status::ok);
    CHECK(program_page(3) == (paired ? Status::ok : Status::rule_violation));  // over upper page 2
    if (!paired) continue;
    CHECK(array.read(NandPage(2), {}, {}) == Status::blank);
    CHECK(program_page(2) == Status::rule_violation);
    REQUIRE(array.erase(NandBlock(0)) == Status::ok);
    REQUIRE(program_page(0) == Status::ok);
  }
}

TEST_CASE("bit errors: error correction, read retry, and pages that no level saves") {
  NandConfig config = small();
  config.pages_per_block = 8;
  config.page_size = Bytes(4096);
  config.ecc_bits = 8;
  config.read_retries = 3;
  config.read_retry_leaves = 50;
  config.bit_errors_retention = 1'000'000;  // 4.1 bits a codeword and day at the endurance
  config.endurance = 1;
  NandArray array(config, 8, 1);
  REQUIRE(array.erase(NandBlock(0)) == Status::ok);
  REQUIRE(array.program(NandPage(0), {}, {}) == Status::ok);
  const Picoseconds day(86'400'000'000'000'000);
  CHECK(array.read(NandPage(0), {}, {}, 0, Picoseconds(0)) == Status::ok);
  CHECK(array.read(NandPage(0), {}, {}, 0, day * 6) == Status::media_error);  // 25 bits
  CHECK(array.read(NandPage(0), {}, {}, 3, day * 6) == Status::ok);           // 3 bits
  CHECK(array.read(NandPage(0), {}, {}, 3, day * 60) == Status::media_error);
  CHECK(array.uncorrectable() == 1);
  CHECK(array.read(NandPage(0), {}, {}, 3, Picoseconds(0)) == Status::media_error);  // for good
  REQUIRE(array.erase(NandBlock(0)) == Status::ok);
  CHECK(array.read(NandPage(0), {}, {}, 0, Picoseconds(0)) == Status::blank);
}

TEST_CASE("numbers of bit errors have the mean and the spread of a Poisson distribution") {
  RandomStream random(1, "poisson");
  for (const std::uint64_t mean : {1ULL, 20ULL}) {
    std::uint64_t sum = 0, squares = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t count = poisson(mean << 32, random);
      sum += count;
      squares += count * count;
    }
    const double average = static_cast<double>(sum) / 20'000;
    CHECK(average == Approx(static_cast<double>(mean)).epsilon(0.03));
    CHECK(static_cast<double>(squares) / 20'000 - average * average == Approx(static_cast<double>(mean)).epsilon(0.05));
  }
}

TEST_CASE("blocks beyond their endurance fail more often the more they are erased") {
  NandConfig config = small();
  config.endurance = 100;
  config.worn_failures_per_million = 100'000;
  NandArray array(config, 8, 1);
  int erases = 0;
  while (ok(array.erase(NandBlock(0)))) ++erases;
  CHECK(erases > 100);
  CHECK(erases < 300);
}
