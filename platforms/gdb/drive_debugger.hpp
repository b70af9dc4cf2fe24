#pragma once
// A debugger at the processor of a drive that runs a firmware image: it waits for GDB before the image's first instruction, and keeps
// breakpoints through power cuts, behind which the drive has a new processor.
#include <functional>
#include <string>

#include "base/units.hpp"
#include "machine/hart_driver.hpp"
#include "platforms/gdb/gdb_server.hpp"
#include "platforms/gdb/hart_debug_target.hpp"

namespace tessera {

/// What a debugger is told of the drive around the processor, and asks of it.
struct DebuggedDrive {
  std::function<Picoseconds()> now;
  std::function<std::string()> requests;  ///< those under way, a line each
  std::function<void()> cut_power;        ///< as soon as the processor goes on; none: there is nothing to cut yet
  std::function<void()> end_run;          ///< in order, as far as it is
  std::function<bool()> gives_up;         ///< whether the program was asked to end
};

class DriveDebugger final : public HartDebugger, private HartDebugTarget {
 public:
  /// Listens on `port` of the loopback interface (0: any); `wide`: RV64.
  DriveDebugger(std::uint16_t port, bool wide, DebuggedDrive drive);

  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  /// The power can be cut from now on.
  void can_cut(std::function<void()> cut) { drive_.cut_power = std::move(cut); }
  void exited(int status) { server_.exited(status); }

  // HartDebugger
  [[nodiscard]] bool begins(riscv::Hart& hart, const riscv::Memory& memory, const RegisterFile& registers) override;
  void ends() override {
    show(nullptr, nullptr);
    registers_ = nullptr;
  }
  [[nodiscard]] bool stopped(riscv::Stop reason) override;
  [[nodiscard]] bool wants_stop() override { return server_.wants_stop(); }
  void failed(const std::string& sentence) override;

 private:
  /// Memory, or registers that can be read: reading one from here has no effect.
  [[nodiscard]] std::size_t read(std::uint64_t address, std::span<std::byte> bytes) override;
  [[nodiscard]] std::optional<std::string> simulated_time() const override;
  [[nodiscard]] std::optional<std::string> requests() const override { return drive_.requests() + "\n"; }
  std::optional<std::string> cut_power() override;
  [[nodiscard]] bool serve(const DebugStop& stop);

  DebuggedDrive drive_;
  const RegisterFile* registers_ = nullptr;
  GdbServer server_;
  bool has_begun_ = false;
  bool stepping_ = false;
};

}  // namespace tessera
