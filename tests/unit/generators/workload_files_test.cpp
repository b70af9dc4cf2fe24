// The files of stimuli/workloads say where each number comes from; here they are held against those numbers.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "platforms/description/reader.hpp"
#include "platforms/description/toml_document.hpp"
#include "stimuli/generators/generator.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

WorkloadConfig load(const std::filesystem::path& name) {
  const TomlDocument document =
      TomlDocument::load(std::filesystem::path(WORKLOADS) / name.parent_path() / (name.filename().string() + ".toml"));
  CHECK_FALSE(document.summary().empty());
  WorkloadConfig config;
  DescriptionReader reader(document);
  config.describe(reader);
  reader.finish();
  return config;
}

struct Totals {
  double requests = 0;
  double writes = 0;
  double written = 0;
  double read = 0;
  std::set<std::uint64_t> starts;
};

Totals totals(WorkloadConfig config, const std::string& name, std::uint64_t requests) {
  config.requests = std::min(config.requests, requests);
  const auto source = make_generator(config, name, 1, Bytes(std::uint64_t{60} << 30));
  Totals sum;
  TraceRecord record;
  while (source->next(record)) {
    ++sum.requests;
    const bool write = record.op == HostOp::write;
    sum.writes += write ? 1 : 0;
    (write ? sum.written : sum.read) += static_cast<double>(record.size.value());
    if (write) sum.starts.insert(record.offset.value());
  }
  return sum;
}

}  // namespace

TEST_CASE("every workload file has known keys only and makes requests") {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(WORKLOADS)) {
    if (entry.is_directory()) continue;
    const std::string name = entry.path().stem().string();
    INFO(name);
    CHECK(totals(load(relative(entry.path(), WORKLOADS).replace_extension()), name, 1000).requests == 1000);
    ++files;
  }
  CHECK(files == 37);
}

TEST_CASE("web-server has the published write share and mean sizes") {
  const Totals web = totals(load("web-server"), "web-server", 100'000);
  CHECK(std::abs(web.writes / web.requests - 0.701) < 5 * std::sqrt(0.7 * 0.3 / web.requests));
  CHECK(web.written / web.writes / 512 == Approx(17.6).epsilon(0.03));  // 5 standard errors of a table with deviation 13 KiB
  CHECK(web.read / (web.requests - web.writes) / 1024 == Approx(30).epsilon(0.03));
}

TEST_CASE("SYN writes 2,400,000 blocks once, in order") {
  const auto source = make_generator(load("papers/syn"), "syn", 1, 2_GiB);
  TraceRecord record;
  Bytes expected(0);
  while (source->next(record)) {
    REQUIRE(record.op == HostOp::write);
    REQUIRE(record.offset == expected);
    expected = record.end();
  }
  CHECK(expected / Bytes(512) == 2'400'000);
}

TEST_CASE("the mu volumes have the distinct sectors and the write volume of their table") {
  const auto [name, written_gib, sectors] =
      GENERATE(table<std::string, double, double>({{"mu-rsrch_0", 4.96, 1040}, {"mu-stg_1", 3.04, 638}}));
  const Totals volume = totals(load("papers/" + name), name, ~std::uint64_t{0});
  CHECK(volume.written / 0x1p30 == Approx(written_gib).epsilon(0.005));
  CHECK(static_cast<double>(volume.starts.size()) == sectors);
}

TEST_CASE("the zone volumes have the write share, the mean size and the share of updates of their table") {
  const auto [name, write_share, updates, blocks] = GENERATE(table<std::string, double, double, double>(
      {{"zone-hm_0", 0.645, 0.927, 18.4}, {"zone-src2_2", 0.697, 0.237, 102.4}, {"zone-usr_0", 0.6, 0.915, 20.8}}));
  const Totals volume = totals(load("papers/" + name), name, 200'000);
  CHECK(volume.writes / volume.requests == Approx(write_share).margin(0.006));  // 5 standard errors
  CHECK(volume.written / volume.writes / 512 == Approx(blocks).epsilon(0.03));  // 5 standard errors of the two sizes
  CHECK(1 - static_cast<double>(volume.starts.size()) / volume.writes == Approx(updates).margin(0.007));
}
