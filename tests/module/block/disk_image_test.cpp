// Images of a disk: loaded where the layer looks for their sectors, changed without time, written with it, saved.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <systemc>
#include <vector>

#include "base/error.hpp"
#include "module/strangers/strange_hosts.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;

namespace {

constexpr std::uint64_t image_bytes = 3 << 20, hole_begin = 1 << 20, hole_end = 2 << 20, trimmed = hole_end + 65'536;

/// A file of the pattern 7 with a hole in its second third.
std::filesystem::path make_image(const std::string& name, std::uint64_t bytes = image_bytes) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / ("tessera-" + name + std::to_string(getpid()));
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (std::uint64_t at = 0; at < bytes; ++at) {
    if (at == hole_begin && bytes > hole_end) out.seekp(static_cast<std::streamoff>(at = hole_end));
    out.put(static_cast<char>(strangers::pattern(at, 7)));
  }
  return file;
}

unsigned debug(strangers::BlockingHost& host, bool writes, std::uint64_t at, std::vector<unsigned char>& data) {
  tlm::tlm_generic_payload payload;
  payload.set_command(writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(at);
  payload.set_data_ptr(data.data());
  payload.set_data_length(static_cast<unsigned>(data.size()));
  return host.socket->transport_dbg(payload);
}

int refused_debug_writes() { return sc_core::sc_report_handler::get_count(debug_write_report); }

struct Drive {
  explicit Drive(const std::string& layer, ContentMode mode = ContentMode::bytes, const std::vector<std::string>& overrides = {})
      : config(load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", overrides, layer)),
        drive(std::make_unique<DriveModule>("drive", config, plan_drive(config), mode, 1)) {
    host.socket.bind(drive->block_socket());
    drive->power_on(false, [](Status status) { CHECK(status == Status::ok); });
  }
  void run(std::function<void(strangers::BlockingHost&)> program) {
    host.program = std::move(program);
    sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC));
    drive->timeline_module().rethrow_failure();
    CHECK(host.finished);
  }
  DriveConfig config;
  std::unique_ptr<DriveModule> drive;
  strangers::BlockingHost host{"host"};
};

