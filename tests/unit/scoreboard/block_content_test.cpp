#include "stimuli/scoreboard/block_content.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace tessera;

TEST_CASE("a block of bytes proves its tag by every byte") {
  std::array<std::byte, 512> block{};
  CHECK(read_block(block) == never_written);
  write_block(block, 1234);
  CHECK(read_block(block) == Tag{1234});
  for (const std::size_t at : {8U, 9U, 255U, 511U}) {
    block[at] ^= std::byte{1};
    CHECK_FALSE(read_block(block).has_value());
    block[at] ^= std::byte{1};
  }
  write_block(block, never_written);
  CHECK(read_block(block) == never_written);
  block[100] = std::byte{1};
  CHECK_FALSE(read_block(block).has_value());
}

TEST_CASE("a tag alone is a block of 8 bytes") {
  std::array<std::byte, 8> block{};
  write_block(block, 77);
  CHECK(read_block(block) == Tag{77});
}

TEST_CASE("a destroyed block is known by its tag alone, a prefilled one by all of its bytes") {
  std::array<std::byte, 512> block{};
  block.fill(std::byte{0xff});
  CHECK(read_block(block) == destroyed);
  write_block(block, prefill_mark | 12);
  CHECK(read_block(block) == (prefill_mark | 12));
  block[511] ^= std::byte{1};
  CHECK_FALSE(read_block(block).has_value());
}
