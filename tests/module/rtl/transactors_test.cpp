// The transactors, one against the other and against slaves of the test's: data by a plain array of bytes, times by a clock that always
// runs, and what never answers.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <catch2/catch.hpp>

#include <functional>
#include <random>
#include <sstream>
#include <systemc>
#include <vector>

#include "rtl/apb_module.hpp"
#include "rtl/axi_module.hpp"
#include "rtl/pin_signals_module.hpp"
#include "support/process_apart.hpp"

using namespace tessera;
using sc_core::sc_time;

namespace {

using Octets = std::vector<unsigned char>;

/// 16 KiB that take byte enables, and an address error behind them.
struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  Octets bytes = Octets(16'384);
  unsigned accesses = 0;

  explicit Memory(sc_core::sc_module_name name) : sc_module(name) { socket.register_b_transport(this, &Memory::b_transport); }
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    ++accesses;
    delay += sc_time(37, sc_core::SC_NS);
    const std::uint64_t at = payload.get_address();
    if (at + payload.get_data_length() > bytes.size()) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    payload.is_read() ? enables_of(payload).copy(payload.get_data_ptr(), &bytes[at], payload.get_data_length())
                      : enables_of(payload).copy(&bytes[at], payload.get_data_ptr(), payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
  std::function<void(Initiator&)> program;
  std::vector<sc_time> ended;
  bool finished = false;

  explicit Initiator(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Initiator);
    SC_THREAD(run);
  }
  tlm::tlm_response_status send(tlm::tlm_command command, std::uint64_t at, Octets& data, Octets enables = {}) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    payload.set_byte_enable_ptr(enables.empty() ? nullptr : enables.data());
    payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
    sc_time delay(3, sc_core::SC_NS);
    socket->b_transport(payload, delay);
    wait(delay);
    ended.push_back(sc_core::sc_time_stamp());
    return payload.get_response_status();
  }

 private:
  void run() {
    program(*this);
    finished = true;
    sc_core::sc_stop();
  }
};

/// Initiator, pins, target.
template <unsigned data_bits>
struct Bench {
  sc_core::sc_signal<bool> clk{"clk"};
  GatedClock clock;
  AxiSignals<32, data_bits> signals;
  TlmToAxi<32, data_bits> master{"master", &clock};
  AxiToTlm<32, data_bits> slave{"slave"};
  Memory memory{"memory"};
  Initiator initiator{"initiator"};

  Bench(bool lite, GatedClock::Gate gate) : clock("clock", sc_time(10, sc_core::SC_NS), gate) {
    clock.out(clk);
    master.clk(clk);
    slave.clk(clk);
    if (lite) {
      signals.connect_lite(master);
      signals.connect_lite(slave);
    } else {
      signals.connect(master);
      signals.connect(slave);
    }
    slave.socket.bind(memory.socket);
    initiator.socket.bind(master.socket);
  }
  void run(std::function<void(Initiator&)> program) {
    initiator.program = std::move(program);
    sc_core::sc_start(sc_time(1, sc_core::SC_SEC));
  }
};

/// Random accesses, compared with a plain array; the instants at which each ended.
template <unsigned data_bits>
std::vector<sc_time> compare(bool lite, GatedClock::Gate gate) {
  Bench<data_bits> bench(lite, gate);
  bench.run([&](Initiator& self) {
    std::mt19937_64 random(7);
    Octets model(9000);
    for (unsigned round = 0; round < 120; ++round) {
      const std::size_t length = 1 + random() % (round % 8 == 0 ? 5000 : 40), at = random() % (model.size() - length);
      Octets data(length), enables(random() % 3 == 0 ? 0 : 1 + random() % 9);
      for (unsigned char& byte : data) byte = static_cast<unsigned char>(random());
      for (unsigned char& enable : enables) enable = random() % 2 == 0 ? 0 : 0xff;
      const bool writes = random() % 2 == 0;
      Octets expected = data;
      for (std::size_t i = 0; i < length; ++i)
        if (enables.empty() || enables[i % enables.size()] != 0) (writes ? model[at + i] : expected[i]) = writes ? data[i] : model[at + i];
      REQUIRE(self.send(writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, at, data, enables) == tlm::TLM_OK_RESPONSE);
      REQUIRE(data == expected);
      sc_core::wait(sc_time(static_cast<double>(random() % 2000) + 0.5, sc_core::SC_NS));
    }
    REQUIRE(std::equal(model.begin(), model.end(), bench.memory.bytes.begin()));
  });
  CHECK(bench.initiator.finished);
  CHECK((bench.clock.skipped() > 1000) == (gate == GatedClock::Gate::closes));
  return bench.initiator.ended;
}

}  // namespace

