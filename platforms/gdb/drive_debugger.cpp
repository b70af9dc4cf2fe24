#include "platforms/gdb/drive_debugger.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/firmware_fault.hpp"

namespace tessera {

namespace {

constexpr int status_of_a_fault = 3;

}  // namespace

DriveDebugger::DriveDebugger(std::uint16_t port, bool wide, DebuggedDrive drive)
    : HartDebugTarget(wide), drive_(std::move(drive)), server_(port, *this, drive_.gives_up) {}

bool DriveDebugger::begins(riscv::Hart& hart, const riscv::Memory& memory, const RegisterFile& registers) {
  show(&hart, &memory);
  registers_ = &registers;
  server_.renewed();
  return !std::exchange(has_begun_, true) && serve({DebugStop::Reason::begin, 0, 0, {}});
}

std::size_t DriveDebugger::read(std::uint64_t address, std::span<std::byte> bytes) {
  std::size_t done = HartDebugTarget::read(address, bytes);
  if (done != 0 || registers_ == nullptr) return done;
  while (done < bytes.size()) {
    const std::size_t offset = (address + done) % sizeof(std::uint64_t);
    const std::optional<std::uint64_t> value = registers_->peek(address + done - offset);
    if (!value) break;
    const std::size_t part = std::min(bytes.size() - done, sizeof *value - offset);
    std::memcpy(bytes.data() + done, reinterpret_cast<const std::byte*>(&*value) + offset, part);
    done += part;
  }
  return done;
}

bool DriveDebugger::stopped(riscv::Stop reason) {
  if (reason != riscv::Stop::limit) return serve(debug_stop(hart(), reason));
  return serve({stepping_ ? DebugStop::Reason::step : DebugStop::Reason::interrupt, 0, 0, {}});
}

bool DriveDebugger::serve(const DebugStop& stop) {
  const Resume how = server_.stopped(stop);
  if (how == Resume::end) drive_.end_run();
  stepping_ = how == Resume::step;
  return stepping_;
}

void DriveDebugger::failed(const std::string& sentence) {
  static_cast<void>(server_.stopped({DebugStop::Reason::fault, 0, 0, sentence + "\n"}));
  server_.exited(status_of_a_fault);
}

std::optional<std::string> DriveDebugger::simulated_time() const { return in_milliseconds(drive_.now()) + "\n"; }

std::optional<std::string> DriveDebugger::cut_power() {
  if (!drive_.cut_power) return "the drive is being switched on: there is nothing to cut yet\n";
  drive_.cut_power();
  return "the power is cut when the processor goes on\n";
}

}  // namespace tessera
