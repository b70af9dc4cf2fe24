// How much DRAM bandwidth a layer needs: a drive whose DRAM has a bandwidth, under random reads and writes, at several depths. Each column
// is a DRAM; the figures are shares of the throughput with a DRAM that takes no time.
//
//   dram_bandwidth DRIVE.toml LAYER...
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "tessera/platforms/drive/drive_module.hpp"

/// One channel: bursts one after another at a bandwidth, with a queue that END_REQ guards.
class RatedDram : public sc_core::sc_module, public tessera::PoweredPart {
 public:
  tlm_utils::simple_target_socket<RatedDram> socket{"socket"};
  std::span<std::byte> bytes;

  RatedDram(sc_core::sc_module_name name, std::size_t size, double megabytes)
      : sc_module(name),
        memory_(static_cast<std::byte*>(std::calloc(size, 1)), std::free),  // pages that nobody touches cost nothing
        burst_(megabytes == 0 ? 0 : 64e3 / megabytes, sc_core::SC_NS),
        events_(this, &RatedDram::take) {
    bytes = {memory_.get(), size};
    socket.register_b_transport(this, &RatedDram::access);
    socket.register_nb_transport_fw(this, &RatedDram::begin);
  }
  void power_off() override { std::fill(bytes.begin(), bytes.end(), std::byte{0}); }
  void power_on() override {}

 private:
  using Payload = tlm::tlm_generic_payload;
  void access(Payload& payload, sc_core::sc_time& delay) {
    delay += burst_;
    move(payload);
  }
  tlm::tlm_sync_enum begin(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) payload.acquire();
    events_.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  void take(Payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::END_RESP) return;
    if (phase == tlm::BEGIN_RESP) return respond(payload);
    if (inside_ == 16)
      waiting_ = &payload;
    else
      accept(payload);
  }
  void accept(Payload& payload) {
    ++inside_;
    free_ = std::max(free_, sc_core::sc_time_stamp()) + burst_;
    events_.notify(payload, tlm::BEGIN_RESP, free_ - sc_core::sc_time_stamp());
    tell(payload, tlm::END_REQ);
  }
  void respond(Payload& payload) {
    --inside_;
    move(payload);
    tell(payload, tlm::BEGIN_RESP);
    payload.release();
    if (waiting_ != nullptr) accept(*std::exchange(waiting_, nullptr));
  }
  void tell(Payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_bw(payload, phase, delay);
  }
  void move(Payload& payload) {
    std::byte* const own = bytes.data() + payload.get_address();
    auto* const data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
    if (data != own && payload.is_read()) std::copy_n(own, payload.get_data_length(), data);
    if (data != own && payload.is_write()) std::copy_n(data, payload.get_data_length(), own);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  std::unique_ptr<std::byte[], void (*)(void*)> memory_;
  sc_core::sc_time burst_, free_;
  unsigned inside_ = 0;
  Payload* waiting_ = nullptr;
  tlm_utils::peq_with_cb_and_phase<RatedDram> events_;
};

/// `depth` threads that read and write 128 KiB each at random places of the first GiB.
class Host : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Host> socket{"socket"};
  static constexpr unsigned transfers = 120, length = 128 * 1024;
  unsigned done = 0;
  sc_core::sc_time ended;

  Host(sc_core::sc_module_name name, unsigned depth) : sc_module(name) {
    for (unsigned i = 0; i < depth; ++i) sc_core::sc_spawn([this] { run(); });
  }
  [[nodiscard]] double megabytes_per_second() const { return transfers * double{length} / 1e6 / ended.to_seconds(); }

 private:
  void run() {
    std::vector<unsigned char> data(length);
    while (begun_ < transfers) {
      ++begun_;
      seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
      tlm::tlm_generic_payload payload;
      payload.set_command(seed_ >> 63 == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
      payload.set_address((seed_ >> 20) % 8192 * length);
      payload.set_data_ptr(data.data());
      payload.set_data_length(length);
      payload.set_streaming_width(length);
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->b_transport(payload, delay);
      wait(delay);
      if (++done == transfers) ended = sc_core::sc_time_stamp();
    }
  }
  unsigned begun_ = 0;
  std::uint64_t seed_ = 1;
};

/// A drive, its DRAM and its host.
struct Drive {
  Drive(const std::string& name, const std::string& file, const std::string& layer, unsigned depth, double megabytes)
      : config(tessera::load_drive(file, {"dram.capacity=128 MiB"}, layer)),
        dram((name + "_dram").c_str(), config.dram.capacity.value(), megabytes),
        host((name + "_host").c_str(), depth) {
    tessera::DriveParts parts;
    parts.dram.emplace(tessera::DramPart{.socket = dram.socket, .bytes = dram.bytes, .power = &dram, .bursts = {tessera::Bytes(64), 8}});
    module.emplace(name.c_str(), config, tessera::plan_drive(config), tessera::ContentMode::none, 1, std::move(parts));
    host.socket.bind(module->block_socket());
    module->power_on(false, [](tessera::Status) {});
  }
  const tessera::DriveConfig config;
  RatedDram dram;
  Host host;
  std::optional<tessera::DriveModule> module;
};

int sc_main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: dram_bandwidth DRIVE.toml LAYER...\n");
    return 2;
  }
  const std::vector<double> bandwidths{0, 6400, 1600, 800, 400, 200, 100, 50};  // MB/s; 0: takes no time
  const std::vector<unsigned> depths{1, 4, 16};
  std::deque<Drive> drives;
  for (int layer = 2; layer < count; ++layer)
    for (const unsigned depth : depths)
      for (const double bandwidth : bandwidths)
        drives.emplace_back("drive" + std::to_string(drives.size()), arguments[1], arguments[layer], depth, bandwidth);
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_SEC));
  std::printf("| layer | depth | MB/s |");
  for (std::size_t i = 1; i < bandwidths.size(); ++i) std::printf(" %.0f MB/s |", bandwidths[i]);
  std::printf("\n|---|---|---|---|---|---|---|---|---|---|\n");
  auto drive = drives.begin();
  for (int layer = 2; layer < count; ++layer)
    for (const unsigned depth : depths) {
      const double most = drive->host.megabytes_per_second();
      std::printf("| `%s` | %u | %.1f |", arguments[layer], depth, most);
      for (std::size_t i = 0; i < bandwidths.size(); ++i, ++drive) {
        drive->module->rethrow_failure();
        if (drive->host.done != Host::transfers)
          std::printf(" late |");
        else if (i != 0)
          std::printf(" %.0f %% |", 100 * drive->host.megabytes_per_second() / most);
      }
      std::printf("\n");
    }
  return 0;
}
