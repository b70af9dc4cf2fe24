// The extents of the drive's engines as bursts to a DRAM that asks for them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <systemc>

#include "base/error.hpp"
#include "module/strangers/strange_hosts.hpp"
#include "module/strangers/strange_loop.hpp"
#include "module/strangers/strange_simulator.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;
using strangers::BankedDram;
using strangers::InstantDram;

namespace {

constexpr std::uint64_t span = std::uint64_t{1} << 30;

DriveConfig config_of(const std::string& layer) {
  return load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {"dram.capacity=128 MiB"}, layer);
}

/// A drive with this DRAM.
template <class Dram>
struct Drive {
  Drive(const std::string& name, const std::string& layer, BurstShape bursts, bool waits = false, bool check = true)
      : config(config_of(layer)), dram((name + "_dram").c_str(), config.dram.capacity.value()) {
    if constexpr (requires { dram.sees_completion; }) dram.sees_completion = true;
    DriveParts parts;
    parts.check_protocol = check;
    parts.dram.emplace(DramPart{socket(), dram.storage.bytes, waits, &dram, nullptr, nullptr, bursts});
    module = std::make_unique<DriveModule>(name.c_str(), config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
  }
  PartSocket& socket() {
    if constexpr (requires { dram.tSocket; })
      return dram.tSocket;
    else
      return dram.socket;
  }
  void power_on(bool again = false) {
    module->power_on(again, [](Status status) { CHECK(status == Status::ok); });
  }
  [[nodiscard]] double metric(const std::string& name) const {
    MetricSet metrics;
    module->report(metrics, from_sc_time(sc_core::sc_time_stamp()));
    for (const Metric& metric : metrics.all())
      if (metric.name == name) return metric.value.value();
    FAIL("no metric " << name);
    return 0;
  }
  DriveConfig config;
  Dram dram;
  std::unique_ptr<DriveModule> module;
};

/// With a host in front that keeps `depth` transfers in flight.
template <class Dram>
struct Loaded : Drive<Dram> {
  Loaded(const std::string& name, const std::string& layer, BurstShape bursts, unsigned depth, unsigned transfers = 300, bool waits = false)
      : Drive<Dram>(name, layer, bursts, waits), host((name + "_host").c_str(), depth, transfers, span), total(transfers) {
    host.socket.bind(this->module->block_socket());
    this->power_on();
  }
  void check() {
    INFO(this->module->name());
    this->module->timeline_module().rethrow_failure();
    CHECK(host.answered == total);
    CHECK(host.failed == 0);
    CHECK(this->dram.storage.refused == 0);
  }
  strangers::LoopHost host;
  unsigned total;
};

void run() { sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC)); }

constexpr BurstShape four_lines{Bytes(64), 4};

