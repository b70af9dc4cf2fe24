#pragma once
// The dm-zoned-like host one request at a time, and the commands that each sets off by name.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "stimuli/hosts/dmz_host.hpp"
#include "zoned_link.hpp"

namespace tessera::test {

inline DmzHostConfig small_dmz_host() {
  using namespace tessera::literals;
  DmzHostConfig config;
  config.copy = 64_KiB;
  config.idle_after = 100_ms;
  config.flush_every = 200_ms;
  return config;
}

/// Passes commands on and names them: "write 4:0+2" are two sectors from the start of zone 4.
class NamedCommands final : public HostLink {
 public:
  NamedCommands(HostLink& below, const DriveZones& drive) : below_(below), drive_(drive) {}
  void issue(HostRequest& request) override {
    const std::uint64_t first = request.blocks.first.value() / drive_.sector_blocks;
    const std::string zone = std::to_string(first / drive_.zone_sectors);
    const std::string run =
        zone + ":" + std::to_string(first % drive_.zone_sectors) + "+" + std::to_string(request.blocks.count / drive_.sector_blocks);
    switch (request.op) {
      case HostOp::write: names.push_back("write " + run); break;
      case HostOp::read: names.push_back("read " + run); break;
      case HostOp::flush: names.emplace_back("flush"); break;
      case HostOp::zone_reset: names.push_back("reset " + zone); break;
      default: names.emplace_back("report"); break;
    }
    below_.issue(request);
  }
  void abort(HostRequest& request) override { below_.abort(request); }

  std::vector<std::string> names;

 private:
  HostLink& below_;
  DriveZones drive_;
};

/// One request after another, each to its end and to the end of what it sets off. Zones 0 and 1 hold the metadata, 2 and 3 are random, and
/// the sequential ones begin with 4.
class Steps {
 public:
  static constexpr DriveZones drive{.zones = 12, .conventional = 4, .zone_sectors = 64, .tags = 8, .content = ContentMode::tags};
  Steps() : link(timeline, drive, 1), named(link, drive), layout(planned()), host(config(), {}, drive, layout, timeline, named) {
    link.answer = [this](HostRequest& command) { host.completed(command); };
    host.set_receiver([this](HostRequest&) { done_ = true; });
    host.application_ended();  // nothing happens for the time that passes
  }
  static DmzHostConfig config() {
    DmzHostConfig config = small_dmz_host();
    config.reserved_zones = 2;
    return config;
  }
  static DmzLayout planned() {
    std::string problem;
    DmzLayout layout = plan_dmz(config(), drive, problem);
    REQUIRE(problem.empty());
    return layout;
  }
  /// The drive's commands for it. Content of a write is its number in each block.
  std::vector<std::string> run(HostOp op, std::uint32_t chunk = 0, std::uint32_t sector = 0, std::uint32_t sectors = 0) {
    return run_blocks(op, (chunk * drive.zone_sectors + sector) * 8, sectors * 8);
  }
  std::vector<std::string> run_blocks(HostOp op, std::uint64_t first, std::uint32_t blocks) {
    begin(op, first, blocks);
    while (!done_) timeline.step();
    ended = timeline.now();
    while (!link.quiet()) timeline.step();
    return named.names;
  }
  void begin(HostOp op, std::uint64_t first = 0, std::uint32_t blocks = 0) {
    request = HostRequest();
    request.op = op;
    request.blocks = {HostBlock(first), blocks};
    request.content.resize(std::size_t{blocks} * 8, std::byte{op == HostOp::write ? ++writes_ : std::uint8_t{0}});
    request.life.begin(timeline.now());
    named.names.clear();
    done_ = false;
    host.issue(request);
  }
  void begin_write(std::uint32_t chunk, std::uint32_t sector, std::uint32_t sectors) {
    begin(HostOp::write, (chunk * drive.zone_sectors + sector) * 8, sectors * 8);
  }
  /// Cuts the power so many of the drive's answers after the begin of something, and boots; true: it had ended before.
  template <class Begin>
  bool cut_within(std::uint32_t actions, Begin begin) {
    done_ = false;
    begin();
    while (actions-- > 0 && !link.quiet()) timeline.step();
    const bool ended_before = link.quiet();
    link.cut();
    host.power_lost();
    named.names.clear();
    bool booted = false;
    host.recover([&booted](Status status) { booted = ok(status); });
    while (!booted) timeline.step();
    while (!link.quiet()) timeline.step();
    return ended_before;
  }
  std::vector<std::string> write(std::uint32_t chunk, std::uint32_t sector, std::uint32_t sectors) {
    return run(HostOp::write, chunk, sector, sectors);
  }
  /// The number of the write that a sector holds.
  int holds(std::uint32_t chunk, std::uint32_t sector) { return holds_block((chunk * drive.zone_sectors + sector) * 8); }
  int holds_block(std::uint64_t block) {
    static_cast<void>(run_blocks(HostOp::read, block, 1));
    return std::to_integer<int>(request.content.front());
  }

  Timeline timeline;
  ZonedLink link;
  NamedCommands named;
  DmzLayout layout;
  DmzHost host;
  HostRequest request;
  Picoseconds ended;

 private:
  bool done_ = false;
  std::uint8_t writes_ = 0;
};

using Names = std::vector<std::string>;

/// A flush of metadata: the changed runs to set B in zone 1, and what makes them count; then the same for set A in zone 0.
inline Names flush_of(const Names& runs) {
  Names names;
  for (const char* const set : {"1:", "0:"}) {
    for (const std::string& run : runs) names.push_back("write " + (set + run));
    names.insert(names.end(), {"flush", std::string("write ") + set + "0+1", "flush"});
  }
  return names;
}

inline Names operator+(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

/// Of the metadata: block 1 is the map, and the bitmap of zone Z block 2 + Z. Chunk 0 is in zone 5, written up to sector 11; chunk 1 in
/// zone 4 up to 6, with sector 1 in its buffer, zone 3; and chunk 2 in zone 2.
inline void reach_a_buffered_chunk(Steps& steps) {
  steps.write(1, 0, 4);
  steps.write(0, 0, 6);
  steps.write(0, 9, 2);
  steps.write(2, 5, 1);
  steps.write(1, 4, 2);
  steps.write(1, 1, 1);
  const DmzTables& tables = steps.host.tables();
  REQUIRE(tables.chunk(0).data == 5);
  REQUIRE(tables.zone(5).pointer == 11);
  REQUIRE(tables.chunk(1).data == 4);
  REQUIRE(tables.zone(4).pointer == 6);
  REQUIRE(tables.chunk(1).buffer == 3);
  REQUIRE(tables.chunk(2).data == 2);
}

}  // namespace tessera::test
