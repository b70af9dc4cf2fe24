#include "platforms/compare/shared_fold.hpp"

#include <catch2/catch.hpp>

using namespace tessera;

TEST_CASE("layers of unlike capacity share that of the smallest, which the note names") {
  const std::vector<LayerCapacity> layers{{"cmr", Bytes(4096 * 10)}, {"sblock", Bytes(4096 * 7)}, {"fluid", Bytes(4096 * 9)}};
  const auto smallest = smallest_of_unlike(layers);
  REQUIRE(smallest);
  CHECK(smallest->layer == "sblock");
  CHECK(smallest->capacity == Bytes(4096 * 7));
  CHECK(shared_fold_note(*smallest) ==
        "addresses fold at 28672 B for every layer, the capacity of sblock, which is the smallest, so that all get one workload");
}

TEST_CASE("layers of one capacity fold where each of them ends") {
  CHECK_FALSE(smallest_of_unlike(std::vector<LayerCapacity>{{"cmr", Bytes(4096)}, {"media-cache", Bytes(4096)}}));
  CHECK_FALSE(smallest_of_unlike({}));
}
