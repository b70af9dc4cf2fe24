#pragma once
// What a debugger is shown of a processor and its memory. All of it is asked while the target stands still.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tessera {

enum class WatchKind : std::uint8_t { write, read, access };

/// Why the target stands still.
struct DebugStop {
  enum class Reason : std::uint8_t { begin, step, interrupt, breakpoint, watchpoint, fault };
  Reason reason = Reason::begin;
  std::uint64_t address = 0;  ///< watchpoint: of the access
  std::uint64_t bytes = 0;    ///< watchpoint
  std::string what;           ///< fault: shown to the user
};

class DebugTarget {
 public:
  static constexpr unsigned pc_number = 32;  ///< behind x0 to x31

  virtual ~DebugTarget() = default;

  [[nodiscard]] virtual bool wide() const = 0;  ///< 64-bit registers
  /// x0 to x31, then pc.
  [[nodiscard]] virtual std::uint64_t register_value(unsigned number) const = 0;
  virtual void set_register(unsigned number, std::uint64_t value) = 0;
  /// None, or false: there is no such register, or it cannot be written.
  [[nodiscard]] virtual std::optional<std::uint64_t> csr(unsigned number) const = 0;
  virtual bool set_csr(unsigned number, std::uint64_t value) = 0;

  /// How many bytes from `address` on could be read; reading has no effect.
  [[nodiscard]] virtual std::size_t read(std::uint64_t address, std::span<std::byte> bytes) = 0;
  /// All of them or none.
  [[nodiscard]] virtual bool write(std::uint64_t address, std::span<const std::byte> bytes) = 0;

  /// False: there can be none there.
  virtual bool set_breakpoint(std::uint64_t address, bool set) = 0;
  virtual bool set_watchpoint(std::uint64_t address, std::uint64_t bytes, WatchKind kind, bool set) = 0;

  // What `monitor` shows, as lines; none: this target has no such thing.
  [[nodiscard]] virtual std::optional<std::string> simulated_time() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<std::string> requests() const { return std::nullopt; }
  /// Cuts the power as soon as the target goes on.
  virtual std::optional<std::string> cut_power() { return std::nullopt; }
};

}  // namespace tessera
