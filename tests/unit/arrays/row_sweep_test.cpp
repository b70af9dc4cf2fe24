#include "stimuli/arrays/row_sweep.hpp"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace literals;

constexpr Picoseconds row_time = 1_ms;

constexpr std::uint32_t chunk = 2000;  // blocks, 1,024,000 B

ArrayLayout mirror_of(std::uint64_t rows) { return ArrayLayout({ArrayKind::mirror}, chunk, {rows * chunk, rows * chunk}); }

/// Rows take a millisecond each.
class Rows final : private TimelineListener {
 public:
  Rows(const SweepPace& pace, std::uint64_t rows) : Rows(pace, mirror_of(rows), {}) {}
  Rows(const SweepPace& pace, const ArrayLayout& layout, std::function<bool(ArrayRow)> wanted)
      : sweep(timeline, pace, layout,
              {[this] { return busy; },
               [this](ArrayRow row) {
                 began.emplace_back(row.value(), timeline.now());
                 timeline.post(timeline.now() + row_time, *this, row.value());
               },
               [this] { ended = timeline.now(); }, std::move(wanted)}) {}

  Timeline timeline;
  bool busy = false;
  std::vector<std::pair<std::uint64_t, Picoseconds>> began;
  Picoseconds ended;
  RowSweep sweep;

 private:
  void on_time(std::uint64_t row) override {
    sweep.mark(ArrayRow(row));
    sweep.row_done();
  }
};

SweepPace pace(std::uint64_t rate, std::uint32_t depth) {
  SweepPace made;
  made.rate_limit = BytesPerSecond(rate);
  made.depth = depth;
  return made;
}

TEST_CASE("as many rows as its depth are under way at once") {
  Rows rows(pace(0, 3), 7);
  rows.sweep.start();
  CHECK(rows.began.size() == 3);
  rows.timeline.run();
  CHECK(rows.ended == 3_ms);
  CHECK(rows.sweep.rows_done() == 7);
}

TEST_CASE("a rate limit spaces the rows") {
  Rows rows(pace(102'400'000, 4), 5);  // a row each 10 ms
  rows.sweep.start();
  rows.timeline.run();
  for (std::uint64_t i = 0; i < 5; ++i) CHECK(rows.began[i] == std::pair(i, 10_ms * i));
  CHECK(rows.ended == 41_ms);
}

