// Workloads of fio's zonemode=zbd, against a model of zones that refuses what a drive would.
#include <catch2/catch.hpp>
#include <map>

#include "base/error.hpp"
#include "stimuli/generators/generator.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr std::uint64_t zone_bytes = 1 << 20, zone_blocks = zone_bytes / host_block_bytes;

/// Two conventional zones and six others, of which `full` are full at the start and one is half written.
std::vector<ZoneDescriptor> eight_zones(std::uint32_t full) {
  std::vector<ZoneDescriptor> zones;
  for (std::uint64_t i = 0; i < 8; ++i) {
    ZoneDescriptor zone{ZoneType::sequential_write_required, ZoneCondition::empty, HostBlock(i * zone_blocks), zone_blocks,
                        HostBlock(i * zone_blocks)};
    if (i < 2) zone = {ZoneType::conventional, ZoneCondition::not_write_pointer, zone.start, zone_blocks, zone.start};
    if (i >= 2 && i < 2 + full) zone.condition = ZoneCondition::full;
    if (i == 7) {
      zone.condition = ZoneCondition::closed;
      zone.pointer = HostBlock(i * zone_blocks + zone_blocks / 2);
    }
    zones.push_back(zone);
  }
  return zones;
}

WorkloadZones on(std::uint32_t full = 0) {
  return {Bytes(zone_bytes), Bytes(4096), [full] { return eight_zones(full); }};
}

WorkloadConfig zbd(AddressLaw law, double write_share) {
  WorkloadConfig config;
  config.law = law;
  config.zonemode = ZoneMode::zbd;
  config.requests = 20'000;
  config.write_share = write_share;
  config.write_sizes = {{4096, 1}, {65'536, 1}};
  return config;
}

struct Played {
  std::uint64_t requests = 0, resets = 0, writes = 0, reads = 0, wrong = 0;
  std::size_t most_open = 0;
  std::map<std::uint64_t, std::uint64_t> pointers;  // by zone
};

/// Counts what a drive would refuse, and reads of what is not written.
Played play(const WorkloadConfig& config, std::uint32_t full = 0, std::uint64_t seed = 1) {
  Played played;
  for (const ZoneDescriptor& zone : eight_zones(full)) {
    const bool whole = zone.condition == ZoneCondition::full;
    played.pointers[zone.start.value() / zone_blocks] = whole ? zone_bytes : (zone.pointer - zone.start) * host_block_bytes;
  }
  std::map<std::uint64_t, bool> open;
  const auto source = make_generator(config, "test", seed, Bytes(8 * zone_bytes), on(full));
  for (TraceRecord record; source->next(record);) {
    const std::uint64_t zone = record.offset.value() / zone_bytes, at = record.offset.value() % zone_bytes;
    std::uint64_t& pointer = played.pointers[zone];
    played.requests += record.op == HostOp::zone_reset ? 0 : 1;
    if (record.op == HostOp::zone_reset) {
      ++played.resets;
      played.wrong += zone < 2 || at != 0 || pointer == 0 ? 1 : 0;
      pointer = 0;
      continue;
    }
    if (at + record.size.value() > zone_bytes || record.size == Bytes(0)) ++played.wrong;
    if (record.op == HostOp::read) {
      ++played.reads;
      if (zone >= 2 && !config.zbd.read_beyond_wp && at + record.size.value() > pointer) ++played.wrong;
      continue;
    }
    ++played.writes;
    if (zone < 2) continue;
    played.wrong += at != pointer || record.size.value() % 4096 != 0 ? 1 : 0;
    pointer = at + record.size.value();
    open[zone] = true;
    if (pointer == zone_bytes) open.erase(zone);
    played.most_open = std::max(played.most_open, open.size());
  }
  return played;
}

std::string refusal(const WorkloadConfig& config, const WorkloadZones& zones = on()) {
  try {
    const auto source = make_generator(config, "test", 1, Bytes(8 * zone_bytes), zones);
    TraceRecord record;
    while (source->next(record)) {
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("zonemode zbd: writes are at write pointers, reads of what is written, a full zone is reset before it is written") {
  for (const AddressLaw law : {AddressLaw::uniform, AddressLaw::sequential, AddressLaw::zipf}) {
    for (const std::uint32_t full : {0U, 5U}) {
      CAPTURE(static_cast<int>(law), full);
      const Played played = play(zbd(law, 0.6), full);
      CHECK(played.wrong == 0);
      CHECK(played.requests == 20'000);
      CHECK(played.resets > 50);
      CHECK(played.writes > 11'000);
      CHECK(played.reads > 7'000);
    }
  }
}

TEST_CASE("zonemode zbd: no more zones are written at once than max_open_zones") {
  auto config = zbd(AddressLaw::uniform, 1);
  CHECK(play(config).most_open == 6);
  for (const std::uint32_t most : {1U, 3U}) {
    config.zbd.max_open_zones = most;
    const Played played = play(config);
    CHECK(played.most_open == most);
    CHECK(played.wrong == 0);
  }
}

TEST_CASE("zonemode zbd: above the threshold one write in so many resets its zone") {
  auto config = zbd(AddressLaw::uniform, 1);
  const std::uint64_t full_ones = play(config).resets;
  config.zbd.zone_reset_frequency = 0.1;
  config.zbd.zone_reset_threshold = 0;
  const Played often = play(config);
  CHECK(often.resets > full_ones);
  CHECK(often.resets <= 2'000);
  CHECK(often.wrong == 0);
  config.zbd.zone_reset_threshold = 1;
  CHECK(play(config).resets < often.resets);
}

TEST_CASE("zonemode zbd: reads beyond write pointers only where the workload says so") {
  auto config = zbd(AddressLaw::uniform, 0);
  CHECK(play(config).wrong == 0);
  config.zbd.read_beyond_wp = true;
  const Played beyond = play(config);
  CHECK(beyond.reads == 20'000);
  CHECK(beyond.wrong == 0);
}

TEST_CASE("zonemode zbd: the same seed gives the same requests") {
  const auto config = zbd(AddressLaw::uniform, 0.5);
  CHECK(play(config).pointers == play(config).pointers);
  CHECK(play(config).pointers != play(config, 0, 2).pointers);
}

TEST_CASE("zonemode zbd: what does not fit the drive is refused in one sentence") {
  auto config = zbd(AddressLaw::uniform, 1);
  CHECK(refusal(config, {}) == "test: zonemode: zbd writes the zones of a drive; expected a run with --layer zoned");
  config.zbd.zonesize = 2_MiB;
  CHECK(refusal(config) == "test: zbd.zonesize: 2097152 B; expected 0, or the drive's 1048576 B");
  config.zbd.zonesize = 1_MiB;
  CHECK(refusal(config).empty());
  config.write_sizes = {{512, 1}};
  CHECK(refusal(config) == "test: write_sizes: 512 B; zones take whole sectors of 4096 B");
  config.write_sizes = {{4096, 1}};
  config.first = Bytes(zone_bytes / 2);
  config.range = Bytes(zone_bytes);
  CHECK_THAT(refusal(config), Catch::Contains("range: it holds no whole zone"));
  WorkloadConfig plain;
  plain.zbd.max_open_zones = 4;
  CHECK(refusal(plain) == "test: zbd: its settings need zonemode = \"zbd\"");
}

TEST_CASE("zonemode zbd: a workload that only reads needs data") {
  auto config = zbd(AddressLaw::uniform, 0);
  config.first = Bytes(2 * zone_bytes);
  config.range = Bytes(4 * zone_bytes);
  CHECK_THAT(refusal(config), Catch::Contains("no zone holds data to read"));
}
