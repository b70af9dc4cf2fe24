// Debug writes at the block socket of a drive at work: what later reads, writes, trims and power cuts make of them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "base/random.hpp"
#include "host/debug_writes.hpp"
#include "module/strangers/strange_hosts.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;

namespace {

unsigned debug(strangers::BlockingHost& host, tlm::tlm_command command, std::uint64_t at, std::vector<unsigned char>& data) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(at);
  payload.set_data_ptr(data.data());
  payload.set_data_length(static_cast<unsigned>(data.size()));
  return host.socket->transport_dbg(payload);
}

int refused() { return sc_core::sc_report_handler::get_count(debug_write_report); }

tlm::tlm_response_status command(strangers::BlockingHost& host, BlockExtension::Op op, std::uint64_t at, unsigned length) {
  tlm::tlm_generic_payload payload;
  BlockExtension extension;
  extension.op = op;
  payload.set_extension(&extension);
  payload.set_command(tlm::TLM_IGNORE_COMMAND);
  payload.set_address(at);
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  sc_core::sc_time delay;
  host.socket->b_transport(payload, delay);
  payload.clear_extension(&extension);
  return payload.get_response_status();
}

struct Bench {
  explicit Bench(const std::string& layer, const std::string& description = "bare")
      : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / (description + ".toml"), settings(description), layer)),
        drive("drive", config, plan_drive(config), ContentMode::bytes, 1) {
    host.socket.bind(drive.block_socket());
  }
  /// A write cache loses what is not flushed.
  static std::vector<std::string> settings(const std::string& description) {
    return description == "common" ? std::vector<std::string>{"firmware.write_cache.durability=volatile"} : std::vector<std::string>{};
  }
  void run(std::function<void(strangers::BlockingHost&)> program) {
    host.program = std::move(program);
    drive.power_on(false, [](Status status) { CHECK(status == Status::ok); });
    sc_core::sc_start(sc_core::sc_time(3000, sc_core::SC_SEC));
    drive.timeline_module().rethrow_failure();
    CHECK(host.finished);
  }
  /// From now on, in the program: the power fails, and comes back.
  void cut() {
    struct Cut final : TimelineListener {
      Bench& bench;
      explicit Cut(Bench& of) : bench(of) {}
      void on_time(std::uint64_t again) override {
        if (again != 0)
          bench.drive.power_on(true, [](Status status) { CHECK(status == Status::ok); });
        else
          bench.drive.power_off();
      }
    } cut(*this);
    const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
    drive.timeline_module().post(now + Picoseconds(1'000), cut, 0);
    drive.timeline_module().post(now + Picoseconds(1'000) + drive.restart_delay(), cut, 1);
    sc_core::wait(to_sc_time(drive.restart_delay() + Picoseconds(1'000'000)));
  }
  DriveConfig config;
  DriveModule drive;
  strangers::BlockingHost host{"host"};
};

std::vector<unsigned char> pattern_of(std::uint64_t at, unsigned length, unsigned salt) {
  std::vector<unsigned char> data(length);
  for (unsigned i = 0; i < length; ++i) data[i] = strangers::pattern(at + i, salt);
  return data;
}

/// Random writes, debug writes, trims, reads and power cuts, each read looked at block by block: it gives what the last acknowledged
/// write or debug write left, or, behind a power cut, what an older one did that nothing flushed since; never what was there before a debug
/// write. What is trimmed reads as zeros or as it was.
void lives_with_debug_writes(const std::string& layer, const std::string& description) {
  constexpr std::uint64_t first = 8192, blocks = 64;
  Bench bench(layer, description);
  bench.run([&](strangers::BlockingHost& self) {
    RandomStream random(7, "debug writes");
    std::vector<std::vector<int>> allowed(blocks, {0});  // salts, 0: zeros; the last is the newest
    std::vector<bool> trimmed(blocks, false);            // since it was written last
    const auto holds = [](const unsigned char* data, std::uint64_t at, int salt) {
      for (unsigned i = 0; i < 512; ++i)
        if (data[i] != (salt == 0 ? 0 : strangers::pattern(at + i, static_cast<unsigned>(salt)))) return false;
      return true;
    };
    for (int salt = 1; salt < 160; ++salt) {
      const std::uint64_t block = random.below(blocks), count = 1 + random.below(std::min<std::uint64_t>(blocks - block, 12));
      const std::uint64_t at = (first + block) * 512;
      const auto length = static_cast<unsigned>(count * 512);
      const std::uint64_t what = random.below(20);
      if (what < 7) {
        CHECK(self.write(at, length, static_cast<unsigned>(salt)) == tlm::TLM_OK_RESPONSE);
        for (std::uint64_t i = block; i < block + count; ++i) {
          if (trimmed[i]) allowed[i].push_back(0);
          allowed[i].push_back(salt);
          trimmed[i] = false;
        }
      } else if (what < 13) {
        auto data = pattern_of(at, length, static_cast<unsigned>(salt));
        CHECK(debug(self, tlm::TLM_WRITE_COMMAND, at, data) == length);
        for (std::uint64_t i = block; i < block + count; ++i) {
          allowed[i] = {salt};
          trimmed[i] = false;
        }
      } else if (what < 14) {
        const std::uint64_t sector = block / 8 * 8;  // a part of a sector is left as it is
        CHECK(command(self, BlockExtension::Op::trim, (first + sector) * 512, 4096) == tlm::TLM_OK_RESPONSE);
        for (std::uint64_t i = sector; i < sector + 8; ++i) trimmed[i] = true;
      } else if (what < 15) {
        CHECK(command(self, BlockExtension::Op::flush, 0, 0) == tlm::TLM_OK_RESPONSE);
        for (auto& salts : allowed) salts = {salts.back()};
      } else if (what < 16) {
        bench.cut();
        std::vector<unsigned char> data(blocks * 512);
        CHECK(self.transport(tlm::TLM_READ_COMMAND, first * 512, data.data(), blocks * 512) == tlm::TLM_OK_RESPONSE);
        for (std::uint64_t i = 0; i < blocks; ++i) {
          if (trimmed[i]) allowed[i].push_back(0);
          const auto found =
              std::ranges::find_if(allowed[i], [&](int one) { return holds(data.data() + i * 512, (first + i) * 512, one); });
          INFO("block " << i << " after a cut, in step " << salt);
          REQUIRE(found != allowed[i].end());
          allowed[i] = {*found};
        }
      } else {
        std::vector<unsigned char> data(length), at_once(length);
        CHECK(self.transport(tlm::TLM_READ_COMMAND, at, data.data(), length) == tlm::TLM_OK_RESPONSE);
        CHECK(debug(self, tlm::TLM_READ_COMMAND, at, at_once) == length);
        CHECK(at_once == data);
        for (std::uint64_t i = block; i < block + count; ++i) {
          INFO("block " << i << " in step " << salt);
          const auto reads_as = [&](int one) { return holds(data.data() + (i - block) * 512, (first + i) * 512, one); };
          REQUIRE((reads_as(allowed[i].back()) || (trimmed[i] && reads_as(0))));
        }
      }
    }
  });
  CHECK(refused() == 0);
}

}  // namespace

TEST_CASE("debug writes at any instant: a conventional drive") { lives_with_debug_writes("cmr", "bare"); }
TEST_CASE("debug writes at any instant: interlaced tracks in place") { lives_with_debug_writes("imr-rmw", "bare"); }
TEST_CASE("debug writes at any instant: a drive with a volatile write cache") { lives_with_debug_writes("imr-rmw", "common"); }
TEST_CASE("debug writes at any instant: a media cache behind a write cache") { lives_with_debug_writes("media-cache", "common"); }
TEST_CASE("debug writes at any instant: a flash cache over shingled bands") { lives_with_debug_writes("mu-rmw", "bare"); }
TEST_CASE("debug writes at any instant: flash, a log and shingled bands") { lives_with_debug_writes("tessera", "common"); }

TEST_CASE("a power cut that takes an unflushed write leaves the debug write under it") {
  Bench bench("imr-rmw", "common");
  bench.run([&](strangers::BlockingHost& self) {
    auto data = pattern_of(65'536, 8192, 3);
    CHECK(self.write(65'536, 8192, 1) == tlm::TLM_OK_RESPONSE);
    CHECK(command(self, BlockExtension::Op::flush, 0, 0) == tlm::TLM_OK_RESPONSE);
    CHECK(debug(self, tlm::TLM_WRITE_COMMAND, 65'536, data) == 8192);
    CHECK(self.holds(65'536, 8192, 3));
    CHECK(self.write(65'536, 4096, 2) == tlm::TLM_OK_RESPONSE);
    bench.cut();
    CHECK(self.holds(65'536, 8192, 3));
    CHECK(self.write(65'536, 4096, 4) == tlm::TLM_OK_RESPONSE);
    CHECK(command(self, BlockExtension::Op::flush, 0, 0) == tlm::TLM_OK_RESPONSE);
    bench.cut();
    CHECK(self.holds(65'536, 4096, 4));
    CHECK(self.holds(65'536 + 4096, 4096, 3));
  });
}

TEST_CASE("a debug write of what is under way, of a drive without power or beyond its end is refused by name") {
  Bench bench("cmr");
  bench.run([&](strangers::BlockingHost& self) {
    auto data = pattern_of(0, 4096, 1);
    sc_core::sc_event sent;
    unsigned ended_after = 1;
    int count = -1;
    sc_core::sc_spawn([&] {
      sc_core::wait(sent);
      ended_after = debug(self, tlm::TLM_WRITE_COMMAND, 65'536 - 1024, data);
      count = refused();
    });
    sc_core::wait(sc_core::SC_ZERO_TIME);
    sent.notify(1, sc_core::SC_NS);
    CHECK(self.write(65'536, 4096, 2) == tlm::TLM_OK_RESPONSE);
    CHECK(ended_after == 1024);  // what lies before the transfer
    CHECK(count == 1);
    CHECK(self.holds(65'536, 4096, 2));
    const std::uint64_t end = bench.drive.capacity().value();
    CHECK(debug(self, tlm::TLM_WRITE_COMMAND, end - 512, data) == 512);
    CHECK(refused() == 2);
    CHECK(debug(self, tlm::TLM_WRITE_COMMAND, 65'536, data) == 4096);
    CHECK(refused() == 2);
    bench.drive.timeline_module().catch_up();
    bench.drive.power_off();
    CHECK(debug(self, tlm::TLM_WRITE_COMMAND, 0, data) == 0);
    CHECK(refused() == 3);
  });
}

TEST_CASE("a host's write of the bytes that were there before a debug write is what is read") {
  DebugWrites writes;
  const DebugWrites::Block zeros{};
  DebugWrites::Block ones;
  ones.fill(std::byte{1});
  writes.put(HostBlock(5), zeros, ones);
  DebugWrites::Block seen = zeros;
  writes.read(HostBlock(5), seen);
  CHECK(seen == ones);
  writes.sent(HostBlock(5));
  writes.acknowledged(HostBlock(5), zeros);
  seen = zeros;
  writes.read(HostBlock(5), seen);
  CHECK(seen == zeros);
  CHECK(writes.empty());
}