void serve_an_image(const std::string& layer) {
  const std::filesystem::path file = make_image(layer), saved = file.string() + ".saved";
  Drive bench(layer);
  bench.drive->load_image(file);
  // Before time begins.
  std::vector<unsigned char> data(3000);
  CHECK(debug(bench.host, false, 5000, data) == 3000);
  for (unsigned i = 0; i < 3000; ++i) REQUIRE(data[i] == strangers::pattern(5000 + i, 7));
  CHECK(debug(bench.host, false, hole_begin + 5000, data) == 3000);
  CHECK(std::ranges::all_of(data, [](unsigned char byte) { return byte == 0; }));
  std::vector<unsigned char> patch(700, 0xa5);
  CHECK(debug(bench.host, true, 100'100, patch) == 700);
  CHECK(debug(bench.host, true, image_bytes + 4096, patch) == 700);  // beyond the image
  bench.run([&](strangers::BlockingHost& self) {
    CHECK(self.holds(0, 65'536, 7));
    CHECK(self.holds(hole_end, image_bytes - hole_end, 7));
    std::vector<unsigned char> timed(4096);
    CHECK(self.transport(tlm::TLM_READ_COMMAND, 98'304, timed.data(), 4096) == tlm::TLM_OK_RESPONSE);
    for (unsigned i = 0; i < 4096; ++i) REQUIRE(timed[i] == (i >= 1796 && i < 2496 ? 0xa5 : strangers::pattern(98'304 + i, 7)));
    CHECK(debug(self, true, 0, patch) == 700);  // the drive has read of it
    CHECK(refused_debug_writes() == 0);
    CHECK(self.write(512, 8192, 9) == tlm::TLM_OK_RESPONSE);
    CHECK(self.write(64 << 20, 512, 9) == tlm::TLM_OK_RESPONSE);
    CHECK(self.holds(512, 8192, 9));
    CHECK(self.transport(tlm::TLM_READ_COMMAND, 0, timed.data(), 512) == tlm::TLM_OK_RESPONSE);
    CHECK(std::all_of(timed.begin(), timed.begin() + 512, [](unsigned char byte) { return byte == 0xa5; }));
    CHECK(self.transport(tlm::TLM_READ_COMMAND, image_bytes + 4096, timed.data(), 1024) == tlm::TLM_OK_RESPONSE);
    CHECK(std::count(timed.begin(), timed.begin() + 1024, 0xa5) == 700);
    CHECK(self.holds(8704, 4096, 7));
    CHECK(debug(self, false, 512, data) == 3000);
    CHECK(data[0] == strangers::pattern(512, 9));
    tlm::tlm_generic_payload trim;
    BlockExtension extension;
    extension.op = BlockExtension::Op::trim;
    trim.set_extension(&extension);
    trim.set_command(tlm::TLM_IGNORE_COMMAND);
    trim.set_address(trimmed);
    trim.set_data_length(4096);
    trim.set_streaming_width(4096);
    sc_core::sc_time delay;
    self.socket->b_transport(trim, delay);
    trim.clear_extension(&extension);
    CHECK(trim.get_response_status() == tlm::TLM_OK_RESPONSE);
    CHECK(debug(self, false, trimmed, data) == 3000);
    CHECK(std::ranges::all_of(data, [](unsigned char byte) { return byte == 0; }));  // not the image's
  });
  bench.drive->save_image(saved);
  CHECK(std::filesystem::file_size(saved) == bench.drive->capacity().value());
  struct stat status {};
  REQUIRE(stat(saved.c_str(), &status) == 0);
  CHECK(static_cast<std::uint64_t>(status.st_blocks) * 512 < 3 << 20);  // holes
  std::ifstream in(saved, std::ios::binary);
  std::vector<unsigned char> whole(image_bytes);
  in.read(reinterpret_cast<char*>(whole.data()), static_cast<std::streamsize>(whole.size()));
  for (std::uint64_t at = 0; at < image_bytes; ++at) {
    const unsigned char expected = at < 512                        ? 0xa5
                                   : at >= 512 && at < 8704        ? strangers::pattern(at, 9)
                                   : at >= 100'100 && at < 100'800 ? 0xa5
                                   : (at >= hole_begin && at < hole_end) || (at >= trimmed && at < trimmed + 4096)
                                       ? 0
                                       : strangers::pattern(at, 7);
    REQUIRE(whole[at] == expected);
  }
  std::filesystem::remove(file);
  std::filesystem::remove(saved);
}

}  // namespace

TEST_CASE("an image is served, changed and saved by a conventional drive") { serve_an_image("cmr"); }
TEST_CASE("an image is served, changed and saved by an interlaced drive") { serve_an_image("imr-rmw"); }
TEST_CASE("an image is served, changed and saved by a shingled drive") { serve_an_image("skylight-disk"); }

TEST_CASE("an image of more than 64 GiB is served whole") {
  constexpr std::uint64_t size = (64ULL << 30) + (8 << 20);
  constexpr std::uint64_t odd_stretch = (64ULL << 30) + (3 << 20);  // of 1 MiB: not one that a sample would take
  const std::filesystem::path file = make_image("large", 512);
  std::filesystem::resize_file(file, size);
  {
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(static_cast<std::streamoff>(odd_stretch));
    for (std::uint64_t at = odd_stretch; at < odd_stretch + 8192; ++at) out.put(static_cast<char>(strangers::pattern(at, 7)));
  }
  Drive bench("cmr", ContentMode::bytes, {"media.tracks=33280"});
  bench.drive->load_image(file);
  bench.run([&](strangers::BlockingHost& self) {
    CHECK(self.holds(0, 512, 7));
    CHECK(self.holds(odd_stretch, 8192, 7));
  });
  std::filesystem::remove(file);
}

TEST_CASE("an image that a drive cannot hold is refused with the reason") {
  using Catch::Contains;
  Drive bench("cmr");
  CHECK_THROWS_WITH(bench.drive->load_image("/nowhere/image"), Contains("/nowhere/image cannot be opened: No such file"));
  CHECK_THROWS_WITH(bench.drive->load_image("/"), Contains("is not a file"));
  const std::filesystem::path odd = make_image("odd", 1000);
  CHECK_THROWS_WITH(bench.drive->load_image(odd), Contains("has 1000 B; expected a multiple of 512"));
  std::filesystem::resize_file(odd, bench.drive->capacity().value() + 512);
  CHECK_THROWS_WITH(bench.drive->load_image(odd), Contains("the drive has " + std::to_string(bench.drive->capacity().value())));
  bench.drive->prefill(16, false);
  CHECK_THROWS_WITH(bench.drive->load_image(odd), Contains("this one is prefilled"));
  CHECK_THROWS_WITH(bench.drive->save_image("/nowhere/image"), Contains("cannot be made"));
  std::filesystem::remove(odd);
}

TEST_CASE("an image needs a drive that keeps bytes") {
  Drive bench("cmr", ContentMode::tags);
  CHECK_THROWS_WITH(bench.drive->load_image("/"), Catch::Contains("ContentMode::bytes"));
  CHECK_THROWS_WITH(bench.drive->save_image("/"), Catch::Contains("ContentMode::bytes"));
}
