#include "stimuli/generators/generator.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

std::vector<TraceRecord> records(const WorkloadConfig& config, std::uint64_t seed = 1, Bytes capacity = 1_GiB) {
  const auto source = make_generator(config, "test", seed, capacity);
  std::vector<TraceRecord> all;
  TraceRecord record;
  while (source->next(record)) all.push_back(record);
  CHECK_FALSE(source->next(record));
  return all;
}

std::string message_of(const WorkloadConfig& config, Bytes capacity = 1_GiB) {
  try {
    (void)make_generator(config, "test", 1, capacity);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::uint64_t digest(const std::vector<TraceRecord>& all) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 1099511628211ULL; };
  for (const TraceRecord& r : all) {
    add(r.arrival.value());
    add(static_cast<std::uint64_t>(r.op));
    add(r.offset.value());
    add(r.size.value());
  }
  return hash;
}

}  // namespace

TEST_CASE("a generator makes as many requests as asked, from time 0 on, inside its range") {
  WorkloadConfig config;
  config.requests = 10'000;
  config.first = 1_MiB;
  config.range = 1_MiB;
  config.write_share = 0.3;
  config.write_sizes = {{512, 1}, {65536, 1}};
  config.read_sizes = {{4096, 1}};
  config.arrivals.law = ArrivalLaw::exponential;
  config.arrivals.mean = 1_ms;
  const auto all = records(config);
  REQUIRE(all.size() == 10'000);
  CHECK(all.front().arrival == 0_ps);
  std::uint64_t writes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) REQUIRE(all[i].arrival >= all[i - 1].arrival);
    REQUIRE(all[i].offset >= 1_MiB);
    REQUIRE(all[i].end() <= 2_MiB);
    REQUIRE(all[i].offset % 4096_B == 0_B);
    if (all[i].op == HostOp::read) REQUIRE(all[i].size == 4096_B);
    writes += all[i].op == HostOp::write ? 1 : 0;
  }
  CHECK(std::abs(static_cast<double>(writes) - 3000) < 5 * std::sqrt(10'000 * 0.3 * 0.7));
}

TEST_CASE("the range ends with the drive where the workload leaves it open") {
  WorkloadConfig config;
  config.requests = 10'000;
  Bytes highest(0);
  for (const auto& record : records(config, 1, 1_MiB)) highest = std::max(highest, record.end());
  CHECK(highest == 1_MiB);
}

TEST_CASE("one seed gives one workload, another seed another one, and the numbers never change") {
  WorkloadConfig config;
  config.requests = 1'000;
  config.law = AddressLaw::zipf;
  config.zipf.items = 1'000;
  config.arrivals.law = ArrivalLaw::exponential;
  config.arrivals.mean = 1_ms;
  CHECK(digest(records(config, 1)) == digest(records(config, 1)));
  CHECK(digest(records(config, 1)) != digest(records(config, 2)));
  CHECK(digest(records(config, 1)) == 0xede5f2ff84c42962ULL);
  config.law = AddressLaw::uniform;
  config.arrivals.law = ArrivalLaw::none;
  CHECK(digest(records(config, 1)) == 0x910c2e5afb182d7aULL);
}

TEST_CASE("a parameter of one part does not shift the numbers of another") {
  WorkloadConfig config;
  config.requests = 1'000;
  const auto plain = records(config);
  config.arrivals.law = ArrivalLaw::exponential;
  config.arrivals.mean = 1_ms;
  config.write_sizes = {{4096, 1}, {8192, 1}};
  const auto other = records(config);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    REQUIRE(plain[i].op == other[i].op);
    REQUIRE(plain[i].offset.value() / 65536 == other[i].offset.value() / 65536);  // but for the move down at the range's end
  }
}

