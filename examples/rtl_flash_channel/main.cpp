// A drive whose flash channel is Verilog, and the same drive with its own: what both answer, when, and for how much CPU time.
//   rtl_flash_channel DRIVE.toml LAYER WRITES                    both, compared
//   rtl_flash_channel DRIVE.toml LAYER WRITES --vcd FILE         with the RTL alone; pins and drive in one VCD, and how GTKWave shows it
//   rtl_flash_channel DRIVE.toml LAYER WRITES --die-hangs        the die never becomes ready
#include <sys/wait.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <sstream>

#include "rtl_flash.hpp"
#include "tessera/platforms/drive/drive_module.hpp"
#include "waves.hpp"

namespace {

struct Settings {
  std::string drive, layer;
  unsigned writes = 0;
  std::string vcd;
  bool die_hangs = false;
};

/// Writes sectors at scattered places, one after the other, and reads them back.
struct Host : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Host> socket{"socket"};
  std::vector<std::uint64_t> latencies;  // ps
  unsigned wrong = 0;
  bool finished = false;

  Host(sc_core::sc_module_name name, unsigned writes) : sc_module(name), writes_(writes) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }

 private:
  static unsigned char content(unsigned number, unsigned byte) {
    return static_cast<unsigned char>((byte * 2654435761U >> 7) + number * 31 + 1);
  }
  bool transfer(tlm::tlm_command command, unsigned number, std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(std::uint64_t{number} * 7919 % 100'000 * 4096);
    payload.set_data_ptr(data.data());
    payload.set_data_length(4096);
    payload.set_streaming_width(4096);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const sc_core::sc_time begun = sc_core::sc_time_stamp();
    socket->b_transport(payload, delay);
    wait(delay);
    latencies.push_back((sc_core::sc_time_stamp() - begun).value());
    return payload.is_response_ok();
  }
  void run() {
    std::vector<unsigned char> data(4096), expected(4096);
    for (unsigned i = 0; i < 2 * writes_; ++i) {
      const bool writes = i < writes_;
      for (unsigned k = 0; k < 4096; ++k) expected[k] = content(i % writes_, k);
      data = writes ? expected : std::vector<unsigned char>(4096);
      if (!transfer(writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, i % writes_, data) || data != expected) ++wrong;
    }
    finished = true;
    sc_core::sc_stop();
  }

  unsigned writes_;
};

/// What a simulation gives: its line, and the latency of each request.
struct Result {
  int status = 0;
  double cpu = 0;
  std::string line;
  std::vector<std::uint64_t> latencies;
};

std::string in_milliseconds(const sc_core::sc_time& time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f ms", time.to_seconds() * 1e3);
  return text;
}

Result simulate(const Settings& settings, bool with_rtl) {
  const std::string command_time = std::to_string(RtlFlash::command_clocks * RtlFlash::period.value() / 1000) + " ns";
  // Without refreshes of the DRAM, one of which the one run may meet and the other just miss.
  const tessera::DriveConfig config =
      tessera::load_drive(settings.drive, {"nand.command_time=" + command_time, "dram.refresh_time=0 ns"}, settings.layer);
  tessera::DriveParts parts;
  std::unique_ptr<RtlFlash> flash;
  if (with_rtl) {
    flash = std::make_unique<RtlFlash>("flash", config.nand);
    flash->die_hangs = settings.die_hangs;
    parts.flash.emplace(tessera::FlashPart{.socket = flash->socket, .catalogue = *flash, .signals = &flash->signals});
  }
  tessera::DriveModule drive("drive", config, tessera::plan_drive(config), tessera::ContentMode::bytes, 1, std::move(parts));
  Host host("host", settings.writes);
  host.socket.bind(drive.block_socket());
  std::unique_ptr<Waves> waves;
  if (!settings.vcd.empty()) waves = std::make_unique<Waves>(settings.vcd, drive.signal_roots());
  drive.power_on(false, [](tessera::Status) {});
  Result result;
  const std::clock_t begun = std::clock();
  try {
    sc_core::sc_start();
    drive.timeline_module().rethrow_failure();
  } catch (const std::exception& failed) {
    std::cerr << "rtl_flash_channel: " << failed.what() << "\n";
    result.status = 3;
  }
  result.cpu = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  if (waves) waves->finish(tessera::from_sc_time(sc_core::sc_time_stamp()));
  if (host.wrong != 0) result.status = 1;
  std::ostringstream line;
  line << host.latencies.size() << " requests, " << host.wrong << " wrong, at " << in_milliseconds(sc_core::sc_time_stamp());
  if (flash) {
    line << "; flash: " << flash->reads << " reads, " << flash->programs << " programs, " << flash->erases << " erases, "
         << flash->wrong_sums << " wrong checksums; " << flash->clocks << " clocks, " << flash->skipped() << " left out";
  }
  result.line = line.str();
  result.latencies = host.latencies;
  return result;
}

