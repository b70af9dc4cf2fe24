#pragma once
// Between firmware that runs in the simulator's process and the registers of its units: how a load or store of 8 bytes gets there.
#include <cstdint>

namespace tessera {

class RegisterFile;

class RegisterBus {
 public:
  /// Whose registers they are; null: nobody's, without power.
  virtual void connect(RegisterFile* registers) = 0;
  [[nodiscard]] virtual std::uint64_t load(std::uint64_t address) = 0;
  virtual void store(std::uint64_t address, std::uint64_t value) = 0;

 protected:
  ~RegisterBus() = default;
};

}  // namespace tessera
