// A drive whose DRAM is DRAMSys 5, and a host that writes and reads back.
//   drive_on_dramsys DRIVE.toml LAYER DRAMSYS-CONFIGURATION.json
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <vector>

#include "DRAMSys/simulation/DRAMSys.h"
#include "burst_adapter.hpp"
#include "tessera/platforms/drive/drive_module.hpp"

struct Host : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Host> socket{"socket"};
  unsigned wrong = 0, transfers = 0;

  explicit Host(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  void transfer(tlm::tlm_command command, std::uint64_t at, std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    ++transfers;
    if (!payload.is_response_ok()) ++wrong;
  }
  void run() {
    constexpr unsigned blocks = 40;
    constexpr std::uint64_t stride = 1237 * 4096;
    const auto content = [](unsigned i) { return std::vector<unsigned char>(65'536, static_cast<unsigned char>(i + 1)); };
    for (unsigned i = 0; i < blocks; ++i) {
      auto data = content(i);
      transfer(tlm::TLM_WRITE_COMMAND, i * stride, data);
    }
    for (unsigned i = 0; i < blocks; ++i) {
      std::vector<unsigned char> data(content(i).size());
      transfer(tlm::TLM_READ_COMMAND, i * stride, data);
      if (data != content(i)) ++wrong;
    }
    sc_core::sc_stop();
  }
};

int run(char* words[]) {
  const tessera::DriveConfig config = tessera::load_drive(words[1], {}, words[2]);
  DRAMSys::DRAMSys dramsys("dramsys", DRAMSys::Config::from_path(words[3]));
  BurstAdapter adapter("adapter", config.dram.capacity.value());
  adapter.to.bind(dramsys.tSocket);
  tessera::DriveParts parts;
  parts.dram.emplace(tessera::DramPart{
      .socket = adapter.from, .bytes = adapter.bytes, .waits = true, .power = &adapter, .bursts = {tessera::Bytes(64), 8}});
  tessera::DriveModule drive("drive", config, tessera::plan_drive(config), tessera::ContentMode::bytes, 1, std::move(parts));
  Host host("host");
  host.socket.bind(drive.block_socket());
  drive.power_on(false, [](tessera::Status) {});
  sc_core::sc_start();
  drive.timeline_module().rethrow_failure();
  std::printf("%u transfers, %u wrong, at %s\n", host.transfers, host.wrong, sc_core::sc_time_stamp().to_string().c_str());
  return host.wrong == 0 ? 0 : 1;
}

int sc_main(int count, char* words[]) {
  if (count != 4) {
    std::cerr << "usage: drive_on_dramsys DRIVE.toml LAYER DRAMSYS-CONFIGURATION.json\n";
    return 2;
  }
  try {
    return run(words);
  } catch (const std::exception& failed) {
    std::cerr << "drive_on_dramsys: " << failed.what() << "\n";
    return 1;
  }
}
