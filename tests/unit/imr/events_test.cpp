// What the interlaced layers tell of their hot tracks and moves (events.csv).
#include "firmware/layers/layer_factories.hpp"
#include "imr_drive.hpp"
#include "support/recorded_events.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using Events = std::vector<RecordedEvents::Event>;
const Parameters short_intervals{{"update_frequency", 150}, {"log_records", 8}};

}  // namespace

// Of tracks 0 to 9 the bottoms are pseudo-tracks 0 to 4, the tops 5 to 9: each on a track of its own, the first one a bottom.
TEST_CASE("imr-dtm: the neighbours of a hot bottom are the tops beside its home, and those of a hot top the bottoms") {
  ImrDrive drive(make_imr_dtm_factory(), short_intervals);
  const RecordedEvents events(drive.bench());
  drive.interval({{0, 1}, {1, 2}, {3, 3}, {2, 144}});  // bottoms 0 and 1, tops 5 and 6
  CHECK(events.of("hot_track") == Events{{1, 144}, {6, 3}, {5, 2}, {0, 1}});
  CHECK(events.of("hot_neighbour") == Events{{5, 2}, {6, 3}, {1, 144}, {2, 0}, {0, 1}, {1, 144}, {5, 2}});
}

TEST_CASE("imr-flip: each move tells the sectors that it wrote itself") {
  ImrDrive drive(make_imr_flip_factory(), short_intervals);
  const RecordedEvents events(drive.bench());
  for (const std::uint64_t track : {4, 8}) {
    drive.interval({{track, 150}});
    drive.pause();
  }
  const Events flips = events.of("flip");
  REQUIRE(flips.size() == 2);
  CHECK(flips[0].amount == flips[1].amount);
}
