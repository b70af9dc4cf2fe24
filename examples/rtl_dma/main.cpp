// A DMA engine in Verilog next to a drive's processor: registers behind APB, data by AXI4 bursts through processor_socket() into the
// drive's DRAM, while a host writes and reads.
//   rtl_dma DRIVE.toml LAYER BYTES [--vcd FILE] [--free-clock] [--no-busy]
// --free-clock: the clock runs always; --no-busy: nobody tells the clock that the engine has work.
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>

#include "../rtl_flash_channel/waves.hpp"
#include "Vdma.h"
#include "tessera/platforms/drive/drive_module.hpp"
#include "tessera/rtl/apb_module.hpp"
#include "tessera/rtl/axi_module.hpp"
#include "tessera/rtl/pin_signals_module.hpp"

namespace {

using tessera::from_sc_time;

/// A process that sends blocking transactions.
struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
  std::function<void(Initiator&)> program;

  explicit Initiator(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Initiator);
    SC_THREAD(run);
  }
  bool transfer(tlm::tlm_command command, std::uint64_t at, void* data, std::size_t bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    return payload.is_response_ok();
  }
  std::uint32_t load(std::uint64_t at) {
    std::uint32_t value = ~0U;
    transfer(tlm::TLM_READ_COMMAND, at, &value, sizeof value);
    return value;
  }
  void store(std::uint64_t at, std::uint32_t value) { transfer(tlm::TLM_WRITE_COMMAND, at, &value, sizeof value); }

 private:
  void run() { program(*this); }
};

/// The engine, its clock and its transactors.
struct Dma : sc_core::sc_module {
  enum Register : std::uint32_t { from = 0x00, to = 0x04, bytes = 0x08, start = 0x0c, errors = 0x10 };

  sc_core::sc_signal<bool> clk{"clk"}, rst_n{"rst_n"}, busy{"busy"}, psel{"psel"}, penable{"penable"}, pwrite{"pwrite"}, pready{"pready"},
      pslverr{"pslverr"};
  sc_core::sc_signal<std::uint32_t> paddr{"paddr"}, pwdata{"pwdata"}, prdata{"prdata"};
  tessera::AxiSignals<32, 32> axi;
  tessera::GatedClock clock;
  tessera::TlmToApb<32> registers{"registers", &clock};
  tessera::AxiToTlm<32, 32> data{"data"};
  tessera::PinSignals pins{"pins"};
  Vdma rtl{"rtl"};

  Dma(sc_core::sc_module_name name, bool free_clock, bool tells_busy)
      : sc_module(name),
        clock("clock", sc_core::sc_time(5, sc_core::SC_NS),
              free_clock ? tessera::GatedClock::Gate::always_open : tessera::GatedClock::Gate::closes) {
    clock.out(clk);
    if (tells_busy) clock.busy(busy);
    registers.clk(clk);
    data.clk(clk);
    const auto apb = [this](auto& end) {
      end.psel(psel), end.penable(penable), end.pwrite(pwrite), end.paddr(paddr), end.pwdata(pwdata);
      end.prdata(prdata), end.pready(pready), end.pslverr(pslverr);
    };
    apb(registers);
    apb(rtl);
    axi.connect(data);
    rtl.clk(clk), rtl.rst_n(rst_n), rtl.busy(busy);
    rtl.awvalid(axi.awvalid), rtl.awready(axi.awready), rtl.awaddr(axi.awaddr), rtl.awlen(axi.awlen), rtl.awsize(axi.awsize),
        rtl.awburst(axi.awburst);
    rtl.wvalid(axi.wvalid), rtl.wready(axi.wready), rtl.wdata(axi.wdata), rtl.wstrb(axi.wstrb), rtl.wlast(axi.wlast);
    rtl.bvalid(axi.bvalid), rtl.bready(axi.bready), rtl.bresp(axi.bresp);
    rtl.arvalid(axi.arvalid), rtl.arready(axi.arready), rtl.araddr(axi.araddr), rtl.arlen(axi.arlen), rtl.arsize(axi.arsize),
        rtl.arburst(axi.arburst);
    rtl.rvalid(axi.rvalid), rtl.rready(axi.rready), rtl.rdata(axi.rdata), rtl.rresp(axi.rresp), rtl.rlast(axi.rlast);
    pins.show("clk", clk);
    pins.show("busy", busy);
    pins.show("psel", psel);
    pins.show("arvalid", axi.arvalid);
    pins.show("araddr", axi.araddr, 32);
    pins.show("rvalid", axi.rvalid);
    pins.show("wvalid", axi.wvalid);
    pins.show("wready", axi.wready);
    pins.show("wdata", axi.wdata, 32);
    pins.show("wstrb", axi.wstrb, 4);
    SC_HAS_PROCESS(Dma);
    SC_THREAD(reset);
  }
  void reset() {
    const tessera::ClockRequest running(&clock);
    wait(4 * clock.period());
    rst_n.write(true);
  }
};

unsigned char content(std::size_t i) { return static_cast<unsigned char>((i * 2654435761U >> 7) + 1); }

