#include "platforms/gdb/hart_debug_target.hpp"

#include <algorithm>
#include <cstring>

#include "platforms/gdb/gdb_features.hpp"
#include "platforms/gdb/gdb_packets.hpp"

namespace tessera {

namespace {

bool is_shown(unsigned number) {
  return std::any_of(shown_csrs().begin(), shown_csrs().end(), [number](const CsrName& csr) { return csr.number == number; });
}

}  // namespace

std::uint64_t HartDebugTarget::register_value(unsigned number) const { return number == pc_number ? hart_->pc() : hart_->x(number); }

void HartDebugTarget::set_register(unsigned number, std::uint64_t value) {
  if (number == pc_number) {
    if (value != hart_->pc()) hart_->set_pc(value);  // a jump to where it is would cost the time of one
  } else if (number != 0) {
    hart_->set_x(number, value);
  }
}

std::optional<std::uint64_t> HartDebugTarget::csr(unsigned number) const {
  return is_shown(number) ? std::optional(hart_->csr(number)) : std::nullopt;
}

bool HartDebugTarget::set_csr(unsigned number, std::uint64_t value) { return is_shown(number) && hart_->set_csr(number, value); }

std::size_t HartDebugTarget::read(std::uint64_t address, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {  // page by page, as a part of it may be memory
    const std::size_t part = std::min<std::uint64_t>(bytes.size() - done, riscv::page_bytes - (address + done) % riscv::page_bytes);
    const std::byte* const place = memory_->find(address + done, part);
    if (place == nullptr) break;
    std::memcpy(bytes.data() + done, place, part);
    done += part;
  }
  return done;
}

bool HartDebugTarget::write(std::uint64_t address, std::span<const std::byte> bytes) {
  std::byte* const place = memory_->find(address, bytes.size());
  if (place == nullptr) return false;
  std::copy(bytes.begin(), bytes.end(), place);
  hart_->memory_written(address, bytes.size());
  return true;
}

bool HartDebugTarget::set_breakpoint(std::uint64_t address, bool set) {
  if (hart_ == nullptr) return true;
  if (address % 2 != 0 || memory_->find(address, 2) == nullptr) return false;
  if (set) {
    hart_->set_breakpoint(address);
  } else {
    hart_->clear_breakpoint(address);
  }
  return true;
}

bool HartDebugTarget::set_watchpoint(std::uint64_t address, std::uint64_t bytes, WatchKind kind, bool set) {
  if (hart_ == nullptr) return true;
  const bool reads = kind != WatchKind::write, writes = kind != WatchKind::read;
  if (memory_->find(address, bytes) == nullptr) return false;
  if (set) {
    hart_->set_watchpoint(address, bytes, reads, writes);
  } else {
    hart_->clear_watchpoint(address, bytes, reads, writes);
  }
  return true;
}

DebugStop debug_stop(const riscv::Hart& hart, riscv::Stop stop) {
  using Reason = DebugStop::Reason;
  switch (stop) {
    case riscv::Stop::breakpoint: return {Reason::breakpoint, 0, 0, {}};
    case riscv::Stop::watchpoint: return {Reason::watchpoint, hart.watched().address, hart.watched().bytes, {}};
    case riscv::Stop::fault:
      return {Reason::fault, 0, 0,
              "fault: cause " + std::to_string(hart.fault().cause) + " at 0x" + hex_number(hart.fault().pc) + ", value 0x" +
                  hex_number(hart.fault().value) + "\n"};
    default: return {Reason::step, 0, 0, {}};
  }
}

}  // namespace tessera
