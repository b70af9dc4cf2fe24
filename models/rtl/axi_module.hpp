#pragma once
// AXI4 and AXI4-Lite (ARM IHI 0022) between pins and TLM-2.0: AxiToTlm serves a master in RTL, TlmToAxi drives a slave in RTL.
//
// Of AXI4: INCR bursts of up to 256 beats, of the data's whole width or narrow; one write and one read under way side by side; responses
// in order, with the ID of their request. Another kind of burst is answered with SLVERR. No locks, caches, protection, QoS, regions and
// users: their pins stay between the RTL and its signals. For AXI4-Lite leave the pins of bursts and IDs unbound.
//
// Strobes are byte enables. TLM_ADDRESS_ERROR_RESPONSE is DECERR, any other error SLVERR; the other way round SLVERR is
// TLM_GENERIC_ERROR_RESPONSE.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/byte_enables.hpp"
#include "rtl/pins_module.hpp"

namespace tessera {

/// Each pin once: master(type, name) is driven by the master, slave(type, name) by the slave, those of AXI4 alone by master_4 and slave_4.
// clang-format off
#define TESSERA_AXI_PINS(master, slave, master_4, slave_4)                                                                              \
  master(bool, awvalid) slave(bool, awready) master(Address, awaddr)                                                                    \
  master_4(std::uint32_t, awlen) master_4(std::uint32_t, awsize) master_4(std::uint32_t, awburst) master_4(std::uint32_t, awid)         \
  master(bool, wvalid) slave(bool, wready) master(Data, wdata) master(std::uint32_t, wstrb) master_4(bool, wlast)                       \
  slave(bool, bvalid) master(bool, bready) slave(std::uint32_t, bresp) slave_4(std::uint32_t, bid)                                      \
  master(bool, arvalid) slave(bool, arready) master(Address, araddr)                                                                    \
  master_4(std::uint32_t, arlen) master_4(std::uint32_t, arsize) master_4(std::uint32_t, arburst) master_4(std::uint32_t, arid)         \
  slave(bool, rvalid) master(bool, rready) slave(Data, rdata) slave(std::uint32_t, rresp) slave_4(bool, rlast) slave_4(std::uint32_t, rid)
// clang-format on
// NOLINTBEGIN(bugprone-macro-parentheses): types and names
#define TESSERA_AXI_IN(type, name) InPin<type> name{#name};
#define TESSERA_AXI_OUT(type, name) OutPin<type> name{#name};
#define TESSERA_AXI_IN_4(type, name) OptionalInPin<type> name{#name};
#define TESSERA_AXI_OUT_4(type, name) OptionalOutPin<type> name{#name};
#define TESSERA_AXI_SIGNAL(type, name) sc_core::sc_signal<type> name{#name};
#define TESSERA_AXI_BIND(type, name) pins.name(name);
#define TESSERA_AXI_NOTHING(type, name)
// NOLINTEND(bugprone-macro-parentheses)

namespace axi {
inline constexpr std::uint32_t okay = 0, slverr = 2, decerr = 3, incr = 1, most_beats = 256, boundary = 4096;

inline std::uint32_t code_of(tlm::tlm_response_status status) {
  return status == tlm::TLM_OK_RESPONSE ? okay : status == tlm::TLM_ADDRESS_ERROR_RESPONSE ? decerr : slverr;
}
inline tlm::tlm_response_status status_of(std::uint32_t code) {
  return code < slverr ? tlm::TLM_OK_RESPONSE : code == decerr ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE;
}
template <class Word>
Word value_of(const OptionalInPin<Word>& pin, Word unbound) {
  return pin.size() == 0 ? unbound : pin->read();
}
template <class Word>
void drive(OptionalOutPin<Word>& pin, Word value) {
  if (pin.size() != 0) pin->write(value);
}
}  // namespace axi

/// The signals of an interface; a transactor is bound to all of them at once, RTL port by port.
template <unsigned address_bits, unsigned data_bits>
struct AxiSignals {
  using Address = PinWord<address_bits>;
  using Data = PinWord<data_bits>;
  TESSERA_AXI_PINS(TESSERA_AXI_SIGNAL, TESSERA_AXI_SIGNAL, TESSERA_AXI_SIGNAL, TESSERA_AXI_SIGNAL)