TEST_CASE("parts that do not fit are refused by the name of the key") {
  WorkloadConfig config;
  CHECK(message_of(config, 2048_B).find("test: range:") == 0);
  CHECK(message_of(config, 4096_B).empty());

  config.write_sizes = {{1000, 1}};
  CHECK(message_of(config).find("test: write_sizes: a size of 1000") == 0);
  config.write_sizes = {{512, 0}};
  CHECK(message_of(config).find("test: write_sizes: a weight") == 0);
  config.write_sizes = {{8192, 1}};
  CHECK(message_of(config, 8192_B).empty());
  CHECK(message_of(config, 4096_B).find("test: range: the largest request") == 0);

  config = {};
  config.law = AddressLaw::zipf;
  config.zipf.items = 256;
  CHECK(message_of(config, 1_MiB).empty());
  config.zipf.items = 257;
  CHECK(message_of(config, 1_MiB).find("test: zipf.items: 257; the footprint has only 256") == 0);

  config = {};
  config.law = AddressLaw::hot_tracks;
  config.hot.track = 64_KiB;
  config.hot.tracks = 8;
  CHECK(message_of(config, 1536_KiB).empty());  // 24 tracks: eight hot ones, each with two cold ones
  config.hot.tracks = 9;
  CHECK(message_of(config, 1536_KiB).find("test: hot.tracks:") == 0);

  config = {};
  config.extents = 2;
  config.extent = 512_KiB;
  CHECK(message_of(config, 1_MiB).empty());
  config.extent = 516_KiB;
  CHECK(message_of(config, 1_MiB).find("test: extents:") == 0);

  config = {};
  config.law = AddressLaw::histogram;
  CHECK(message_of(config).find("test: histogram:") == 0);
  config = {};
  config.arrivals.law = ArrivalLaw::fixed;
  CHECK(message_of(config).find("test: arrivals.mean:") == 0);
  config = {};
  config.alignment = 1000_B;
  CHECK(message_of(config).find("test: alignment: 1000 B") == 0);
}

TEST_CASE("a share of the writes goes on where the write before ended, and of the reads likewise") {
  WorkloadConfig config;
  config.requests = 20'000;
  config.write_share = 0.5;
  config.write_sizes = {{8192, 1}};
  config.read_sizes = {{4096, 1}};
  config.sequential_share = 0.4;
  config.read_sequential_share = 0;
  std::uint64_t writes = 0;
  std::uint64_t going_on = 0;
  std::uint64_t reads_going_on = 0;
  Bytes written_to(0);
  Bytes read_to(0);
  for (const auto& record : records(config)) {
    if (record.op == HostOp::write) {
      ++writes;
      going_on += record.offset == written_to ? 1 : 0;
      written_to = record.end();
    } else {
      reads_going_on += record.offset == read_to ? 1 : 0;
      read_to = record.end();
    }
  }
  // One of 262,144 addresses is drawn by chance: none here. Five standard errors of 0.4.
  CHECK(static_cast<double>(going_on) == Approx(0.4 * static_cast<double>(writes)).margin(5 * std::sqrt(10'000 * 0.4 * 0.6)));
  CHECK(reads_going_on == 0);
}

TEST_CASE("no request goes on past the end of the range") {
  WorkloadConfig config;
  config.requests = 1'000;
  config.range = 1_MiB;
  config.write_share = 1;
  config.write_sizes = {{262'144, 1}};
  config.sequential_share = 1;
  for (const auto& record : records(config)) REQUIRE(record.end() <= 1_MiB);
}

TEST_CASE("what does not go to hot tracks stays in the extents") {
  WorkloadConfig config;
  config.law = AddressLaw::hot_tracks;
  config.requests = 5'000;
  config.range = 512_MiB;
  config.hot.tracks = 4;
  config.hot.share = 0.5;
  config.extents = 8;
  config.extent = 1_MiB;
  std::map<std::uint64_t, std::uint64_t> by_mebibyte;
  for (const auto& record : records(config)) ++by_mebibyte[record.offset.value() >> 20U];
  // Four tracks of 2 MiB have at most 12 whole or part mebibytes, eight extents at most 16: of 512 that the range has.
  CHECK(by_mebibyte.size() <= 28);
  CHECK(by_mebibyte.size() >= 8);
}

TEST_CASE("keys that a workload's law does not use are refused") {
  WorkloadConfig config;
  config.law = AddressLaw::sequential;
  config.extents = 8;
  config.extent = 1_MiB;
  CHECK(message_of(config).find("extents: only laws") != std::string::npos);
  WorkloadConfig gaps;
  gaps.arrivals.gaps = {{100, 5}};
  CHECK(message_of(gaps).find("arrivals.gaps: needs law table") != std::string::npos);
  gaps.arrivals.law = ArrivalLaw::table;
  CHECK(message_of(gaps).empty());
  gaps.arrivals.mean = 1_ms;
  CHECK(message_of(gaps).find("arrivals.mean") != std::string::npos);
  gaps.arrivals.mean = 0_ps;
  gaps.arrivals.burst_requests = 2;
  CHECK(message_of(gaps).find("arrivals.burst_requests") != std::string::npos);
  gaps.arrivals.burst_requests = 1;
  gaps.arrivals.gaps = {{90, 5}};
  CHECK(message_of(gaps).find("expected 100") != std::string::npos);
}
