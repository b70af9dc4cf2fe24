// Bit errors at the DRAM's own interface: where and when they are met, and what ECC makes of them.
#include <catch2/catch.hpp>

#include <functional>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "dram/dram_device.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr DramAddress word{4160};
constexpr Picoseconds struck_at = 1_ms;

/// One error in `word`, and no refresh that would change an access's time.
DramConfig with_error(double bits) {
  DramConfig config;
  config.refresh_interval = 0_ps;
  config.bit_errors = {{1, 4160, bits}};
  return config;
}

/// How long a read takes after another of the same row.
Picoseconds read_time(DramDevice& dram, DramAddress address, std::uint32_t bytes, Picoseconds at) {
  return dram.access(address, bytes, Access::read, at) - at;
}

double metric(const DramDevice& dram, const char* name) {
  MetricSet metrics;
  dram.report(metrics, 1_ms);
  return metrics.find(name)->value.value();
}

std::string message_of(const DramConfig& config) {
  try {
    DramDevice made(config);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

DramConfig with_rate(std::uint64_t rate) {
  DramConfig config;
  config.capacity = 1_MiB;  // 8 megabits
  config.bit_error_rate = rate;
  return config;
}

/// What is found by one read of all in each of `times` ms: errors are few in a word that is read so often.
std::vector<std::uint64_t> found_in(DramDevice& dram, std::uint64_t times) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t ms = 1; ms <= times; ++ms) {
    dram.move(DramAddress(0), 1_MiB, Access::read, 1_ms * ms);
    for (const DramAddress failed : dram.failed()) found.push_back(failed.value());
  }
  return found;
}

}  // namespace

TEST_CASE("bit errors: one wrong bit is corrected once and costs the correction time") {
  const DramConfig config = with_error(1);
  DramDevice dram(config);
  const Picoseconds hit = config.column_latency + 5_ns;
  read_time(dram, word - 8, 8, 0_ps);
  CHECK(read_time(dram, word - 8, 8, struck_at) == hit);
  CHECK(read_time(dram, word, 8, struck_at + 1_us) == hit + config.correction_time);
  CHECK(dram.failed().empty());
  CHECK(read_time(dram, word, 8, struck_at + 2_us) == hit);
  CHECK(metric(dram, "dram.bit_errors") == 1);
  CHECK(metric(dram, "dram.ecc_corrected") == 1);
  CHECK(metric(dram, "dram.ecc_uncorrectable") == 0);
}

TEST_CASE("bit errors: two wrong bits cannot be corrected, and whoever reads the word is told once") {
  const DramConfig config = with_error(2);
  DramDevice dram(config);
  read_time(dram, word - 8, 8, 0_ps);
  CHECK(read_time(dram, word, 8, struck_at) == config.column_latency + 5_ns);
  REQUIRE(dram.failed().size() == 1);
  CHECK(dram.failed().front() == word);
  read_time(dram, word, 8, struck_at + 1_us);
  CHECK(dram.failed().empty());
  CHECK(metric(dram, "dram.ecc_corrected") == 0);
  CHECK(metric(dram, "dram.ecc_uncorrectable") == 1);
}

TEST_CASE("bit errors: a word ends where the next begins, and an error is there from its instant on") {
  const auto met = [](DramAddress address, std::uint32_t bytes, Picoseconds at) {
    DramDevice dram{with_error(2)};
    dram.access(address, bytes, Access::read, at);
    return !dram.failed().empty();
  };
  CHECK_FALSE(met(word - 8, 8, struck_at));
  CHECK(met(word - 8, 9, struck_at));
  CHECK(met(word + 7, 1, struck_at));
  CHECK_FALSE(met(word + 8, 8, struck_at));
  CHECK_FALSE(met(word, 8, struck_at - 1_ps));
  CHECK(met(word, 8, struck_at));
}

TEST_CASE("bit errors: an error that a later access met first is not there for one that comes before it") {
  DramDevice dram{with_error(2)};
  dram.access(word + 64, 8, Access::read, struck_at + 1_us);  // the CPU has run ahead
  dram.dma({BusInitiator::copy, word, 64_B, Access::read}, struck_at - 1_ps);
  CHECK(dram.failed().empty());
  dram.dma({BusInitiator::copy, word, 64_B, Access::read}, struck_at + 1_us);
  CHECK(dram.failed().size() == 1);
}

TEST_CASE("bit errors: two errors in one word are two wrong bits unless it was read in between") {
  DramConfig config = with_error(1);
  config.bit_errors.push_back({2, 4164, 1});
  DramDevice together(config);
  together.access(word, 8, Access::read, 2_ms);
  CHECK(together.failed().size() == 1);
  DramDevice apart(config);
  apart.access(word, 8, Access::read, 1_ms);
  apart.access(word, 8, Access::read, 2_ms);
  CHECK(apart.failed().empty());
  CHECK(metric(apart, "dram.ecc_corrected") == 2);
}

TEST_CASE("bit errors: a word that is written wholly is good again, one that is written in part is read first") {
  for (const double bits : {1.0, 2.0}) {
    DramDevice whole{with_error(bits)};
    whole.access(word, 8, Access::write, struck_at);
    whole.access(word, 8, Access::read, struck_at + 1_us);
    CHECK(whole.failed().empty());
    CHECK(metric(whole, "dram.ecc_corrected") == 0);

    DramDevice part{with_error(bits)};
    part.access(word, 4, Access::write, struck_at);
    CHECK(part.failed().size() == (bits == 2 ? 1 : 0));
    CHECK(metric(part, "dram.ecc_corrected") == (bits == 1 ? 1 : 0));
  }
}