TEST_CASE("under load rows come one at a time above the pace that is kept up") {
  Rows rows(pace(0, 4), 6);
  rows.busy = true;
  rows.sweep.start();
  rows.timeline.run();
  CHECK(rows.ended == 6_ms);
  SECTION("but not with equal priority") {
    SweepPace equal = pace(0, 3);
    equal.priority = SweepPriority::equal;
    Rows others(equal, 6);
    others.busy = true;
    others.sweep.start();
    others.timeline.run();
    CHECK(others.ended == 2_ms);
  }
  SECTION("nor below it") {
    SweepPace slow = pace(0, 3);
    slow.rate_under_load = BytesPerSecond(100'000'000'000);
    Rows others(slow, 6);
    others.busy = true;
    others.sweep.start();
    others.timeline.run();
    CHECK(others.ended < 6_ms);
  }
}

TEST_CASE("rows that lie side by side on the drives go at each drive's pace together") {
  const ArrayShape shape{.kind = ArrayKind::erasure, .data = 2, .parities = 1, .spare_places = 1};
  const ArrayLayout layout(shape, chunk, std::vector<std::uint64_t>(7, 2 * chunk));  // 4 rows, two in each line of 6 chunks
  Rows rows(pace(102'400'000, 1), layout, {});
  rows.sweep.start();
  rows.timeline.run();
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(rows.began[i] == std::pair(i, 5_ms * i));
  Rows free(pace(0, 2), layout, {});
  free.sweep.start();
  CHECK(free.began.size() == 4);
}

TEST_CASE("rows in which nothing is to be done take no time and no share of the rate") {
  Rows rows(pace(102'400'000, 1), mirror_of(6), [](ArrayRow row) { return row.value() % 3 == 1; });
  rows.sweep.start();
  rows.timeline.run();
  CHECK(rows.began == std::vector{std::pair(std::uint64_t{1}, 0_ms), std::pair(std::uint64_t{4}, 10_ms)});
  CHECK(rows.ended == 11_ms);
  CHECK(rows.sweep.over());
}

TEST_CASE("a sweep over rows in which nothing is to be done ends at once") {
  Rows rows(pace(0, 1), mirror_of(6), [](ArrayRow) { return false; });
  rows.ended = 1_ms;
  rows.sweep.start();
  CHECK(rows.ended == 0_ms);
}

TEST_CASE("what an interruption lost is begun again, and only that") {
  Rows rows(pace(0, 2), 4);
  rows.sweep.start();
  rows.timeline.run_until(1_ms);  // 0 and 1 are done, 2 and 3 under way
  rows.sweep.interrupt();
  CHECK(rows.sweep.done(ArrayRow(1)));
  CHECK_FALSE(rows.sweep.done(ArrayRow(2)));
}

/// Rows take a millisecond each, and a checkpoint 2.5.
class CachedRows final : private TimelineListener {
 public:
  CachedRows(std::uint64_t rows, Picoseconds between)
      : sweep(timeline, pace(0, 1), mirror_of(rows),
              {[] { return false; },
               [this](ArrayRow row) { timeline.post(timeline.now() + row_time, *this, row.value()); },
               [this] { ended = timeline.now(); },
               {},
               [this] {
                 flushes.push_back(timeline.now());
                 timeline.post(timeline.now() + 2_ms + 500_us, *this, flush);
               }},
              between) {}
  ~CachedRows() { timeline.withdraw(*this); }

  Timeline timeline;
  std::vector<Picoseconds> flushes;
  Picoseconds ended;
  bool well = true;
  RowSweep sweep;

 private:
  static constexpr std::uint64_t flush = 1'000'000;
  void on_time(std::uint64_t argument) override {
    if (argument == flush) return sweep.flushed(well);
    sweep.mark(ArrayRow(argument));
    sweep.row_done();
  }
};

TEST_CASE("what no checkpoint covers is begun again after an interruption, and what came during one is not covered by it") {
  CachedRows rows(100, 4_ms);
  rows.sweep.start();
  rows.timeline.run_until(6_ms);  // the first checkpoint began at 4 ms, of 4 rows, and is under way
  CHECK(rows.flushes == std::vector{4_ms});
  CHECK(rows.sweep.rows_done() == 6);
  SECTION("a power cut between checkpoint and flush takes all") {
    rows.sweep.interrupt();
    CHECK(rows.sweep.rows_done() == 0);
  }
  SECTION("after the flush, what was done before it was asked for stays") {
    rows.timeline.run_until(7_ms);
    CHECK(rows.sweep.rows_done() == 7);
    rows.sweep.interrupt();
    CHECK(rows.sweep.rows_done() == 4);
    CHECK_FALSE(rows.sweep.done(ArrayRow(4)));
  }
  SECTION("a flush that failed covers nothing") {
    rows.well = false;
    rows.timeline.run_until(7_ms);
    rows.sweep.interrupt();
    CHECK(rows.sweep.rows_done() == 0);
  }
}

TEST_CASE("the end of a sweep waits for a checkpoint of all rows") {
  CachedRows rows(8, 1_s);
  rows.sweep.start();
  rows.timeline.run();
  CHECK(rows.flushes.back() == 8_ms + 500_us);  // after the one that began at 6 ms
  CHECK(rows.ended == 11_ms);
}

TEST_CASE("a checkpoint comes after a sixteenth of the rows at the latest") {
  CachedRows rows(64, 1_s);
  rows.sweep.start();
  rows.timeline.run_until(5_ms);
  CHECK(rows.flushes == std::vector{4_ms});
}

}  // namespace
}  // namespace tessera
