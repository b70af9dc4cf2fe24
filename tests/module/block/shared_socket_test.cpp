// Several hosts at one block socket: each gets its own answers, and every side keeps the base protocol.
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "module/strangers/strange_hosts.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;
using namespace tessera::literals;
using strangers::BlockingHost;
using strangers::QueueingHost;

namespace {

struct Bench {
  Bench() : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {"media.tracks=2048"}, "cmr")) {
    DriveParts parts;
    parts.check_protocol = true;
    drive = std::make_unique<DriveModule>("drive", config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
  }
  /// A checker of its own stands between host and drive.
  template <class Host>
  void attach(Host& host) {
    auto& checker = *checkers.emplace_back(std::make_unique<ProtocolCheckerModule>((std::string(host.basename()) + "_checked").c_str()));
    host.socket.bind(checker.from);
    checker.to.bind(drive->block_socket());
    host.stops = false;
  }
  void run(double seconds = 100) {
    drive->power_on(false, [](Status status) { CHECK(status == Status::ok); });
    sc_core::sc_start(sc_core::sc_time(seconds, sc_core::SC_SEC));
    drive->timeline_module().rethrow_failure();
  }
  DriveConfig config;
  std::unique_ptr<DriveModule> drive;
  std::vector<std::unique_ptr<ProtocolCheckerModule>> checkers;
};

constexpr unsigned transfers = 80;

/// Writes into every second place from `first` on, and then reads of the same.
void fill(QueueingHost& host, unsigned first, double delay_us, bool with_refusals) {
  const auto place = [first](unsigned i) { return std::uint64_t{2 * i + first} * 777 * 4096; };
  for (unsigned i = 0; i < transfers; ++i) {
    QueueingHost::Transfer transfer{tlm::TLM_WRITE_COMMAND, place(i), 512 * (1 + i % 9), i % 5 * delay_us, {}};
    for (unsigned j = 0; j < transfer.length; ++j) transfer.data.push_back(strangers::pattern(transfer.address + j, i));
    host.transfers.push_back(std::move(transfer));
    if (with_refusals && i % 7 == 0)
      host.transfers.push_back({tlm::TLM_READ_COMMAND, std::uint64_t{1} << 50, 512, 0, std::vector<unsigned char>(512)});
  }
  host.transfers.back().delay_us += 3e6;
  for (unsigned i = 0; i < transfers; ++i)
    host.transfers.push_back({tlm::TLM_READ_COMMAND, place(i), 512 * (1 + i % 9), delay_us, std::vector<unsigned char>(512 * (1 + i % 9))});
}

/// What its reads brought, and which transfers were refused.
void look_at(const QueueingHost& host) {
  REQUIRE(host.finished == host.transfers.size());
  unsigned read = 0;
  for (const auto& transfer : host.transfers) {
    if (transfer.address == std::uint64_t{1} << 50) {
      CHECK(transfer.response == tlm::TLM_ADDRESS_ERROR_RESPONSE);
      continue;
    }
    CHECK(transfer.response == tlm::TLM_OK_RESPONSE);
    if (transfer.command != tlm::TLM_READ_COMMAND) continue;
    for (unsigned j = 0; j < transfer.length; ++j)
      if (transfer.data[j] != strangers::pattern(transfer.address + j, read)) FAIL("byte " << j << " of read " << read << " is wrong");
    ++read;
  }
  CHECK(read == transfers);
}

}  // namespace