TEST_CASE("bit errors: a DMA takes the correction time longer for each word, data that others move takes none") {
  DramConfig config = with_error(1);
  config.bit_errors.push_back({1, 8256 - 8, 1});
  config.bit_errors.push_back({1, 8256, 1});
  DramConfig faultless = config;
  faultless.bit_errors.clear();
  const Picoseconds usual = DramDevice(faultless).dma({BusInitiator::copy, word, 4_KiB, Access::read}, struck_at).end;
  CHECK(DramDevice(config).dma({BusInitiator::copy, word, 4_KiB, Access::read}, struck_at).end == usual + 2 * config.correction_time);
  DramDevice moved(config);
  moved.move(word, 4_KiB, Access::read, struck_at);
  CHECK(metric(moved, "dram.ecc_corrected") == 2);
  CHECK(moved.dma({BusInitiator::copy, word, 4_KiB, Access::read}, struck_at).end == usual);
}

TEST_CASE("bit errors: a firmware that starts finds none that are older") {
  DramDevice dram{with_error(2)};
  dram.initialise(struck_at);
  dram.access(word, 8, Access::read, struck_at);
  CHECK(dram.failed().empty());
  DramDevice later{with_error(2)};
  later.initialise(struck_at - 1_ps);
  later.access(word, 8, Access::read, struck_at);
  CHECK(later.failed().size() == 1);
}

TEST_CASE("bit errors: they come at the rate that is asked for, over all words and with their share of two bits") {
  // 8 megabits at 45 * 10^15 errors a megabit and 10^9 hours: 100 a millisecond.
  DramConfig config = with_rate(45'000'000'000'000'000);
  config.double_errors_per_thousand = 250;
  DramDevice dram(config);
  const std::vector<std::uint64_t> failed = found_in(dram, 100);
  CHECK(metric(dram, "dram.bit_errors") == Approx(10'000).epsilon(0.05));
  CHECK(static_cast<double>(failed.size()) == Approx(2'500).epsilon(0.1));
  CHECK(static_cast<double>(failed.size()) + metric(dram, "dram.ecc_corrected") == Approx(10'000).epsilon(0.05));
  double mean = 0;
  for (const std::uint64_t address : failed) mean += static_cast<double>(address) / static_cast<double>(failed.size());
  CHECK(mean == Approx(524'288).epsilon(0.05));
}

TEST_CASE("bit errors: the seed decides which, and how often one looks does not") {
  const DramConfig config = with_rate(10'000'000'000'000'000);
  DramDevice one(config, 1);
  DramDevice same(config, 1);
  DramDevice other(config, 2);
  static_cast<void>(found_in(one, 50));
  CHECK(found_in(same, 50) != found_in(other, 50));
  DramDevice rarely(config, 1);
  rarely.move(DramAddress(0), 1_MiB, Access::read, 50_ms);
  CHECK(metric(rarely, "dram.bit_errors") == metric(one, "dram.bit_errors"));
  CHECK(metric(rarely, "dram.bit_errors") == metric(same, "dram.bit_errors"));
}

TEST_CASE("bit errors: the rate of the field has no error in a second, a great one nearly one a microsecond") {
  DramDevice field{with_rate(70'000)};
  field.move(DramAddress(0), 1_MiB, Access::read, 1_s);
  CHECK(metric(field, "dram.bit_errors") == 0);
  DramDevice most{with_rate(400'000'000'000'000'000)};
  most.move(DramAddress(0), 1_MiB, Access::read, 1_ms);
  CHECK(metric(most, "dram.bit_errors") == Approx(889).epsilon(0.1));
}

TEST_CASE("bit errors: a row that is no error of this DRAM is refused, and those at the ends of the ranges are not") {
  DramConfig config;
  const double capacity = static_cast<double>(config.capacity.value());
  config.bit_errors = {{1e-9, 0, 1}, {9e9, capacity - 1, 2}};
  CHECK(message_of(config) == "no error");
  config.bit_errors[1] = {1, capacity, 2};
  CHECK(message_of(config) == "dram.bit_errors: row 2: expected an address below dram.capacity, 268435456");
  config.bit_errors[1] = {0, 0, 2};
  CHECK(message_of(config) == "dram.bit_errors: row 2: expected a time above 0 ms: before the first power-on nothing is stored");
  for (const double bits : {0.0, 1.5, 3.0}) {
    config.bit_errors[1] = {1, 0, bits};
    CHECK(message_of(config) == "dram.bit_errors: row 2: expected 1 or 2 wrong bits");
  }
}

TEST_CASE("bit errors: a DRAM whose bits cannot flip reports none") {
  DramDevice dram{DramConfig()};
  CHECK_FALSE(dram.can_fail());
  CHECK(dram.failed().empty());
  MetricSet metrics;
  dram.report(metrics, 1_ms);
  CHECK(metrics.find("dram.bit_errors") == nullptr);
}

TEST_CASE("bit errors: more than a million a second are refused with the rate and the capacity") {
  DramConfig config = with_rate(1'000'000'000'000'000);
  CHECK(message_of(config) == "no error");
  config.capacity = 1_GiB;
  const std::string message = message_of(config);
  CHECK(message.find("dram.bit_error_rate = 1000000000000000 on 1073741824 bytes") != std::string::npos);
  CHECK(message.find("expected a lower rate") != std::string::npos);
}

TEST_CASE("the rarest bit errors are taken: no product of their time overflows") {
  for (const std::uint64_t rate : {1, 2, 1000}) CHECK(message_of(with_rate(rate)) == "no error");
}