  template <class Pins>
  void connect(Pins& pins) {
    TESSERA_AXI_PINS(TESSERA_AXI_BIND, TESSERA_AXI_BIND, TESSERA_AXI_BIND, TESSERA_AXI_BIND)
  }
  /// The same for AXI4-Lite.
  template <class Pins>
  void connect_lite(Pins& pins) {
    TESSERA_AXI_PINS(TESSERA_AXI_BIND, TESSERA_AXI_BIND, TESSERA_AXI_NOTHING, TESSERA_AXI_NOTHING)
  }
};

/// Turns the bursts of a master in RTL into blocking transactions. Its clock runs by the master's own `busy`, or always.
template <unsigned address_bits, unsigned data_bits>
class AxiToTlm : public PinsModule {
 public:
  using Address = PinWord<address_bits>;
  using Data = PinWord<data_bits>;
  TESSERA_AXI_PINS(TESSERA_AXI_IN, TESSERA_AXI_OUT, TESSERA_AXI_IN_4, TESSERA_AXI_OUT_4)
  tlm_utils::simple_initiator_socket<AxiToTlm> socket{"socket"};

  explicit AxiToTlm(sc_core::sc_module_name name) : PinsModule(name, nullptr) {
    SC_HAS_PROCESS(AxiToTlm);
    SC_THREAD(serve_writes);
    SC_THREAD(serve_reads);
  }

 private:
  static constexpr std::uint32_t width = data_bits / 8;
  /// What a request says.
  struct Burst {
    std::uint64_t address;
    std::uint32_t beats, beat_bytes, id;
    bool served;  ///< it is one of the subset

    [[nodiscard]] std::uint64_t first() const { return address / beat_bytes * beat_bytes; }
    [[nodiscard]] std::uint32_t bytes() const { return beats * beat_bytes; }
    /// On the data's pins.
    [[nodiscard]] std::uint32_t lane(std::uint32_t beat) const {
      return static_cast<std::uint32_t>((first() + std::uint64_t{beat} * beat_bytes) % width);
    }
  };

  static std::uint32_t whole() { return static_cast<std::uint32_t>(std::bit_width(width) - 1); }
  Burst burst(std::uint64_t address, std::uint32_t length, std::uint32_t size, std::uint32_t kind, std::uint32_t id) {
    const bool fits = size <= whole() && (length == 0 || kind == axi::incr);
    return {address, length + 1, 1U << std::min(size, whole()), id, fits};
  }
  std::uint32_t transport(tlm::tlm_command command, const Burst& burst, std::vector<unsigned char>& data,
                          std::vector<unsigned char>* enables) {
    if (!burst.served) return axi::slverr;
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(burst.first());
    payload.set_data_ptr(data.data());
    payload.set_data_length(burst.bytes());
    payload.set_streaming_width(burst.bytes());
    if (enables != nullptr && !std::ranges::all_of(*enables, [](unsigned char enable) { return enable == 0xff; })) {
      payload.set_byte_enable_ptr(enables->data());
      payload.set_byte_enable_length(burst.bytes());
    }
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    return axi::code_of(payload.get_response_status());
  }

