// A DRAM that waits, and several transfers in flight: the drive's own modules keep the base protocol, and where nothing waits, saying that
// it may changes nothing.
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <systemc>

#include "module/strangers/strange_dram.hpp"
#include "module/strangers/strange_loop.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;

namespace {

constexpr std::uint64_t span = std::uint64_t{1} << 30;
constexpr unsigned transfers = 1000;

/// A drive with a DRAM of somebody else's, and a host with `depth` transfers in flight.
struct Bench {
  enum class Time : std::uint8_t { waits, annotates, annotates_but_may_wait };

  Bench(const char* name, const std::string& layer, Time time, std::uint32_t depth)
      : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {"dram.capacity=64 MiB"}, layer)),
        memory((std::string(name) + "_memory").c_str(), config.dram.capacity.value()),
        host((std::string(name) + "_host").c_str(), depth, transfers, span) {
    memory.waits = time == Time::waits;
    DriveParts parts;
    parts.check_protocol = true;
    parts.dram.emplace(DramPart{memory.socket, memory.bytes, time != Time::annotates, &memory});
    drive = std::make_unique<DriveModule>(name, config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
    host.socket.bind(drive->block_socket());
    drive->power_on(false, [](Status status) { CHECK(status == Status::ok); });
  }
  void check() {
    drive->timeline_module().rethrow_failure();
    CHECK(host.answered == transfers);
    CHECK(host.failed == 0);
  }
  DriveConfig config;
  strangers::Dram memory;
  strangers::LoopHost host;
  std::unique_ptr<DriveModule> drive;
};

void run() { sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC)); }

}  // namespace

TEST_CASE("several transfers in flight over a DRAM that waits keep the base protocol") {
  Bench first("cmr_2", "cmr", Bench::Time::waits, 2);
  Bench second("imr_2", "imr-rmw", Bench::Time::waits, 2);
  Bench third("imr_8", "imr-rmw", Bench::Time::waits, 8);
  run();
  for (Bench* bench : {&first, &second, &third}) bench->check();
}

TEST_CASE("a DRAM that may wait and does not gives the times of one that never waits") {
  std::vector<std::unique_ptr<Bench>> benches;
  for (const std::string layer : {"cmr", "imr-rmw"})
    for (const std::uint32_t depth : {1, 2, 8})
      for (const auto time : {Bench::Time::annotates, Bench::Time::annotates_but_may_wait})
        benches.push_back(std::make_unique<Bench>(
            (layer.substr(0, 3) + std::to_string(depth) + (time == Bench::Time::annotates ? "_never" : "_may")).c_str(), layer, time,
            depth));
  run();
  for (std::size_t i = 0; i < benches.size(); i += 2) {
    benches[i]->check();
    benches[i + 1]->check();
    INFO(benches[i]->drive->name());
    CHECK(benches[i]->host.finished_at == benches[i + 1]->host.finished_at);
  }
}
