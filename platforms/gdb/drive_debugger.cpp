#include "platforms/gdb/drive_debugger.hpp"

#include <utility>

#include "base/firmware_fault.hpp"

namespace tessera {

namespace {

constexpr int status_of_a_fault = 3;

}  // namespace

DriveDebugger::DriveDebugger(std::uint16_t port, bool wide, DebuggedDrive drive)
    : HartDebugTarget(wide), drive_(std::move(drive)), server_(port, *this, drive_.gives_up) {}

bool DriveDebugger::begins(riscv::Hart& hart, const riscv::Memory& memory) {
  show(&hart, &memory);
  server_.renewed();
  return !std::exchange(has_begun_, true) && serve({DebugStop::Reason::begin, 0, 0, {}});
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