  void serve_writes() {
    for (;;) {
      awready->write(true);
      do {
        if (!awvalid->read()) wait(awvalid->value_changed_event());
        if (!edge_until(writing_, "it rises", [] { return true; })) return;
      } while (!awvalid->read());
      const Burst asked = burst(awaddr->read(), axi::value_of(awlen, 0U), axi::value_of(awsize, whole()), axi::value_of(awburst, axi::incr),
                                axi::value_of(awid, 0U));
      awready->write(false);
      std::vector<unsigned char> data(asked.bytes()), enables(asked.bytes());
      wready->write(true);
      for (std::uint32_t beat = 0; beat < asked.beats; ++beat) {
        if (!edge_until(writing_, "wvalid is 1", [this] { return wvalid->read(); })) return;
        const Data word = wdata->read();
        for (std::uint32_t i = 0; i < asked.beat_bytes; ++i) {
          const std::uint32_t lane = asked.lane(beat) + i;
          data[beat * asked.beat_bytes + i] = static_cast<unsigned char>(word >> (8 * lane));
          enables[beat * asked.beat_bytes + i] = (wstrb->read() >> lane & 1) != 0 ? 0xff : 0;
        }
      }
      wready->write(false);
      bresp->write(transport(tlm::TLM_WRITE_COMMAND, asked, data, &enables));
      axi::drive(bid, asked.id);
      edge();
      bvalid->write(true);
      if (!edge_until(writing_, "bready is 1", [this] { return bready->read(); })) return;
      bvalid->write(false);
    }
  }

  void serve_reads() {
    for (;;) {
      arready->write(true);
      do {
        if (!arvalid->read()) wait(arvalid->value_changed_event());
        if (!edge_until(reading_, "it rises", [] { return true; })) return;
      } while (!arvalid->read());
      const Burst asked = burst(araddr->read(), axi::value_of(arlen, 0U), axi::value_of(arsize, whole()), axi::value_of(arburst, axi::incr),
                                axi::value_of(arid, 0U));
      arready->write(false);
      std::vector<unsigned char> data(asked.bytes());
      const std::uint32_t code = transport(tlm::TLM_READ_COMMAND, asked, data, nullptr);
      axi::drive(rid, asked.id);
      edge();
      for (std::uint32_t beat = 0; beat < asked.beats; ++beat) {
        Data word = 0;
        for (std::uint32_t i = 0; i < asked.beat_bytes; ++i)
          word |= static_cast<Data>(Data{data[beat * asked.beat_bytes + i]} << (8 * (asked.lane(beat) + i)));
        rdata->write(word);
        rresp->write(code);
        axi::drive(rlast, beat + 1 == asked.beats);
        rvalid->write(true);
        if (!edge_until(reading_, "rready is 1", [this] { return rready->read(); })) return;
      }
      rvalid->write(false);
    }
  }

  Waiter writing_, reading_;
};

/// Turns blocking transactions into bursts to a slave in RTL, one transaction at a time; bytes that are not enabled have no strobe.
template <unsigned address_bits, unsigned data_bits>
class TlmToAxi : public PinsModule {
 public:
  using Address = PinWord<address_bits>;
  using Data = PinWord<data_bits>;
  TESSERA_AXI_PINS(TESSERA_AXI_OUT, TESSERA_AXI_IN, TESSERA_AXI_OUT_4, TESSERA_AXI_IN_4)
  tlm_utils::simple_target_socket<TlmToAxi> socket{"socket"};

  explicit TlmToAxi(sc_core::sc_module_name name, GatedClock* gate = nullptr) : PinsModule(name, gate) {
    socket.register_b_transport(this, &TlmToAxi::b_transport);
  }

 private:
  static constexpr std::uint32_t width = data_bits / 8;
  using Payload = tlm::tlm_generic_payload;

  void b_transport(Payload& payload, sc_core::sc_time& delay) {
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    if (has_wrong_enables(payload)) return payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    const std::uint64_t begin = payload.get_address();
    const std::uint64_t end = begin + payload.get_data_length();
    if (begin == end || payload.get_streaming_width() < end - begin) return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    if (delay != sc_core::SC_ZERO_TIME) wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
    one_at_a_time_.lock();
    const ClockRequest running(gate());
    payload.set_response_status(edge_until(waiter_, "it rises", [] { return true; }) ? tlm::TLM_OK_RESPONSE
                                                                                     : tlm::TLM_GENERIC_ERROR_RESPONSE);
    const std::uint32_t most = awlen.size() == 0 ? width : axi::most_beats * width;
    for (std::uint64_t at = begin / width * width; at < end && payload.is_response_ok();) {
      const std::uint64_t until = std::min({(end + width - 1) / width * width, at + most, (at / axi::boundary + 1) * axi::boundary});
      payload.set_response_status(payload.is_read() ? read(payload, at, until) : write(payload, at, until));
      at = until;
    }
    one_at_a_time_.unlock();
  }

