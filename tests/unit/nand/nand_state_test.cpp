// What a NAND array keeps without power goes through a stream.
#include <catch2/catch.hpp>
#include <cstring>

#include "base/random.hpp"
#include "nand/nand_array.hpp"
#include "support/message.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

NandConfig small_array(std::uint32_t subpages) {
  NandConfig config;
  config.blocks = 6;
  config.log_blocks = config.dump_blocks = 0;
  config.pages_per_block = 8;
  config.page_size = Bytes(4096) * subpages;
  config.subpages = subpages;
  config.oob_size = Bytes(8) * subpages;
  return config;
}

std::string state_of(const NandArray& array, Picoseconds now) {
  StateWriter out;
  array.save_state(out, now);
  return out.state();
}

void load(NandArray& array, const std::string& state) {
  StateReader in(state, "s");
  array.load_state(in);
  CHECK(in.left() == 0);
}

void scribble(NandArray& array, RandomStream& random, int steps, std::uint32_t subpages) {
  for (int step = 0; step < steps; ++step) {
    const NandBlock block(random.below(6));
    const NandPage next(block.value() * 8 + array.programmed(block));
    const std::array<std::byte, 8> bytes{static_cast<std::byte>(step), static_cast<std::byte>(random.below(256))};
    const Subpage part(next, static_cast<std::uint32_t>(random.below(subpages)));
    const std::uint64_t what = random.below(12);
    if (what == 0)
      static_cast<void>(array.erase(block));
    else if (what == 1 && array.programmed(block) < 8)
      array.tear_program(next);
    else if (what == 2 && random.below(4) == 0)
      array.tear_erase(block);
    else if (array.programmed(block) < 8)
      static_cast<void>(array.program(part, bytes, bytes, what == 3, Picoseconds(static_cast<std::uint64_t>(step))));
    else
      static_cast<void>(array.erase(block));
  }
}

std::vector<std::byte> answers(NandArray& array, std::uint32_t subpages) {
  std::vector<std::byte> all;
  for (std::uint64_t page = 0; page < 48; ++page)
    for (std::uint32_t number = 0; number < subpages; ++number) {
      std::array<std::byte, 16> held{};
      all.push_back(static_cast<std::byte>(array.read({NandPage(page), number}, std::span(held).first(8), std::span(held).last(8))));
      all.insert(all.end(), held.begin(), held.end());
    }
  for (std::uint64_t block = 0; block < 6; ++block) {
    all.push_back(static_cast<std::byte>(array.is_bad(NandBlock(block))));
    all.push_back(static_cast<std::byte>(array.erases(NandBlock(block))));
    all.push_back(static_cast<std::byte>(array.programmed(NandBlock(block))));
  }
  all.push_back(static_cast<std::byte>(array.grown_bad()));
  return all;
}

}  // namespace

TEST_CASE("an array that loads what another saved answers as that one, and goes on alike") {
  for (const std::uint32_t subpages : {1U, 2U}) {
    NandConfig config = small_array(subpages);
    config.bad_blocks = {{5}};
    config.program_failures = {{1, 9}, {2, 4}};
    config.erase_failures = {{3, 2}};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      RandomStream random(seed, "scribble");
      NandArray saved(config, 8, 1);
      scribble(saved, random, 60, subpages);
      const std::string state = state_of(saved, 1_s);
      NandArray loaded(config, 8, 1);
      load(loaded, state);
      REQUIRE(answers(loaded, subpages) == answers(saved, subpages));
      RandomStream again = random;
      scribble(saved, random, 40, subpages);
      scribble(loaded, again, 40, subpages);
      REQUIRE(answers(loaded, subpages) == answers(saved, subpages));
    }
  }
}

TEST_CASE("a page that was a day old when the state was saved is two days old a day after it was loaded") {
  NandConfig config = small_array(1);
  config.ecc_bits = 40;
  config.bit_errors_fresh = config.bit_errors_wear = config.bit_errors_disturb = 0;
  config.bit_errors_retention = 1'000'000;
  constexpr Picoseconds day = 86'400_s;
  NandArray straight(config, 0, 1);
  REQUIRE(straight.erase(NandBlock(0)) == Status::ok);  // wear, on which retention depends
  REQUIRE(straight.program(NandPage(0), {}, {}, false, 0_s) == Status::ok);
  NandArray loaded(config, 0, 1);
  load(loaded, state_of(straight, day));
  CHECK(loaded.wrong_bits(NandPage(0), 0, day) == straight.wrong_bits(NandPage(0), 0, 2 * day));
  CHECK(loaded.wrong_bits(NandPage(0), 0, 0_s) == straight.wrong_bits(NandPage(0), 0, day));
  CHECK(loaded.wrong_bits(NandPage(0), 0, 0_s) > 0);
  // Its block is new when it is programmed again.
  REQUIRE(loaded.erase(NandBlock(0)) == Status::ok);
  REQUIRE(loaded.program(NandPage(0), {}, {}, false, day) == Status::ok);
  CHECK(loaded.wrong_bits(NandPage(0), 0, day) == 0);
}

TEST_CASE("a failure on request that was the third from now is still the third after loading") {
  NandConfig config = small_array(1);
  config.erase_failures = {{0, 4}};
  NandArray saved(config, 0, 1);
  REQUIRE(saved.erase(NandBlock(0)) == Status::ok);
  NandArray loaded(config, 0, 1);
  load(loaded, state_of(saved, 0_s));
  CHECK(loaded.erase(NandBlock(0)) == Status::ok);
  CHECK(loaded.erase(NandBlock(0)) == Status::ok);
  CHECK(loaded.erase(NandBlock(0)) == Status::erase_failed);
}

TEST_CASE("an array of another size does not take a state") {
  NandArray saved(small_array(1), 0, 1);
  REQUIRE(saved.program(NandPage(0), {}, {}) == Status::ok);
  NandConfig larger = small_array(1);
  larger.blocks = 60;
  NandArray loaded(larger, 0, 1);
  const std::string state = state_of(saved, 0_s);
  StateReader in(state, "s");
  CHECK(test::message_of([&] { loaded.load_state(in); }).starts_with("s: the state of the drive is damaged: "));
}