/// Writes of all sizes and their reads, in crossing order, each byte looked at.
void load(strangers::QueueingHost& host) {
  for (unsigned i = 0; i < 60; ++i) {
    strangers::QueueingHost::Transfer transfer{
        tlm::TLM_WRITE_COMMAND, std::uint64_t{i} * 777 * 512, 512 * (1 + i * 7 % 150), (i * 7 % 5) * 3.0, {}};
    for (unsigned j = 0; j < transfer.length; ++j) transfer.data.push_back(strangers::pattern(transfer.address + j, i));
    host.transfers.push_back(transfer);
  }
  for (unsigned i = 0; i < 60; ++i) {
    const auto& written = host.transfers[i];
    host.transfers.push_back(
        {tlm::TLM_READ_COMMAND, written.address, written.length, 900'000.0, std::vector<unsigned char>(written.length)});
  }
}

void check_data(const strangers::QueueingHost& host) {
  REQUIRE(host.finished == 120);
  for (unsigned i = 0; i < 120; ++i) {
    const auto& transfer = host.transfers[i];
    CHECK(transfer.response == tlm::TLM_OK_RESPONSE);
    for (unsigned j = 0; j < transfer.length && i >= 60; ++j)
      if (transfer.data[j] != strangers::pattern(transfer.address + j, i - 60)) FAIL("byte " << j << " of read " << i - 60 << " is wrong");
  }
}

}  // namespace

TEST_CASE("engines of host, disk and flash are under way side by side, by the base protocol, and every byte is right") {
  Drive<BankedDram> drive("drive", "mu-rmw", four_lines);
  drive.dram.slow = sc_core::sc_time(3, sc_core::SC_US);
  drive.dram.fast = sc_core::sc_time(1, sc_core::SC_US);
  drive.dram.room = 6;
  strangers::QueueingHost host("host");
  host.socket.bind(drive.module->block_socket());
  load(host);
  drive.power_on();
  run();
  drive.module->timeline_module().rethrow_failure();
  check_data(host);
  CHECK(drive.dram.most_under_way > four_lines.under_way);  // of several engines
  CHECK(drive.dram.held_back > 0);
  CHECK(drive.dram.out_of_order > 0);
  CHECK(drive.metric("traffic.engines.peak") >= 2);
  CHECK(drive.metric("traffic.under_way.peak") > four_lines.under_way);
  CHECK(drive.metric("traffic.bursts") == drive.dram.bursts);
}

TEST_CASE("an engine has no more under way than it may, and several at host queue depth 2") {
  Loaded<BankedDram> one("one", "cmr", {Bytes(64), 1}, 2), four("four", "cmr", four_lines, 2);
  for (auto* drive : {&one, &four}) {
    drive->dram.slow = drive->dram.fast = sc_core::sc_time(2, sc_core::SC_US);
    drive->dram.room = 100;
  }
  run();
  one.check();
  four.check();
  CHECK(one.dram.most_under_way == one.metric("traffic.engines.peak"));
  CHECK(one.dram.most_under_way == 2);  // host and disk
  CHECK(four.dram.most_under_way > 4);
  CHECK(four.dram.most_under_way <= 8);
  CHECK(four.host.finished_at < one.host.finished_at);
}

TEST_CASE("a DRAM that takes no time gives the same instants with bursts as without, however it answers") {
  std::vector<std::unique_ptr<Loaded<InstantDram>>> drives;
  for (const std::string layer : {"cmr", "imr-rmw", "mu-rmw"})
    for (const unsigned depth : {1, 2, 8})
      for (unsigned way = 0; way < 5; ++way) {
        const BurstShape bursts = way == 4 ? BurstShape{} : BurstShape{Bytes(64), 1 + way * 3};
        drives.push_back(std::make_unique<Loaded<InstantDram>>(layer.substr(0, 2) + std::to_string(depth) + "_" + std::to_string(way),
                                                               layer, bursts, depth, 150));
        drives.back()->dram.way = static_cast<InstantDram::Way>(way % 4);
      }
  run();
  for (const auto& drive : drives) drive->module->timeline_module().rethrow_failure();
  for (std::size_t i = 0; i < drives.size(); i += 5) {
    CHECK(drives[i + 4]->dram.bursts == 0);
    for (std::size_t way = 0; way < 5; ++way) {
      drives[i + way]->check();
      INFO(drives[i + way]->module->name());
      CHECK(drives[i + way]->host.finished_at == drives[i + 4]->host.finished_at);
      CHECK((way == 4 || drives[i + way]->dram.bursts > 0));
    }
  }
}

TEST_CASE("a DRAM that waits for single accesses and takes bursts besides is served by the base protocol") {
  Loaded<BankedDram> drive("drive", "imr-rmw", four_lines, 4, 200, true);
  drive.dram.single = sc_core::sc_time(45, sc_core::SC_NS);
  run();
  drive.check();
  CHECK(drive.dram.singles > 0);
  CHECK(drive.dram.bursts > 0);
}

TEST_CASE("the slower the DRAM, the later its bursts are done, and one that is slower than the platters binds the drive") {
  std::vector<std::unique_ptr<Loaded<BankedDram>>> drives;
  for (const int nanoseconds : {1, 40, 400, 4000, 400'000}) {
    drives.push_back(std::make_unique<Loaded<BankedDram>>("of_" + std::to_string(nanoseconds) + "_ns", "cmr", BurstShape{Bytes(64), 8}, 8));
    drives.back()->dram.slow = drives.back()->dram.fast = sc_core::sc_time(nanoseconds, sc_core::SC_NS);
    drives.back()->dram.room = 16;
  }
  Loaded<InstantDram> instant("instant", "cmr", {Bytes(64), 8}, 8);
  run();
  instant.check();
  for (const auto& drive : drives) drive->check();
  const double least = instant.host.finished_at.to_seconds();
  const auto slower = [&](std::size_t i) { return drives[i]->host.finished_at.to_seconds() / least; };
  CHECK(slower(0) == Approx(1).margin(0.01));
  CHECK(slower(1) == Approx(1).margin(0.02));  // 12.8 GB/s
  CHECK(slower(3) > slower(1));
  CHECK(drives[0]->metric("disk_channel.missed_turns") == 0);
  CHECK(drives[4]->metric("disk_channel.missed_turns") > 0);
  CHECK(slower(4) > 1.5);  // 1.28 MB/s
}

TEST_CASE("the disk's engine keeps the pace of the head, and the host's data goes out behind its last burst") {
  constexpr unsigned length = 65'536;
  Drive<BankedDram> slow("slow", "cmr", {Bytes(64), 8});
  Drive<InstantDram> instant("instant", "cmr", {Bytes(64), 8});
  slow.dram.slow = slow.dram.fast = sc_core::sc_time(1, sc_core::SC_US);
  slow.dram.room = 100;
  strangers::BlockingHost host("host"), other("other");
  const auto time_read = [](sc_core::sc_time& taken) {
    return [&taken](strangers::BlockingHost& self) {
      sc_core::wait(1, sc_core::SC_SEC);
      std::vector<unsigned char> data(length);
      const sc_core::sc_time began = sc_core::sc_time_stamp();
      CHECK(self.transport(tlm::TLM_READ_COMMAND, 1 << 20, data.data(), length) == tlm::TLM_OK_RESPONSE);
      taken = sc_core::sc_time_stamp() - began;
    };
  };
  sc_core::sc_time slowly, instantly;
  host.program = time_read(slowly);
  other.program = time_read(instantly);
  host.stops = other.stops = false;
  host.socket.bind(slow.module->block_socket());
  other.socket.bind(instant.module->block_socket());
  slow.power_on();
  instant.power_on();
  sc_core::sc_start(sc_core::sc_time(0.9, sc_core::SC_SEC));
  slow.dram.first_write = sc_core::SC_ZERO_TIME;  // those of the boot
  sc_core::sc_start(sc_core::sc_time(0.5, sc_core::SC_SEC));
  slow.module->timeline_module().rethrow_failure();
  instant.module->timeline_module().rethrow_failure();
  REQUIRE(host.finished);
  REQUIRE(other.finished);
  const double passing = 0.2e-3;  // at less than 330 MB/s
  CHECK((slow.dram.last_write - slow.dram.first_write).to_seconds() > passing);
  // 1024 bursts to the host, eight at a time.
  CHECK((slowly - instantly).to_seconds() > 0.99 * length / 64 / 8 * 1e-6);
  CHECK((slowly - instantly).to_seconds() < 1.5 * length / 64 / 8 * 1e-6);
}

TEST_CASE("power cuts amid bursts forget them, late answers are dropped, and what was acknowledged is there") {
  Drive<BankedDram> drive("drive", "imr-rmw", four_lines);
  drive.dram.slow = sc_core::sc_time(9, sc_core::SC_US);
  drive.dram.fast = sc_core::sc_time(4, sc_core::SC_US);
  struct Cut final : TimelineListener {
    Drive<BankedDram>& drive;
    explicit Cut(Drive<BankedDram>& of) : drive(of) {}
    void on_time(std::uint64_t again) override { again != 0 ? drive.power_on(true) : static_cast<void>(drive.module->power_off()); }
  } cut(drive);
  strangers::BlockingHost host("host");
  host.socket.bind(drive.module->block_socket());
  unsigned written = 0;
  host.program = [&](strangers::BlockingHost& self) {
    for (unsigned round = 0; round < 10; ++round) {
      const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
      drive.module->timeline_module().post(now + Picoseconds(1'000'000'000) + Picoseconds(37'123'456'789) * round, cut, 0);
      drive.module->timeline_module().post(now + Picoseconds(2 * ps_per_second), cut, 1);
      while (self.write(written * 1237 * 4096ULL, 32'768, written) == tlm::TLM_OK_RESPONSE) ++written;
      sc_core::wait(to_sc_time(now + Picoseconds(3 * ps_per_second)) - sc_core::sc_time_stamp());
      for (unsigned i = 0; i < written; i += 3) CHECK(self.holds(i * 1237 * 4096ULL, 32'768, i));
    }
  };
  drive.power_on();
  run();
  drive.module->timeline_module().rethrow_failure();
  CHECK(host.finished);
  CHECK(written >= 10);
}

TEST_CASE("a firmware that is restarted amid bursts serves again") {
  Drive<BankedDram> drive("drive", "imr-rmw", four_lines);
  drive.dram.slow = sc_core::sc_time(9, sc_core::SC_US);
  drive.dram.fast = sc_core::sc_time(4, sc_core::SC_US);
  unsigned restarts = 0;
  struct Restart final : TimelineListener {
    Drive<BankedDram>& drive;
    unsigned& restarts;
    Restart(Drive<BankedDram>& of, unsigned& count) : drive(of), restarts(count) {}
    void on_time(std::uint64_t again) override {
      if (again != 0) return drive.power_on(true);
      drive.module->restart_firmware([this] {
        ++restarts;
        drive.module->timeline().post(drive.module->timeline().now() + drive.module->restart_time(), *this, 1);
      });
    }
  } restart(drive, restarts);
  strangers::BlockingHost host("host");
  host.socket.bind(drive.module->block_socket());
  unsigned written = 0;
  host.program = [&](strangers::BlockingHost& self) {
    sc_core::wait(1, sc_core::SC_SEC);  // until it has booted for the first time
    for (unsigned round = 0; round < 10; ++round) {
      const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
      drive.module->timeline_module().post(now + Picoseconds(50'000'000'000) + Picoseconds(37'123'456'789) * round, restart, 0);
      while (self.write(written * 1237 * 4096ULL, 32'768, written) == tlm::TLM_OK_RESPONSE) ++written;
      sc_core::wait(to_sc_time(now + Picoseconds(3 * ps_per_second)) - sc_core::sc_time_stamp());
      for (unsigned i = 0; i < written; i += 3) CHECK(self.holds(i * 1237 * 4096ULL, 32'768, i));
    }
  };
  drive.power_on();
  run();
  drive.module->timeline_module().rethrow_failure();
  CHECK(host.finished);
  CHECK(restarts == 10);
  CHECK(written >= 10);
}

TEST_CASE("a burst that cannot be is refused in a sentence") {
  CHECK_THROWS_WITH(Drive<InstantDram>("drive", "cmr", {Bytes(48), 8}),
                    "DramPart::bursts.burst is 48 B; expected a power of two from 8 to 4096, such as 64");
  CHECK_THROWS_AS(Drive<InstantDram>("other", "cmr", {Bytes(64), 0}), InputError);
}
