#pragma once
// A processor of somebody else's with firmware of its own: plain SystemC and TLM-2.0, a thread, a socket and two pins. It knows the drive's
// registers by docs/reference/registers.md alone, and includes nothing of the drive's.
//
// Its firmware: logical sector s lies at place s of the tracks in order, of one zone. A command whose data lies on two tracks takes two
// steps.
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <systemc>

namespace strangers {

class Processor : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Processor> socket{"socket"};
  sc_core::sc_in<bool> interrupt{"interrupt"};
  sc_core::sc_in<bool> reset{"reset"};

  static constexpr std::uint64_t memory = 0x40000;  ///< bytes that it needs for itself
  std::function<void(Processor&)> before_ready;     ///< what else it does in its boot

  enum Register : std::uint64_t {
    ident_boot_data = 0x40000010,
    ident_capacity = 0x40000028,
    ident_request = 0x40000030,
    ident_answer = 0x40000040,
    ident_idle = 0x40000048,
    host_ring = 0x40001000,
    host_entries = 0x40001008,
    host_complete = 0x40001010,
    disk_submit = 0x40002000,
    disk_completions = 0x40002008,
    disk_entries = 0x40002010,
    disk_consumed = 0x40002018,
    interrupts_pending = 0x40007000,
    interrupts_enable = 0x40007008,
    interrupts_clear = 0x40007010
  };
  enum Line : std::uint64_t { line_request = 1, line_host = 2, line_disk = 4 };

  explicit Processor(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_invalidate_direct_mem_ptr(this, &Processor::lose_pointer);
    SC_HAS_PROCESS(Processor);
    SC_THREAD(run);
  }

  bool uses_pointers = false;  ///< direct memory access, where a payload hints at it
  unsigned pointers_taken = 0, pointers_lost = 0;

  tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    if (reach_directly(command, address, data, bytes)) return tlm::TLM_OK_RESPONSE;
    keep_up();
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    if (uses_pointers && payload.is_dmi_allowed()) ask_for_pointer(payload);
    return payload.get_response_status();
  }
  std::uint64_t get(std::uint64_t which) { return load<std::uint64_t>(which); }
  void set(std::uint64_t which, std::uint64_t value) { store(which, value); }
  void wait_for_interrupt() {
    keep_up();
    if (!interrupt.read()) wait(interrupt.posedge_event() | reset.posedge_event());
    if (reset.read()) throw Reset();
  }

 private:
  /// Local time runs ahead of the kernel's by no more than this.
  static inline const sc_core::sc_time ahead_at_most{200, sc_core::SC_NS};

  bool reach_directly(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    if (!uses_pointers || !has_pointer_ || address < pointer_.get_start_address() || address + bytes - 1 > pointer_.get_end_address())
      return false;
    unsigned char* const here = pointer_.get_dmi_ptr() + (address - pointer_.get_start_address());
    const bool reads = command == tlm::TLM_READ_COMMAND;
    reads ? std::memcpy(data, here, bytes) : std::memcpy(here, data, bytes);
    local_ += reads ? pointer_.get_read_latency() : pointer_.get_write_latency();
    if (local_ > ahead_at_most) keep_up();
    return true;
  }
  void keep_up() {
    if (local_ != sc_core::SC_ZERO_TIME) wait(local_);
    local_ = sc_core::SC_ZERO_TIME;
  }
  void ask_for_pointer(tlm::tlm_generic_payload& payload) {
    has_pointer_ = socket->get_direct_mem_ptr(payload, pointer_);
    pointers_taken += has_pointer_ ? 1 : 0;
  }
  void lose_pointer(sc_dt::uint64 first, sc_dt::uint64 last) {
    if (!has_pointer_ || last < pointer_.get_start_address() || first > pointer_.get_end_address()) return;
    has_pointer_ = false;
    ++pointers_lost;
  }
  struct Reset {};
  struct BootData {
    std::uint64_t bytes, tags, sector_bytes, surfaces, reserved_sectors, exported_sectors, spare_radii, zones, zone_table;
  };
  struct Zone {
    std::uint64_t first_radius, radii, sectors_per_track, spare_sectors;
  };
  struct Command {
    std::uint32_t kind, tag, op, flags;
    std::uint64_t first_block, blocks, data, sectors;
    std::uint32_t status, half;
    std::uint64_t turn;
  };
  struct Completion {
    std::uint64_t cookie;
    std::uint32_t status, steps_done, any_lost, held;
    std::uint64_t turn;
  };
  struct Chain {
    std::uint64_t cookie;
    std::uint32_t steps, priority, carry_lost, tag, supervised, reserved;
    struct Step {
      std::uint32_t op = 0, hint = 0, surface = 0, radius = 0, first = 0, count = 0;
      std::uint64_t data = 0, system = 0, headers = 0;
      std::uint32_t header_count = 0, each_header = 0;
    } step[16];
  };
  static constexpr std::uint64_t tags = 256;
  static constexpr std::uint64_t commands = 0x80000000;
  static constexpr std::uint64_t completions = commands + tags * sizeof(Command);
  static constexpr std::uint64_t chains = completions + tags * sizeof(Completion);
  static_assert(chains + tags * sizeof(Chain) <= commands + memory);
  static constexpr std::uint32_t write_command = 1;
  enum Status : std::uint64_t { ok = 0, rule_violation = 6 };

  template <class T>
  T load(std::uint64_t address) {
    T value{};
    if (transport(tlm::TLM_READ_COMMAND, address, &value, sizeof value) != tlm::TLM_OK_RESPONSE) throw Reset();
    return value;
  }
  template <class T>
  void store(std::uint64_t address, T value) {
    if (transport(tlm::TLM_WRITE_COMMAND, address, &value, sizeof value) != tlm::TLM_OK_RESPONSE) throw Reset();
  }

  void run() {
    for (;;) {
      while (reset.read()) wait(reset.negedge_event());
      try {
        start();
        for (;;) serve();
      } catch (const Reset&) {
        if (!reset.read()) wait(reset.posedge_event());
      }
    }
  }

  void start() {
    commands_taken_ = completions_taken_ = 0;
    const auto at = get(ident_boot_data);
    const auto boot = load<BootData>(at);
    const auto zone = load<Zone>(at + boot.zone_table);
    sector_bytes_ = boot.sector_bytes;
    surfaces_ = boot.surfaces;
    per_track_ = zone.sectors_per_track;
    set(host_ring, commands);
    set(host_entries, tags);
    set(disk_completions, completions);
    set(disk_entries, tags);
    set(interrupts_enable, line_request | line_host | line_disk);
    if (before_ready) before_ready(*this);
    set(ident_capacity, zone.radii * surfaces_ * per_track_);
    set(ident_idle, 1);
  }

  void serve() {
    const std::uint64_t lines = get(interrupts_pending);
    set(interrupts_clear, lines);
    if ((lines & line_request) != 0 && get(ident_request) != 0) set(ident_answer, ok);
    if ((lines & line_disk) != 0) take_completions();
    if ((lines & line_host) != 0) take_commands();
    if (lines == 0) wait_for_interrupt();
  }

  void take_commands() {
    for (;; ++commands_taken_) {
      const auto command = load<Command>(commands + commands_taken_ % tags * sizeof(Command));
      if (command.turn != commands_taken_ / tags + 1) return;
      if (command.kind == 0) begin(command);
    }
  }

  void begin(const Command& command) {
    if (command.op > write_command) return end(command.tag, ok);  // flush, trim: nothing is ever kept back
    const std::uint64_t blocks = sector_bytes_ / 512;
    if (command.first_block % blocks != 0 || command.blocks % blocks != 0) return end(command.tag, rule_violation);
    Chain chain{};
    chain.cookie = chain.tag = command.tag;
    std::uint64_t at = command.first_block / blocks, data = command.data;
    for (std::uint64_t left = command.blocks / blocks; left != 0;) {
      if (chain.steps == std::size(chain.step)) return end(command.tag, rule_violation);
      const std::uint64_t track = at / per_track_, first = at % per_track_, count = std::min(per_track_ - first, left);
      chain.step[chain.steps++] = {.op = command.op,
                                   .surface = static_cast<std::uint32_t>(track % surfaces_),
                                   .radius = static_cast<std::uint32_t>(track / surfaces_),
                                   .first = static_cast<std::uint32_t>(first),
                                   .count = static_cast<std::uint32_t>(count),
                                   .data = data};
      at += count;
      left -= count;
      data += count * sector_bytes_;
    }
    const std::uint64_t place = chains + command.tag * sizeof(Chain);
    store(place, chain);
    set(disk_submit, place);
  }

  void take_completions() {
    for (;;) {
      const auto done = load<Completion>(completions + completions_taken_ % tags * sizeof(Completion));
      if (done.turn != completions_taken_ / tags + 1) return;
      set(disk_consumed, ++completions_taken_);
      end(done.cookie, done.status);
    }
  }

  void end(std::uint64_t tag, std::uint64_t status) { set(host_complete, tag | status << 32); }
  tlm::tlm_dmi pointer_;
  bool has_pointer_ = false;
  sc_core::sc_time local_;
  std::uint64_t commands_taken_ = 0, completions_taken_ = 0, sector_bytes_ = 0, surfaces_ = 0, per_track_ = 0;
};

}  // namespace strangers
