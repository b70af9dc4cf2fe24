#pragma once
// The drive's flash with a channel controller in Verilog: commands of the drive come as TLM payloads, go through the RTL (flash_channel.v,
// by `verilator --cc`) and over pins to a die, and come back.
//
// Nobody else sees these pins, so a command is clocked in one go, without the kernel: the RTL is evaluated twice a clock by plain calls,
// and the thread waits once, for all clocks together. While the die is busy the clock stands still. Time is exact all the same: each edge
// lies on the grid of a clock that always runs, and the pins' changes are told to recorders at their own instants.
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "flash_die.hpp"
#include "tessera/base/signal.hpp"
#include "tessera/base/timeline_module.hpp"
#include "tessera/bus/transactions_module.hpp"
#include "tessera/nand/nand_config.hpp"
#include "tessera/platforms/drive/drive_parts_module.hpp"
#include "tessera/rtl/pins_module.hpp"

using sc_core::sc_time_stamp;  // Verilator's header leaves the namespace out
#include "Vflash_channel.h"

class RtlFlash : public sc_core::sc_module, public tessera::FlashCatalogue {
 public:
  static constexpr tessera::Picoseconds period{10'000};  // 100 MHz
  static constexpr std::uint32_t command_clocks = 8;     // of a read or a program, without data; an erase sends two address cycles less

  tlm_utils::simple_target_socket<RtlFlash> socket{"socket"};
  tessera::SignalScope signals;
  std::uint64_t reads = 0, programs = 0, erases = 0, wrong_sums = 0, clocks = 0;
  std::uint64_t most_clocks = 1'000'000;  ///< of a command, without those at which the die is busy
  bool die_hangs = false;                 ///< R/B# stays low: to see what the RTL's user is told

  RtlFlash(sc_core::sc_module_name name, const tessera::NandConfig& config)
      : sc_module(name),
        config_(config),
        words_(static_cast<std::uint32_t>((config.page_size + config.oob_size).value() / 4)),
        die_(words_, config.pages_per_block, {config.read_time, config.program_time, config.erase_time}),
        arrivals_("arrivals") {
    socket.register_nb_transport_fw(this, &RtlFlash::nb_transport_fw);
    SC_HAS_PROCESS(RtlFlash);
    SC_THREAD(work);
    rtl_.rst_n = 0;
    rtl_.rb_n = 1;
    rtl_.eval();  // takes the pins as they are: a first evaluation sees no edge
    clock();
    rtl_.rst_n = 1;
  }

  tessera::FlashShape shape() const override { return config_.shape(); }
  bool is_bad(tessera::NandBlock) const override { return false; }
  /// Data crosses bus and DRAM while it crosses the channel.
  tessera::FlashLane lane_of(const tessera::FlashCommand& command) const override {
    return {0, period * (command.op == tessera::FlashOp::read_oob ? config_.oob_size.value() / 4 : words_)};
  }
  FlashDie& die() { return die_; }
  /// Rising edges of a clock that always runs, up to now, and of this one.
  [[nodiscard]] std::uint64_t skipped() const { return tessera::from_sc_time(sc_core::sc_time_stamp()) / period - clocks; }

 private:
  using Payload = tlm::tlm_generic_payload;
  enum Op : std::uint8_t { read, program, erase };
  struct Command {
    Op op;
    std::uint32_t column, row, words;
  };

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      response_over_.notify(delay);
      return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    arrivals_.notify(payload, delay);
    return tlm::TLM_ACCEPTED;
  }
  void work() {
    for (;;) {
      Payload* const payload = arrivals_.get_next_transaction();
      if (payload == nullptr) {
        wait(arrivals_.get_event());
        continue;
      }
      send(*payload, tlm::END_REQ);
      carry_out(*payload);
      if (!send(*payload, tlm::BEGIN_RESP)) wait(response_over_);
      payload->release();
    }
  }
  bool send(Payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED) wait(delay);
    return answer == tlm::TLM_COMPLETED;
  }

  void carry_out(Payload& payload) {
    auto& command = payload.get_extension<tessera::FlashExtension>()->command;
    const auto row = static_cast<std::uint32_t>(payload.get_address() / config_.page_size.value());
    const auto data_words = static_cast<std::uint32_t>(config_.page_size.value() / 4);
    std::vector<std::uint32_t> buffer(words_, ~0U);
    auto* const bytes = reinterpret_cast<std::byte*>(buffer.data());
    std::byte* const spare = bytes + config_.page_size.value();
    std::optional<std::uint32_t> sum;
    bool good = true;
    if (payload.is_write()) {
      ++programs;
      std::memcpy(bytes, payload.get_data_ptr(), payload.get_data_length());
      std::ranges::copy(command.oob, spare);
      sum = run({program, 0, row, words_}, buffer);
      sums_[row] = sum.value_or(0);
    } else if (command.op == tessera::FlashOp::erase) {
      ++erases;
      sum = run({erase, 0, row, 0}, buffer);
    } else if (command.op == tessera::FlashOp::read_oob) {
      ++reads;
      sum = run({read, data_words * 4, row, words_ - data_words}, buffer);
      std::memcpy(command.oob.data(), bytes, command.oob.size());
    } else {
      ++reads;
      sum = run({read, 0, row, words_}, buffer);
      std::memcpy(payload.get_data_ptr(), bytes, payload.get_data_length());
      std::copy_n(spare, command.oob.size(), command.oob.begin());
      good = die_.pages.count(row) == 0 || sum == sums_[row];
      wrong_sums += !good;
    }
    const bool reads_page = command.op == tessera::FlashOp::read || command.op == tessera::FlashOp::read_oob;
    if (reads_page && die_.pages.count(row) == 0) command.status = tessera::Status::blank;
    payload.set_response_status(sum && good ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  }

  /// Carries out a command, and waits until the kernel is where its clock is; gives the RTL's checksum, or nothing where it is stuck.
  std::optional<std::uint32_t> run(const Command& command, std::vector<std::uint32_t>& buffer) {
    const tessera::Picoseconds begun = tessera::from_sc_time(sc_core::sc_time_stamp());
    now_ = on_grid(begun) - period;
    rtl_.op = command.op;
    rtl_.column = static_cast<std::uint16_t>(command.column);
    rtl_.row = command.row;
    rtl_.words = static_cast<std::uint16_t>(command.words);
    rtl_.start = 1;
    std::size_t next = 0;
    std::uint64_t count = 0;
    do {
      if (count++ == most_clocks) return stuck(command, begun);
      now_ += period;
      if (rtl_.state == waits_for_die && !die_.ready(now_) && !die_hangs) now_ = on_grid(die_.ready_at());
      rtl_.rb_n = die_.ready(now_) && !die_hangs;
      const bool strobe = !rtl_.re_n;
      if (strobe) rtl_.dq_in = die_.output();
      if (rtl_.take) rtl_.from_buffer = buffer[next++];
      clock();
      rtl_.start = 0;
      if (strobe) die_.read_strobe();
      if (rtl_.give) buffer[next++] = rtl_.to_buffer;
      die_.see(rtl_, now_);
      show();
    } while (!rtl_.done);
    wait(tessera::to_sc_time(now_ - begun));
    return rtl_.crc;
  }
  void clock() {
    rtl_.clk = 1;
    rtl_.eval();
    ++clocks;
    rtl_.clk = 0;
    rtl_.eval();
  }
  static tessera::Picoseconds on_grid(tessera::Picoseconds at) { return (at + period - tessera::Picoseconds(1)) / period * period; }
  std::optional<std::uint32_t> stuck(const Command& command, tessera::Picoseconds begun) {
    constexpr std::array names{"read", "program", "erase"};
    const std::string what = std::string(name()) + ", " + tessera::to_sc_time(begun).to_string() + ": the RTL has not ended the " +
                             names[command.op] + " of row " + std::to_string(command.row) + " in " + std::to_string(most_clocks) +
                             " clocks; it is in state " + std::to_string(rtl_.state) + ", and R/B# is " + std::to_string(rtl_.rb_n);
    SC_REPORT_ERROR(tessera::rtl_stuck_report, what.c_str());
    return std::nullopt;
  }
  void show() const {
    if (!tessera::Signal::anyone_watches()) return;
    clk_.set(1, now_);
    clk_.set(0, now_ + period / 2);
    ce_n_.set(rtl_.ce_n, now_);
    cle_.set(rtl_.cle, now_);
    ale_.set(rtl_.ale, now_);
    we_n_.set(rtl_.we_n, now_);
    re_n_.set(rtl_.re_n, now_);
    rb_n_.set(die_.ready(now_), now_);
    if (!die_.ready(now_)) rb_n_.set(1, die_.ready_at());
    dq_.set(rtl_.re_n ? rtl_.dq_out : rtl_.dq_in, now_);
    state_.set(rtl_.state, now_);
  }

  static constexpr std::uint32_t waits_for_die = 6;  // BUSY in flash_channel.v

  tessera::NandConfig config_;
  std::uint32_t words_;  // of a page
  FlashDie die_;
  Vflash_channel rtl_;
  std::map<std::uint32_t, std::uint32_t> sums_;  // by row
  tessera::Picoseconds now_;                     // the edge in hand
  tlm_utils::peq_with_get<Payload> arrivals_;
  sc_core::sc_event response_over_;
  tessera::SignalScope& pins_ = signals.part("pins");
  tessera::Signal clk_ = pins_.bit("clk"), ce_n_ = pins_.bit("ce_n", 1), cle_ = pins_.bit("cle"), ale_ = pins_.bit("ale"),
                  we_n_ = pins_.bit("we_n", 1), re_n_ = pins_.bit("re_n", 1), rb_n_ = pins_.bit("rb_n", 1), dq_ = pins_.number("dq", 32);
  tessera::Signal state_ =
      signals.part("rtl").state("state", {"idle", "command", "address", "data_in", "confirm", "settle", "busy", "data_out", "done"});
};
