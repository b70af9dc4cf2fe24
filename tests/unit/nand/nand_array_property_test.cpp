// The array against a plain reference: a vector of pages a block, written down from the rules alone.
#include <rapidcheck.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <vector>

#include "nand/nand_array.hpp"

using namespace tessera;

namespace {

constexpr std::uint64_t blocks = 3;
constexpr std::uint32_t pages = 4;

struct Step {
  enum class Kind { read, program, erase, tear_program, tear_erase } kind;
  std::uint64_t page;
  std::uint64_t value;
};

/// What a block holds: the values of its programmed pages (none where unreadable), or nothing at all after a torn erase.
struct Reference {
  std::vector<std::optional<std::uint64_t>> pages;
  bool torn = false;
  std::uint32_t erases = 0;
};

rc::Gen<Step> any_step() {
  return rc::gen::build<Step>(rc::gen::set(&Step::kind, rc::gen::weightedElement<Step::Kind>({{6, Step::Kind::read},
                                                                                              {12, Step::Kind::program},
                                                                                              {3, Step::Kind::erase},
                                                                                              {1, Step::Kind::tear_program},
                                                                                              {1, Step::Kind::tear_erase}})),
                              rc::gen::set(&Step::page, rc::gen::inRange<std::uint64_t>(0, blocks * pages)), rc::gen::set(&Step::value));
}

}  // namespace

TEST_CASE("the array behaves as a plain list of pages under any sequence of operations and cuts") {
  const bool holds = rc::check([] {
    NandConfig config;
    config.blocks = blocks;
    config.log_blocks = config.dump_blocks = 0;
    config.pages_per_block = pages;
    config.oob_size = Bytes(8);
    NandArray array(config, 8, 1);
    std::vector<Reference> reference(blocks);

    for (const Step& step : *rc::gen::container<std::vector<Step>>(any_step())) {
      Reference& block = reference[step.page / pages];
      const std::uint64_t index = step.page % pages;
      const bool next = !block.torn && index == block.pages.size();
      const auto bytes = std::as_bytes(std::span(&step.value, 1));
      switch (step.kind) {
        case Step::Kind::read: {
          std::uint64_t content = 0;
          std::uint64_t oob = 0;
          const Status status =
              array.read(NandPage(step.page), std::as_writable_bytes(std::span(&content, 1)), std::as_writable_bytes(std::span(&oob, 1)));
          if (block.torn || (index < block.pages.size() && !block.pages[index])) {
            RC_ASSERT(status == Status::media_error);
          } else if (index >= block.pages.size()) {
            RC_ASSERT(status == Status::blank);
          } else {
            RC_ASSERT(status == Status::ok);
            RC_ASSERT(content == *block.pages[index]);
            RC_ASSERT(oob == *block.pages[index]);
          }
          break;
        }
        case Step::Kind::program:
          RC_ASSERT(array.program(NandPage(step.page), bytes, bytes) == (next ? Status::ok : Status::rule_violation));
          if (next) block.pages.emplace_back(step.value);
          break;
        case Step::Kind::erase:
          RC_ASSERT(array.erase(NandBlock(step.page / pages)) == Status::ok);
          block = {.pages = {}, .torn = false, .erases = block.erases + 1};
          break;
        case Step::Kind::tear_program:
          array.tear_program(NandPage(step.page));
          if (next) block.pages.emplace_back(std::nullopt);
          break;
        case Step::Kind::tear_erase:
          array.tear_erase(NandBlock(step.page / pages));
          block.torn = true;
          ++block.erases;
          break;
      }
      RC_ASSERT(array.erases(NandBlock(step.page / pages)) == block.erases);
    }
  });
  CHECK(holds);
}
