#pragma once
// The registers of all units: finds the one that an access means, checks that it may be made, and hands it to its unit.
#include <array>
#include <optional>
#include <span>
#include <string>

#include "base/byte_enables.hpp"
#include "firmware/hal/register_map.hpp"

namespace tessera {

/// Serves the registers of a block. What an access must not do is an FirmwareFault.
class RegisterUnit {
 public:
  virtual std::uint64_t read(hal::Register which) = 0;
  virtual void write(hal::Register which, std::uint64_t value) = 0;

 protected:
  ~RegisterUnit() = default;
};

/// A line of registers.def.
struct RegisterInfo {
  hal::Register address;
  hal::Block block;
  const char* name;  ///< "host.ring"
  hal::RegisterAccess access;
  const char* what;
};
/// All of them, by rising address within a block.
[[nodiscard]] std::span<const RegisterInfo> all_registers();

class RegisterFile {
 public:
  void connect(hal::Block block, RegisterUnit& unit) { units_[static_cast<std::size_t>(block)] = &unit; }

  /// An access of 4 or 8 bytes. Reading a lower half keeps the upper one for the read that follows; writing an upper half keeps it for the
  /// write of the lower one.
  [[nodiscard]] std::uint64_t read(std::uint64_t address, std::uint32_t bytes);
  void write(std::uint64_t address, std::uint32_t bytes, std::uint64_t value);
  /// What the register of 8 bytes at `address` would read as, without any effect; none: there is none, or it cannot be read.
  [[nodiscard]] std::optional<std::uint64_t> peek(std::uint64_t address) const;
  /// The same with the bytes in `data` that take part. What a write leaves out counts as what the register holds, and as zeros where it
  /// cannot be read.
  void access(std::uint64_t address, std::span<std::byte> data, bool write, const ByteEnables& enables);

 private:
  [[nodiscard]] std::uint64_t left_out(std::uint64_t address, std::uint32_t bytes) const;
  [[nodiscard]] const RegisterInfo& find(std::uint64_t address, std::uint32_t bytes, const char* verb) const;
  [[nodiscard]] RegisterUnit& unit_of(const RegisterInfo& info) const;

  struct Half {
    std::uint64_t address;  // of its register
    std::uint64_t value;
  };
  std::array<RegisterUnit*, hal::blocks> units_{};
  std::optional<Half> read_;     // the upper half of a register whose lower one was read
  std::optional<Half> written_;  // an upper half whose register waits for its lower one
};

}  // namespace tessera
