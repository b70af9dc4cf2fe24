// One switch records every transaction at every socket of the drive.
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <systemc>

#include "module/strangers/strange_hosts.hpp"
#include "platforms/drive/drive_module.hpp"
#include "support/ftr_reader.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// A drive whose host writes, reads and asks beyond the end; its transactions.
struct Recorded final : TimelineListener {
  explicit Recorded(bool check) : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {}, "cmr")) {
    FtrWriter writer(out);
    DriveParts parts;
    parts.check_protocol = check;
    parts.transactions = &writer;
    DriveModule drive("drive", config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
    strangers::BlockingHost host("host");
    host.socket.bind(drive.block_socket());
    host.program = [&](strangers::BlockingHost& self) {
      CHECK(self.write(8192, 4096, 3) == tlm::TLM_OK_RESPONSE);
      CHECK(self.holds(8192, 4096, 3));
      CHECK(self.transport(tlm::TLM_READ_COMMAND, 1ULL << 50, out_of_range, 512) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
      now = [&drive] { drive.power_off(); };
      drive.timeline_module().post(from_sc_time(sc_core::sc_time_stamp()) + 1_ms, *this, 0);
      CHECK(self.write(1 << 30, 1 << 20, 3) == tlm::TLM_GENERIC_ERROR_RESPONSE);  // cut
    };
    drive.power_on(false, [](Status) {});
    sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_SEC));
    drive.timeline_module().rethrow_failure();
    CHECK(host.finished);
    writer.finish();
    found = test::read_ftr(out.str());
  }
  void on_time(std::uint64_t) override { now(); }

  DriveConfig config;
  std::ostringstream out;
  unsigned char out_of_range[512] = {};
  std::function<void()> now;
  std::vector<test::FtrTransaction> found;
};

}  // namespace

TEST_CASE("every socket of a drive records its transactions, the block socket of strangers too") {
  Recorded recorded(false);
  std::set<std::string> streams;
  for (const auto& transaction : recorded.found) {
    streams.insert(transaction.stream);
    CHECK(transaction.begin <= transaction.end);
    CHECK(transaction.texts.contains("response"));
  }
  for (const char* const socket :
       {"at_drive_block", "drive.at_host", "drive.at_mailbox", "drive.at_media", "drive.at_dram", "drive.at_controller"})
    CHECK(streams.contains(socket));
  const auto of = [&](const std::string& stream) {
    std::vector<test::FtrTransaction> chosen;
    std::ranges::copy_if(recorded.found, std::back_inserter(chosen), [&](const auto& one) { return one.stream == stream; });
    return chosen;
  };
  const auto block = of("at_drive_block");
  REQUIRE(block.size() == 4);
  CHECK(block[0].generator == "write");
  CHECK(block[0].numbers.at("address") == 8192);
  CHECK(block[0].numbers.at("length") == 4096);
  CHECK(block[0].texts.at("response") == "TLM_OK_RESPONSE");
  CHECK(block[1].generator == "read");
  CHECK(block[2].texts.at("response") == "TLM_ADDRESS_ERROR_RESPONSE");
  CHECK(block[3].texts.at("response") == "TLM_GENERIC_ERROR_RESPONSE");
  // The host's request is the mailbox's, within its time; the media's work for the read lies in it.
  const auto host = of("drive.at_host"), mailbox = of("drive.at_mailbox"), media = of("drive.at_media");
  REQUIRE(host.size() == 3);
  CHECK(host[1].numbers.at("request") == 1);
  REQUIRE(mailbox.size() == 2);  // the last write was still on the link
  CHECK(mailbox[1].numbers.at("request") == 1);
  CHECK(host[1].begin <= mailbox[1].begin);
  CHECK(mailbox[1].end <= host[1].end);
  CHECK(host[1].begin >= block[1].begin);
  CHECK(std::ranges::any_of(media, [&](const auto& one) {
    return one.generator == "read" && one.numbers.at("length") == 4096 && one.begin >= host[1].begin && one.end <= host[1].end;
  }));
  CHECK(host[2].texts.at("response") == "power failed");
}

TEST_CASE("transactions are recorded next to protocol checkers") { CHECK(Recorded(true).found.size() > 20); }
