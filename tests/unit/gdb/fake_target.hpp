#pragma once
// A processor for a debugger to look at: registers, 256 bytes of memory at 0x1000, and a list of what was asked of it.
#include <array>
#include <string>
#include <vector>

#include "platforms/gdb/debug_target.hpp"

namespace tessera::test {

class FakeTarget : public DebugTarget {
 public:
  static constexpr std::uint64_t base = 0x1000;

  explicit FakeTarget(bool wide = true) : wide_(wide) {
    for (unsigned i = 0; i < registers.size(); ++i) registers[i] = 0x0102'0304'0506'0700 + i;
  }

  [[nodiscard]] bool wide() const override { return wide_; }
  [[nodiscard]] std::uint64_t register_value(unsigned number) const override { return registers.at(number); }
  void set_register(unsigned number, std::uint64_t value) override { registers.at(number) = value; }
  [[nodiscard]] std::optional<std::uint64_t> csr(unsigned number) const override {
    return number == 0x305 ? std::optional(mtvec) : std::nullopt;
  }
  bool set_csr(unsigned number, std::uint64_t value) override {
    if (number == 0x305) mtvec = value;
    return number == 0x305;
  }
  [[nodiscard]] std::size_t read(std::uint64_t address, std::span<std::byte> bytes) override {
    if (address < base || address >= base + memory.size()) return 0;
    const std::size_t part = std::min<std::size_t>(bytes.size(), base + memory.size() - address);
    std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(address - base), part, bytes.begin());
    return part;
  }
  [[nodiscard]] bool write(std::uint64_t address, std::span<const std::byte> bytes) override {
    if (address < base || address - base > memory.size() || bytes.size() > memory.size() - (address - base)) return false;
    std::copy(bytes.begin(), bytes.end(), memory.begin() + static_cast<std::ptrdiff_t>(address - base));
    return true;
  }
  bool set_breakpoint(std::uint64_t address, bool set) override {
    if (address == 0) return false;
    asked.push_back((set ? "break " : "clear ") + std::to_string(address));
    return true;
  }
  bool set_watchpoint(std::uint64_t address, std::uint64_t bytes, WatchKind kind, bool set) override {
    asked.push_back((set ? "watch " : "unwatch ") + std::to_string(address) + " " + std::to_string(bytes) + " " +
                    std::to_string(static_cast<unsigned>(kind)));
    return true;
  }
  [[nodiscard]] std::optional<std::string> simulated_time() const override { return "12.5 ms\n"; }

  std::array<std::uint64_t, 33> registers{};
  std::uint64_t mtvec = 0x80;
  std::array<std::byte, 256> memory{};
  std::vector<std::string> asked;

 private:
  bool wide_;
};

}  // namespace tessera::test