  /// Of the word at `at`, calls visit(byte of the payload, lane) for each that is in the payload and enabled.
  template <class Visit>
  void each_byte(const Payload& payload, std::uint64_t at, const Visit& visit) {
    const ByteEnables enables = enables_of(payload);
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      const std::uint64_t byte = at + lane - payload.get_address();
      if (byte < payload.get_data_length() && enables[byte]) visit(byte, lane);
    }
  }
  void present(const Payload& payload, std::uint64_t at, std::uint64_t until) {
    Data word = 0;
    std::uint32_t strobes = 0;
    each_byte(payload, at, [&](std::uint64_t byte, std::uint32_t lane) {
      word |= static_cast<Data>(Data{payload.get_data_ptr()[byte]} << (8 * lane));
      strobes |= 1U << lane;
    });
    wdata->write(word);
    wstrb->write(strobes);
    axi::drive(wlast, at + width == until);
    wvalid->write(true);
  }
  tlm::tlm_response_status write(const Payload& payload, std::uint64_t at, std::uint64_t until) {
    ask(awaddr, awlen, awsize, awburst, awid, at, until);
    awvalid->write(true);
    bool addressed = false;
    present(payload, at, until);
    while (!addressed || at < until) {
      const auto moved = [&] { return (!addressed && awready->read()) || (at < until && wready->read()); };
      if (!edge_until(waiter_, addressed ? "wready is 1" : "awready or wready is 1", moved)) return tlm::TLM_GENERIC_ERROR_RESPONSE;
      const bool word_taken = at < until && wready->read();
      if (!addressed && awready->read()) {
        addressed = true;
        awvalid->write(false);
      }
      if (!word_taken) continue;
      at += width;
      at < until ? present(payload, at, until) : wvalid->write(false);
    }
    bready->write(true);
    if (!edge_until(waiter_, "bvalid is 1", [this] { return bvalid->read(); })) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    bready->write(false);
    return axi::status_of(bresp->read());
  }
  tlm::tlm_response_status read(const Payload& payload, std::uint64_t at, std::uint64_t until) {
    ask(araddr, arlen, arsize, arburst, arid, at, until);
    arvalid->write(true);
    if (!edge_until(waiter_, "arready is 1", [this] { return arready->read(); })) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    arvalid->write(false);
    rready->write(true);
    std::uint32_t worst = axi::okay;
    for (; at < until; at += width) {
      if (!edge_until(waiter_, "rvalid is 1", [this] { return rvalid->read(); })) return tlm::TLM_GENERIC_ERROR_RESPONSE;
      const Data word = rdata->read();
      each_byte(payload, at, [&](std::uint64_t byte, std::uint32_t lane) {
        payload.get_data_ptr()[byte] = static_cast<unsigned char>(word >> (8 * lane));
      });
      worst = std::max(worst, rresp->read());
    }
    rready->write(false);
    return axi::status_of(worst);
  }
  void ask(OutPin<Address>& address, OptionalOutPin<std::uint32_t>& length, OptionalOutPin<std::uint32_t>& size,
           OptionalOutPin<std::uint32_t>& kind, OptionalOutPin<std::uint32_t>& id, std::uint64_t at, std::uint64_t until) {
    address->write(static_cast<Address>(at));
    axi::drive(length, static_cast<std::uint32_t>((until - at) / width - 1));
    axi::drive(size, static_cast<std::uint32_t>(std::bit_width(width) - 1));
    axi::drive(kind, axi::incr);
    axi::drive(id, 0U);
  }

  sc_core::sc_mutex one_at_a_time_;
  Waiter waiter_;
};

#undef TESSERA_AXI_PINS
#undef TESSERA_AXI_IN
#undef TESSERA_AXI_OUT
#undef TESSERA_AXI_IN_4
#undef TESSERA_AXI_OUT_4
#undef TESSERA_AXI_SIGNAL
#undef TESSERA_AXI_BIND
#undef TESSERA_AXI_NOTHING

}  // namespace tessera