/// In a process of its own, as a process has one SystemC kernel.
Result simulate_apart(const Settings& settings, bool with_rtl) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const Result result = simulate(settings, with_rtl);
    std::ostringstream text;
    text << result.status << ' ' << result.cpu << ' ' << result.latencies.size();
    for (const std::uint64_t latency : result.latencies) text << ' ' << latency;
    text << '\n' << result.line;
    FILE* const out = fdopen(ends[1], "w");
    std::fputs(text.str().c_str(), out);
    std::fflush(out);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char room[4096];
  for (ssize_t got = 0; (got = read(ends[0], room, sizeof room)) > 0;) text.append(room, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the simulation did not end");
  std::istringstream in(text);
  Result result;
  std::size_t count = 0;
  in >> result.status >> result.cpu >> count;
  result.latencies.resize(count);
  for (std::uint64_t& latency : result.latencies) in >> latency;
  std::getline(in >> std::ws, result.line);
  return result;
}

int compare(const Settings& settings) {
  const Result rtl = simulate_apart(settings, true);
  const Result own = simulate_apart(settings, false);
  std::printf("RTL:      %s; %.2f CPU-s\nbuilt-in: %s; %.2f CPU-s\n", rtl.line.c_str(), rtl.cpu, own.line.c_str(), own.cpu);
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < std::min(rtl.latencies.size(), own.latencies.size()); ++i) {
    const auto [less, more] = std::minmax(rtl.latencies[i], own.latencies[i]);
    most = std::max(most, more - less);
  }
  const auto period = static_cast<double>(RtlFlash::period.value());
  std::printf("latencies differ by %.1f ns at most, %.1f clocks\n", static_cast<double>(most) / 1000, static_cast<double>(most) / period);
  std::printf("RTL takes %.1f times the CPU time\n", rtl.cpu / own.cpu);
  return rtl.status != 0 ? rtl.status : own.status;
}

int usage() {
  std::cerr << "usage: rtl_flash_channel DRIVE.toml LAYER WRITES [--vcd FILE] [--die-hangs]\n";
  return 2;
}

}  // namespace

int sc_main(int count, char* words[]) {
  if (count < 4) return usage();
  Settings settings{words[1], words[2], static_cast<unsigned>(std::strtoul(words[3], nullptr, 10))};
  for (int i = 4; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--die-hangs")
      settings.die_hangs = true;
    else if (word == "--vcd" && i + 1 < count)
      settings.vcd = words[++i];
    else
      return usage();
  }
  if (settings.writes == 0) return usage();
  try {
    if (settings.vcd.empty() && !settings.die_hangs) return compare(settings);
    const Result result = simulate(settings, true);
    std::printf("RTL:      %s; %.2f CPU-s\n", result.line.c_str(), result.cpu);
    return result.status;
  } catch (const std::exception& failed) {
    std::cerr << "rtl_flash_channel: " << failed.what() << "\n";
    return 2;
  }
}