TEST_CASE("a host that blocks and two with phases share the block socket, and each gets its own answers") {
  Bench bench;
  BlockingHost blocking("blocking");
  QueueingHost queueing("queueing"), other("other");
  bench.attach(blocking);
  bench.attach(queueing);
  bench.attach(other);
  fill(queueing, 0, 3, false);
  fill(other, 1, 0, true);
  const std::uint64_t far = std::uint64_t{1} << 31;
  blocking.program = [far](BlockingHost& host) {
    for (unsigned i = 0; i < 60; ++i) CHECK(host.write(far + i * 8192, 4096, i) == tlm::TLM_OK_RESPONSE);
    CHECK(host.transport(tlm::TLM_READ_COMMAND, std::uint64_t{1} << 50, nullptr, 512) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    for (unsigned i = 0; i < 60; ++i) CHECK(host.holds(far + i * 8192, 4096, i));
  };
  bench.run();
  CHECK(blocking.finished);
  look_at(queueing);
  look_at(other);

  std::vector<unsigned char> seen(512);
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(far);
  payload.set_data_ptr(seen.data());
  payload.set_data_length(512);
  payload.set_streaming_width(512);
  const auto looks = [&](auto& host) {
    std::fill(seen.begin(), seen.end(), 0);
    CHECK(host.socket->transport_dbg(payload) == 512);
    CHECK(seen[17] == strangers::pattern(far + 17, 0));
    tlm::tlm_dmi dmi;
    CHECK_FALSE(host.socket->get_direct_mem_ptr(payload, dmi));
  };
  looks(blocking);
  looks(queueing);
}

TEST_CASE("a host alone at the block socket is served at the same times as one beside a host that is silent") {
  std::vector<sc_core::sc_time> answered[2];
  Bench alone;
  auto shared_drive = std::make_unique<DriveModule>("shared", alone.config, plan_drive(alone.config), ContentMode::bytes, 1);
  QueueingHost one("one"), two("two");
  BlockingHost silent("silent");
  alone.attach(one);
  two.stops = silent.stops = false;
  two.socket.bind(shared_drive->block_socket());
  silent.socket.bind(shared_drive->block_socket());
  silent.program = [](BlockingHost&) {};
  fill(one, 0, 3, true);
  fill(two, 0, 3, true);
  shared_drive->power_on(false, [](Status) {});
  alone.run();
  for (std::size_t i = 0; i < one.transfers.size(); ++i) CHECK(one.transfers[i].answered == two.transfers[i].answered);
  look_at(one);
  look_at(two);
}

TEST_CASE("a power cut answers the hosts of a shared block socket with errors, and they are served again after it") {
  Bench bench;
  QueueingHost queueing("queueing"), other("other");
  BlockingHost blocking("blocking");
  bench.attach(queueing);
  bench.attach(other);
  bench.attach(blocking);
  for (QueueingHost* host : {&queueing, &other})
    for (unsigned i = 0; i < 64; ++i)
      host->transfers.push_back({tlm::TLM_WRITE_COMMAND, std::uint64_t{i} * (1 << 21), 65'536, 0, std::vector<unsigned char>(65'536, 1)});
  struct Cut final : TimelineListener {
    Bench& bench;
    explicit Cut(Bench& of) : bench(of) {}
    void on_time(std::uint64_t again) override {
      again == 0 ? static_cast<void>(bench.drive->power_off())
                 : bench.drive->power_on(true, [](Status status) { CHECK(status == Status::ok); });
    }
  } cut(bench);
  blocking.program = [&](BlockingHost& host) {
    bench.drive->timeline_module().post(20_ms, cut, 0);
    bench.drive->timeline_module().post(1_s, cut, 1);
    CHECK(host.write(0, 4096, 1) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    sc_core::wait(2, sc_core::SC_SEC);
    CHECK(host.write(1 << 20, 4096, 2) == tlm::TLM_OK_RESPONSE);
    CHECK(host.holds(1 << 20, 4096, 2));
  };
  bench.run();
  CHECK(blocking.finished);
  unsigned lost = 0;
  for (const QueueingHost* host : {&queueing, &other}) {
    CHECK(host->finished == host->transfers.size());
    for (const auto& transfer : host->transfers) lost += transfer.response == tlm::TLM_GENERIC_ERROR_RESPONSE ? 1 : 0;
  }
  CHECK(lost > 20);
}

TEST_CASE("a block socket that was asked for and has no host is named before the simulation starts") {
  Bench bench;
  static_cast<void>(bench.drive->block_socket());
  CHECK_THROWS_WITH(bench.run(), Catch::Contains("drive_hosts.from") && Catch::Contains("not bound"));
}