TEST_CASE("through pins of AXI4 of 32 bits arrives what was sent, and nothing else") { compare<32>(false, GatedClock::Gate::closes); }
TEST_CASE("through pins of AXI4 of 64 bits arrives what was sent, and nothing else") { compare<64>(false, GatedClock::Gate::closes); }
TEST_CASE("through pins of AXI4-Lite arrives what was sent, and nothing else") { compare<32>(true, GatedClock::Gate::closes); }

TEST_CASE("with a clock that has a gate every transaction ends at the picosecond at which it ends with one that always runs") {
  const auto ends = [](GatedClock::Gate gate) {
    return test::process_apart([gate] {
      std::ostringstream text;
      for (const sc_time& end : compare<64>(false, gate)) text << end.value() << ' ';
      return text.str();
    });
  };
  const std::string gated = ends(GatedClock::Gate::closes);
  CHECK(gated.size() > 1000);
  CHECK(gated == ends(GatedClock::Gate::always_open));
}

namespace {

void count_accesses(bool lite) {
  Bench<32> bench(lite, GatedClock::Gate::closes);
  bench.run([&](Initiator& self) {
    Octets data(64), none;
    CHECK(self.send(tlm::TLM_WRITE_COMMAND, 128, data) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.memory.accesses == (lite ? 16 : 1));
    CHECK(self.send(tlm::TLM_READ_COMMAND, 4096 - 32, data) == tlm::TLM_OK_RESPONSE);  // bursts end at 4 KiB
    CHECK(bench.memory.accesses == (lite ? 32 : 3));
    CHECK(self.send(tlm::TLM_READ_COMMAND, 1 << 20, data) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(self.send(tlm::TLM_WRITE_COMMAND, 1 << 20, data) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(self.send(tlm::TLM_IGNORE_COMMAND, 0, data) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(self.send(tlm::TLM_READ_COMMAND, 0, none) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(self.send(tlm::TLM_READ_COMMAND, 0, data, {1}) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  });
  CHECK(bench.initiator.finished);
}

}  // namespace

TEST_CASE("a burst of AXI4 is one access of the target, and refusals come back") { count_accesses(false); }
TEST_CASE("a word of AXI4-Lite is one access of the target, and refusals come back") { count_accesses(true); }

namespace {

/// Registers behind APB: one wait state, an error beyond the eighth.
struct Registers : sc_core::sc_module {
  sc_core::sc_in<bool> clk{"clk"}, psel{"psel"}, penable{"penable"}, pwrite{"pwrite"};
  sc_core::sc_in<std::uint32_t> paddr{"paddr"}, pwdata{"pwdata"}, pstrb{"pstrb"};
  sc_core::sc_out<std::uint32_t> prdata{"prdata"};
  sc_core::sc_out<bool> pready{"pready"}, pslverr{"pslverr"};
  std::uint32_t values[8] = {};
  bool answers = true;

  explicit Registers(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Registers);
    SC_METHOD(rise);
    sensitive << clk.pos();
    dont_initialize();
  }
  void rise() {
    const bool ready = answers && psel.read() && penable.read() && !pready.read();
    pready.write(ready);
    if (!ready) return;
    const std::uint32_t which = paddr.read() / 4;
    pslverr.write(which >= 8);
    if (which >= 8) return;
    for (unsigned i = 0; i < 4 && pwrite.read(); ++i)
      if ((pstrb.read() >> i & 1) != 0) values[which] = (values[which] & ~(0xffU << (8 * i))) | (pwdata.read() & (0xffU << (8 * i)));
    prdata.write(values[which]);
  }
};

struct ApbBench {
  sc_core::sc_signal<bool> clk{"clk"}, psel{"psel"}, penable{"penable"}, pwrite{"pwrite"}, pready{"pready"}, pslverr{"pslverr"};
  sc_core::sc_signal<std::uint32_t> paddr{"paddr"}, pwdata{"pwdata"}, pstrb{"pstrb"}, prdata{"prdata"};
  GatedClock clock{"clock", sc_time(10, sc_core::SC_NS)};
  TlmToApb<32> master{"master", &clock};
  Registers registers{"registers"};
  Initiator initiator{"initiator"};

  explicit ApbBench(bool clocked = true) {
    clock.out(clk);
    if (clocked) {
      master.clk(clk);
    } else {
      master.clk(still);
    }
    registers.clk(clk);
    const auto join = [this](auto& pins) {
      pins.psel(psel), pins.penable(penable), pins.pwrite(pwrite), pins.paddr(paddr), pins.pwdata(pwdata);
      pins.pstrb(pstrb), pins.prdata(prdata), pins.pready(pready), pins.pslverr(pslverr);
    };
    join(master);
    join(registers);
    initiator.socket.bind(master.socket);
  }
  sc_core::sc_signal<bool> still{"still"};
};

}  // namespace

TEST_CASE("words and bytes of registers behind APB are written and read, each in three cycles with one wait state") {
  ApbBench bench;
  bench.initiator.program = [&](Initiator& self) {
    Octets data{1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(self.send(tlm::TLM_WRITE_COMMAND, 8, data) == tlm::TLM_OK_RESPONSE);
    CHECK(self.ended.back() == sc_time(70, sc_core::SC_NS));  // from the edge at 10 ns on
    data = {9, 10, 11, 12};
    CHECK(self.send(tlm::TLM_WRITE_COMMAND, 12, data, {0, 0xff}) == tlm::TLM_OK_RESPONSE);
    data = Octets(8, 0xee);
    CHECK(self.send(tlm::TLM_READ_COMMAND, 8, data, {0xff, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff}) == tlm::TLM_OK_RESPONSE);
    CHECK(data == Octets{1, 2, 0xee, 0xee, 5, 10, 7, 12});
    data = Octets(4);
    CHECK(self.send(tlm::TLM_READ_COMMAND, 32, data) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(self.send(tlm::TLM_READ_COMMAND, 2, data) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    data = Octets(3);
    CHECK(self.send(tlm::TLM_READ_COMMAND, 0, data) == tlm::TLM_BURST_ERROR_RESPONSE);
  };
  sc_core::sc_start(sc_time(1, sc_core::SC_SEC));
  CHECK(bench.initiator.finished);
}

namespace {

void expect_stuck(bool clocked, const char* sentence) {
  ApbBench bench(clocked);
  bench.registers.answers = false;
  bench.master.patience = sc_time(1, sc_core::SC_US);
  bench.initiator.program = [&](Initiator& self) {
    Octets data(4);
    self.send(tlm::TLM_READ_COMMAND, 0, data);
  };
  CHECK_THROWS_WITH(sc_core::sc_start(sc_time(1, sc_core::SC_SEC)), Catch::Contains(sentence));
  CHECK_FALSE(bench.initiator.finished);
}

}  // namespace

TEST_CASE("RTL that never answers ends the simulation with a sentence that names place and time") {
  expect_stuck(true, "master, 1020 ns: not yet pready is 1 since 20 ns, in 99 rising edges of the clock");
}

TEST_CASE("a clock that stands still ends the simulation with a sentence that names place and time") {
  expect_stuck(false, "master, 1003 ns: the clock has stood still since 3 ns, and the transactor waits until it rises");
}

TEST_CASE("where the report of stuck RTL is not thrown the transaction ends with an error and the simulation goes on") {
  ApbBench bench;
  bench.registers.answers = false;
  sc_core::sc_report_handler::set_actions(rtl_stuck_report, sc_core::SC_DO_NOTHING);
  bench.initiator.program = [&](Initiator& self) {
    Octets data(4);
    CHECK(self.send(tlm::TLM_READ_COMMAND, 0, data) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    bench.registers.answers = true;
    CHECK(self.send(tlm::TLM_READ_COMMAND, 0, data) == tlm::TLM_OK_RESPONSE);
  };
  sc_core::sc_start(sc_time(1, sc_core::SC_SEC));
  CHECK(bench.initiator.finished);
}

namespace {

/// A master that drives the pins of AXI4 by hand.
struct PinMaster : sc_core::sc_module {
  struct Burst {
    std::uint32_t address, size, kind, id;
    std::vector<std::uint32_t> words;  ///< a beat each
    std::uint32_t strobes = 0xf;
  };
  struct Answer {
    std::uint32_t code, id;
    std::vector<std::uint32_t> words;
  };
  sc_core::sc_signal<bool> clk{"clk"};
  GatedClock clock{"clock", sc_time(10, sc_core::SC_NS), GatedClock::Gate::always_open};
  AxiSignals<32, 32> pins;
  AxiToTlm<32, 32> slave{"slave"};
  Memory memory{"memory"};
  std::function<void(PinMaster&)> program;

  explicit PinMaster(sc_core::sc_module_name name) : sc_module(name) {
    clock.out(clk);
    slave.clk(clk);
    pins.connect(slave);
    slave.socket.bind(memory.socket);
    SC_HAS_PROCESS(PinMaster);
    SC_THREAD(run);
  }
  void until(const sc_core::sc_signal<bool>& pin) {
    do wait(clk.posedge_event());
    while (!pin.read());
  }
  Answer write(const Burst& burst) {
    pins.awaddr.write(burst.address), pins.awsize.write(burst.size), pins.awburst.write(burst.kind), pins.awid.write(burst.id);
    pins.awlen.write(static_cast<std::uint32_t>(burst.words.size() - 1));
    pins.awvalid.write(true);
    until(pins.awready);
    pins.awvalid.write(false);
    for (const std::uint32_t word : burst.words) {
      pins.wdata.write(word), pins.wstrb.write(burst.strobes), pins.wvalid.write(true);
      until(pins.wready);
    }
    pins.wvalid.write(false);
    pins.bready.write(true);
    until(pins.bvalid);
    pins.bready.write(false);
    return {pins.bresp.read(), pins.bid.read(), {}};
  }
  Answer read(const Burst& burst) {
    pins.araddr.write(burst.address), pins.arsize.write(burst.size), pins.arburst.write(burst.kind), pins.arid.write(burst.id);
    pins.arlen.write(static_cast<std::uint32_t>(burst.words.size() - 1));
    pins.arvalid.write(true);
    until(pins.arready);
    pins.arvalid.write(false);
    pins.rready.write(true);
    Answer answer{};
    for (std::size_t beat = 0; beat < burst.words.size(); ++beat) {
      until(pins.rvalid);
      answer.words.push_back(pins.rdata.read());
      answer.code = std::max(answer.code, pins.rresp.read());
      answer.id = pins.rid.read();
      CHECK(pins.rlast.read() == (beat + 1 == burst.words.size()));
    }
    pins.rready.write(false);
    return answer;
  }

 private:
  void run() {
    program(*this);
    sc_core::sc_stop();
  }
};

}  // namespace

TEST_CASE("narrow and unaligned bursts of a master take their lanes, IDs come back, and bursts of another kind get SLVERR") {
  PinMaster master("pins");
  master.program = [](PinMaster& self) {
    // Two bytes a beat, from the middle of a word on: upper lanes, lower lanes.
    CHECK(self.write({.address = 102, .size = 1, .kind = axi::incr, .id = 5, .words = {0x2211'0000, 0x4433}}).id == 5);
    CHECK(std::equal(self.memory.bytes.begin() + 102, self.memory.bytes.begin() + 106, Octets{0x11, 0x22, 0x33, 0x44}.begin()));
    CHECK(self.memory.accesses == 1);
    const auto narrow = self.read({.address = 102, .size = 1, .kind = axi::incr, .id = 6, .words = {0, 0}});
    CHECK(narrow.words == std::vector<std::uint32_t>{0x2211'0000, 0x4433});
    CHECK(narrow.id == 6);
    // From 201 on: the first lane is none of it, and its strobe says so.
    CHECK(self.write({.address = 201, .size = 2, .kind = axi::incr, .id = 0, .words = {0xddcc'bbaa}, .strobes = 0xe}).code == axi::okay);
    CHECK(std::equal(self.memory.bytes.begin() + 200, self.memory.bytes.begin() + 204, Octets{0, 0xbb, 0xcc, 0xdd}.begin()));
    // FIXED, and a beat wider than the data.
    const unsigned accesses = self.memory.accesses;
    CHECK(self.write({.address = 0, .size = 2, .kind = 0, .id = 0, .words = {1, 2}}).code == axi::slverr);
    CHECK(self.read({.address = 0, .size = 2, .kind = 0, .id = 0, .words = {0, 0}}).code == axi::slverr);
    CHECK(self.read({.address = 0, .size = 3, .kind = axi::incr, .id = 0, .words = {0}}).code == axi::slverr);
    CHECK(self.memory.accesses == accesses);
    CHECK(self.read({.address = 1 << 20, .size = 2, .kind = axi::incr, .id = 0, .words = {0}}).code == axi::decerr);
  };
  sc_core::sc_start(sc_time(1, sc_core::SC_MS));
  CHECK(master.memory.accesses == 4);
}

namespace {

struct Noted final : SignalSink {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> changes;  // value, ps
  void change(std::uint32_t, std::uint64_t value, Picoseconds at) override { changes.emplace_back(value, at.value()); }
  void withdraw(std::uint32_t, Picoseconds) override {}
};

}  // namespace

TEST_CASE("pins are shown among signals as of the instants at which they change") {
  sc_core::sc_signal<std::uint32_t> bus{"bus"};
  PinSignals pins("shown");
  pins.show("bus", bus, 32);
  Noted noted;
  pins.signals.watch(0, noted, 0);
  sc_core::sc_start(sc_time(3, sc_core::SC_NS));
  bus.write(0x77);
  sc_core::sc_start(sc_time(4, sc_core::SC_NS));
  bus.write(0x78);
  sc_core::sc_start(sc_time(1, sc_core::SC_NS));
  CHECK(noted.changes == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 0}, {0x77, 3000}, {0x78, 7000}});
  pins.signals.unwatch(noted);
}
