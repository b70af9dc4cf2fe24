#pragma once
// A hart and the plain memory of its machine as a debugger sees them. Addresses that no memory holds are devices': they are refused
// here, as reading them may have an effect.
#include "platforms/gdb/debug_target.hpp"
#include "processor/hart.hpp"

namespace tessera {

class HartDebugTarget : public DebugTarget {
 public:
  explicit HartDebugTarget(bool wide) : wide_(wide) {}

  /// The hart that is looked at from now on; null: there is none, and it is not asked for anything but points, which then mean nothing.
  void show(riscv::Hart* hart, const riscv::Memory* memory) {
    hart_ = hart;
    memory_ = memory;
  }

  [[nodiscard]] bool wide() const override { return wide_; }
  [[nodiscard]] std::uint64_t register_value(unsigned number) const override;
  void set_register(unsigned number, std::uint64_t value) override;
  [[nodiscard]] std::optional<std::uint64_t> csr(unsigned number) const override;
  bool set_csr(unsigned number, std::uint64_t value) override;
  [[nodiscard]] std::size_t read(std::uint64_t address, std::span<std::byte> bytes) override;
  [[nodiscard]] bool write(std::uint64_t address, std::span<const std::byte> bytes) override;
  bool set_breakpoint(std::uint64_t address, bool set) override;
  bool set_watchpoint(std::uint64_t address, std::uint64_t bytes, WatchKind kind, bool set) override;

 protected:
  [[nodiscard]] const riscv::Hart& hart() const { return *hart_; }

 private:
  riscv::Hart* hart_ = nullptr;
  const riscv::Memory* memory_ = nullptr;
  bool wide_;
};

/// What a debugger is told of a hart that stopped at a breakpoint, at a watchpoint or with a fault.
[[nodiscard]] DebugStop debug_stop(const riscv::Hart& hart, riscv::Stop stop);

}  // namespace tessera