struct Settings {
  std::string drive, layer;
  std::size_t bytes = 0;
  std::string vcd;
  bool free_clock = false, no_busy = false;
};

int run(const Settings& settings) {
  const tessera::DriveConfig config = tessera::load_drive(settings.drive, {}, settings.layer);
  tessera::DriveModule drive("drive", config, tessera::plan_drive(config), tessera::ContentMode::bytes, 1);
  Dma dma("dma", settings.free_clock, !settings.no_busy);
  Initiator host("host"), processor("processor");
  host.socket.bind(drive.block_socket());
  processor.socket.bind(dma.registers.socket);
  dma.data.socket.bind(drive.processor_socket());

  // The last two MiB of the drive's DRAM are nobody's here.
  const std::uint64_t to = config.dram.capacity.value() - (1 << 20), from = to - (1 << 20);
  std::vector<unsigned char> source(settings.bytes), copied(settings.bytes + 4);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = content(i);
  bool finished = false, same = false;
  unsigned wrong = 0, errors = 0, transfers = 0;
  sc_core::sc_time took;
  const auto debug = [&](tlm::tlm_command command, std::uint64_t at, std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    return drive.processor_socket().get_base_export()->transport_dbg(payload);
  };
  processor.program = [&](Initiator& self) {
    sc_core::wait(1, sc_core::SC_MS);  // after the power
    debug(tlm::TLM_WRITE_COMMAND, from, source);
    self.store(Dma::from, static_cast<std::uint32_t>(from));
    self.store(Dma::to, static_cast<std::uint32_t>(to));
    self.store(Dma::bytes, static_cast<std::uint32_t>(settings.bytes));
    const sc_core::sc_time begun = sc_core::sc_time_stamp();
    self.store(Dma::start, 1);
    if (dma.busy.read()) sc_core::wait(dma.busy.negedge_event());
    took = sc_core::sc_time_stamp() - begun;
    errors = self.load(Dma::errors);
    debug(tlm::TLM_READ_COMMAND, to, copied);
    same = std::equal(source.begin(), source.end(), copied.begin()) && copied[settings.bytes] == 0;
    finished = true;
  };
  host.program = [&](Initiator& self) {
    std::vector<unsigned char> data(4096), back(4096);
    while (!finished || transfers < 20) {
      std::fill(data.begin(), data.end(), static_cast<unsigned char>(transfers));
      const std::uint64_t at = std::uint64_t{transfers} * 7919 * 4096;
      if (!self.transfer(tlm::TLM_WRITE_COMMAND, at, data.data(), data.size()) ||
          !self.transfer(tlm::TLM_READ_COMMAND, at, back.data(), back.size()) || back != data)
        ++wrong;
      ++transfers;
    }
    sc_core::sc_stop();
  };

  std::unique_ptr<Waves> waves;
  if (!settings.vcd.empty()) {
    std::vector<tessera::DriveModule::SignalRoot> roots = drive.signal_roots();
    roots.push_back({"dma", dma.pins.signals});
    waves = std::make_unique<Waves>(settings.vcd, std::move(roots));
  }
  drive.power_on(false, [](tessera::Status) {});
  int status = 0;
  const std::clock_t begun = std::clock();
  try {
    sc_core::sc_start();
    drive.timeline_module().rethrow_failure();
  } catch (const std::exception& failed) {
    std::cerr << "rtl_dma: " << failed.what() << "\n";
    status = 3;
  }
  const double cpu = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  if (waves) waves->finish(from_sc_time(sc_core::sc_time_stamp()));
  std::printf("%zu bytes, %s, %u errors, in %.3f us; host: %u transfers, %u wrong, at %s\n", settings.bytes, same ? "same" : "different",
              errors, took.to_seconds() * 1e6, transfers, wrong, sc_core::sc_time_stamp().to_string().c_str());
  std::printf("%llu clocks, %llu left out; %.2f CPU-s\n", static_cast<unsigned long long>(dma.clock.ran()),
              static_cast<unsigned long long>(dma.clock.skipped()), cpu);
  if (status == 0 && (!same || errors != 0 || wrong != 0)) status = 1;
  return status;
}

int usage() {
  std::cerr << "usage: rtl_dma DRIVE.toml LAYER BYTES [--vcd FILE] [--free-clock] [--no-busy]; up to 1048572 bytes\n";
  return 2;
}

}  // namespace

int sc_main(int count, char* words[]) {
  if (count < 4) return usage();
  Settings settings{words[1], words[2], std::strtoul(words[3], nullptr, 10)};
  for (int i = 4; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--free-clock")
      settings.free_clock = true;
    else if (word == "--no-busy")
      settings.no_busy = true;
    else if (word == "--vcd" && i + 1 < count)
      settings.vcd = words[++i];
    else
      return usage();
  }
  if (settings.bytes == 0 || settings.bytes > (1 << 20) - 4) return usage();
  try {
    return run(settings);
  } catch (const std::exception& failed) {
    std::cerr << "rtl_dma: " << failed.what() << "\n";
    return 2;
  }
}
