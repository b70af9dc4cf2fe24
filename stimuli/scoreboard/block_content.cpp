#include "stimuli/scoreboard/block_content.hpp"

#include <cstring>

namespace tessera {

namespace {

/// Word `index` of the pattern behind a tag: a bijection of a mix of both, so that no two words nearby are alike.
std::uint64_t pattern(Tag tag, std::size_t index) {
  if (tag == never_written) return 0;
  std::uint64_t word = tag * 0x9e3779b97f4a7c15ULL + index;  // odd: tags stay apart
  word = (word ^ (word >> 32)) * 0xd6e8feb86659fd93ULL;
  return word ^ (word >> 32);
}

}  // namespace

void write_block(ContentSpan block, Tag tag) {
  std::memcpy(block.data(), &tag, sizeof tag);
  for (std::size_t i = 1; i < block.size() / sizeof tag; ++i) {
    const std::uint64_t word = pattern(tag, i);
    std::memcpy(block.data() + i * sizeof word, &word, sizeof word);
  }
}

std::optional<Tag> read_block(ConstContentSpan block) {
  Tag tag = 0;
  std::memcpy(&tag, block.data(), sizeof tag);
  if (tag == destroyed) return tag;
  for (std::size_t i = 1; i < block.size() / sizeof tag; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, block.data() + i * sizeof word, sizeof word);
    if (word != pattern(tag, i)) return std::nullopt;
  }
  return tag;
}

}  // namespace tessera
