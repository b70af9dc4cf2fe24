// A host in another thread, as QEMU's is: it brings its requests by async_request_update, at whatever simulated time that falls into.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <systemc>
#include <thread>

#include "module/strangers/strange_hosts.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;
using namespace std::chrono_literals;

namespace {

constexpr unsigned requests = 4;

/// Carries a wish of another thread into the kernel.
class Injector : public sc_core::sc_prim_channel {
 public:
  sc_core::sc_event came;
  Injector() : sc_prim_channel("injector") { async_attach_suspending(); }
  void inject() { async_request_update(); }
  void finish() { async_detach_suspending(); }
  [[nodiscard]] const char* kind() const override { return "injector"; }

 private:
  void update() override { came.notify(sc_core::SC_ZERO_TIME); }
};

/// A thread injects requests, each when the one before is answered; a process of the kernel carries them to the drive.
struct Foreign {
  Injector injector;
  strangers::BlockingHost host;
  std::atomic<unsigned> wished{0};
  std::atomic<unsigned> answered{0};
  unsigned served = 0;
  std::thread thread;

  explicit Foreign(const char* name) : host(name) {
    host.stops = false;
    host.program = [this](strangers::BlockingHost& self) {
      for (unsigned i = 0; i < requests; ++i) {
        while (wished == i) sc_core::wait(injector.came);
        const std::uint64_t at = std::uint64_t{i} * 1237 * 4096;
        if (self.write(at, 8192, i) == tlm::TLM_OK_RESPONSE && self.holds(at, 8192, i)) ++served;
        ++answered;
      }
      injector.finish();
      sc_core::sc_stop();
    };
    thread = std::thread([this] {
      for (unsigned i = 0; i < requests; ++i) {
        std::this_thread::sleep_for(1ms);
        ++wished;
        injector.inject();
        while (answered == i) std::this_thread::sleep_for(100us);
      }
    });
  }
};

bool serves(const std::string& layer) try {
  const DriveConfig config = load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {}, layer);
  DriveModule drive("drive", config, plan_drive(config), ContentMode::bytes, 1);
  auto& foreign = *new Foreign("host");  // its thread may still wait when the process ends
  foreign.host.socket.bind(drive.block_socket());
  drive.power_on(false, [](Status) {});
  sc_core::sc_start();
  return !drive.timeline_module().failed() && foreign.served == requests;
} catch (const std::exception& error) {
  std::cerr << layer << ": " << error.what() << "\n";
  return false;
}

}  // namespace

TEST_CASE("requests of another thread are served whatever timers the layer has") {
  // The kernel elaborates once a process: each layer has one.
  for (const std::string& layer : DriveConfig().layer_names()) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(serves(layer) ? 0 : 1);
    int status = 1;
    ::waitpid(child, &status, 0);
    INFO(layer);
    CHECK(status == 0);
  }
}
