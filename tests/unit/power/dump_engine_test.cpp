#include "power/dump_engine.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// A region of `pieces` whole pieces takes 4112 B each on an engine of 1 MB/s and 2 W.
PowerConfig whole_pieces() {
  PowerConfig config;
  config.dump_area = 1_MiB;
  config.dump_rate = BytesPerSecond(1'000'000);
  return config;
}

constexpr std::uint64_t written_piece = (DumpEngine::piece + DumpEngine::piece_check).value();

/// Pieces that are whole where the dump of ten ends after `bytes`.
std::uint64_t saved_of_ten(double bytes) {
  PowerConfig config = whole_pieces();
  config.torn_dumps = {{1, bytes}};
  DumpEngine engine(config, 1);
  engine.reserve(DumpEngine::piece * 10, "map");
  const std::uint64_t saved = engine.dump(1_ms);
  CHECK(engine.failed() == (saved < 10));
  return saved;
}

}  // namespace

TEST_CASE("time and energy of a dump follow from its pieces and their checks, and the hold-up time from the energy") {
  PowerConfig config = whole_pieces();
  config.restore_rate = BytesPerSecond(4'000'000);
  config.hold_up_energy = Picojoules(2'000'000'000'000);  // 1 s at 2 W
  DumpEngine engine(config, 1);
  engine.reserve(4097_B, "write cache");  // two pieces
  CHECK(engine.size() == 4097_B);
  CHECK(engine.image_size() == Bytes(2 * written_piece));
  CHECK(engine.dump_time() == 8'224_us);
  CHECK(engine.restore_time() == 2'056_us);
  CHECK(engine.dump_energy() == Picojoules(16'448'000'000));
  CHECK(engine.hold_up_time() == 1_s);
}

TEST_CASE("regions fill the dump area to its last byte, one byte more is refused by name") {
  PowerConfig config = whole_pieces();
  config.dump_area = 1000_B;
  DumpEngine engine(config, 1);
  CHECK_NOTHROW(engine.reserve(600_B, "map"));
  CHECK_THROWS_WITH(engine.reserve(401_B, "write cache"), Catch::Contains("'write cache'") && Catch::Contains("401 B") &&
                                                              Catch::Contains("400 B are left") && Catch::Contains("1000 B"));
  CHECK_NOTHROW(engine.reserve(400_B, "write cache"));
  CHECK(engine.size() == 1000_B);
}

TEST_CASE("a dump may use the hold-up energy to its last picojoule and no more") {
  PowerConfig config = whole_pieces();
  config.hold_up_energy = Picojoules(8'224'000'000);  // a piece
  DumpEngine fits(config, 1);
  CHECK_NOTHROW(fits.reserve(4_KiB, "map"));
  config.hold_up_energy = Picojoules(8'223'999'999);
  DumpEngine exceeds(config, 1);
  CHECK_THROWS_WITH(exceeds.reserve(4_KiB, "map"), Catch::Contains("energy") && Catch::Contains("8223999999 pJ"));
  CHECK_THROWS_AS(exceeds.reserve(4_KiB, "map"), InputError);
}

TEST_CASE("the same reservations after a boot are the same dump, other ones are a model bug") {
  DumpEngine engine(whole_pieces(), 1);
  engine.reserve(2_B, "map");
  engine.restart();
  CHECK_NOTHROW(engine.reserve(2_B, "map"));
  CHECK(engine.size() == 2_B);
  engine.restart();
  CHECK_THROWS_AS(engine.reserve(3_B, "map"), ModelBug);
  CHECK_THROWS_AS(engine.reserve(2_B, "log"), ModelBug);
}

TEST_CASE("the report tells what was dumped, how often, and what failed dumps did not save") {
  PowerConfig config = whole_pieces();
  config.torn_dumps = {{2, 1.5 * static_cast<double>(written_piece)}};
  DumpEngine engine(config, 1);
  engine.reserve(12_KiB, "map");
  CHECK(engine.dump(1_ms) == 3);
  CHECK(engine.dump(2_ms) == 1);
  MetricSet metrics;
  engine.report(metrics);
  CHECK(metrics.find("power.dump.region")->value == 12'288);
  CHECK(metrics.find("power.dump.time")->value == Approx(12.336));
  CHECK(metrics.find("power.dump.count")->value == 2);
  CHECK(metrics.find("power.dumps_failed")->value == 1);
  CHECK(metrics.find("power.dump.unsaved")->value == 8'192);
  CHECK(engine.energy_spent() == Picojoules(24'672'000'000 + 12'336'000'000));
}

TEST_CASE("of a dump that ends early the pieces are saved that were written to the last byte of their checks") {
  const auto piece = static_cast<double>(written_piece);
  CHECK(saved_of_ten(0) == 0);
  CHECK(saved_of_ten(piece - 1) == 0);
  CHECK(saved_of_ten(piece) == 1);
  CHECK(saved_of_ten(5 * piece + 17) == 5);
  CHECK(saved_of_ten(10 * piece - 1) == 9);
  CHECK(saved_of_ten(10 * piece) == 10);
  CHECK(saved_of_ten(10 * piece + 1) == 10);
}

TEST_CASE("only the dump that is named fails, and those of other numbers are whole") {
  PowerConfig config = whole_pieces();
  config.torn_dumps = {{3, 0}, {2, 0}};
  DumpEngine engine(config, 1);
  engine.reserve(8_KiB, "map");
  for (const std::uint64_t saved : {2U, 0U, 0U, 2U}) CHECK(engine.dump(1_ms) == saved);
}

TEST_CASE("a store that has aged carries the dump as far as what is left lasts") {
  PowerConfig config = whole_pieces();
  config.hold_up_energy = Picojoules(100 * 8'224'000'000 / 50);  // half of it is a piece
  const auto saved = [&config](std::uint32_t left) {
    config.hold_up_left = left;
    DumpEngine engine(config, 1);
    engine.reserve(4_KiB, "map");
    return engine.dump(1_ms);
  };
  CHECK(saved(100) == 1);
  CHECK(saved(50) == 1);
  CHECK(saved(49) == 0);
  CHECK(saved(0) == 0);
}

TEST_CASE("dumps fail at the rate asked for, anywhere in the image, and the same at one instant whatever was before") {
  PowerConfig config = whole_pieces();
  config.dump_failures = 250'000;
  DumpEngine engine(config, 7);
  engine.reserve(40_KiB, "map");
  std::vector<std::uint64_t> by_pieces(11);
  for (std::uint64_t cut = 1; cut <= 4000; ++cut) ++by_pieces[engine.dump(Picoseconds(cut * 1'000'003))];
  const std::uint64_t failed = 4000 - by_pieces[10];
  CHECK(failed > 900);
  CHECK(failed < 1100);
  for (std::size_t pieces = 0; pieces < 10; ++pieces) CHECK(by_pieces[pieces] > 60);
  DumpEngine fresh(config, 7);
  fresh.reserve(40_KiB, "map");
  const std::uint64_t before = engine.dump(5_ms);
  CHECK(fresh.dump(5_ms) == before);
}

TEST_CASE("a drive that dumps nothing has no dump to fail") {
  PowerConfig config = whole_pieces();
  config.dump_failures = 1'000'000;
  DumpEngine engine(config, 1);
  CHECK(engine.dump(1_ms) == 0);
  CHECK_FALSE(engine.failed());
}

TEST_CASE("rows of dumps that fail are whole numbers, the first from one on") {
  PowerConfig config;
  for (const NumberRow& row : {NumberRow{0, 1}, {1.5, 1}, {1, -1}, {1, 0.5}}) {
    config.torn_dumps = {row};
    CHECK_FALSE(config.problem().empty());
  }
  config.torn_dumps = {{1, 0}};
  CHECK(config.problem().empty());
}
