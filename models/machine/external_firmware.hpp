#pragma once
// Firmware on somebody else's processor: what that reads and writes of registers and DRAM, and its interrupt. The model sees no
// instruction of it.
#include <optional>

#include "machine/register_firmware.hpp"

namespace tessera {

/// The processor as the drive reaches it.
class ProcessorPins {
 public:
  /// As of the timeline's now().
  virtual void set_interrupt(bool pending) = 0;
  /// The access in hand, whose end was not known, ends at `at`.
  virtual void end_access(Picoseconds at) = 0;

 protected:
  ~ProcessorPins() = default;
};

struct ExternalSetup {
  UnitSetup units;
  std::function<Picoseconds(std::uint32_t bytes, Picoseconds at)> register_read;              ///< HartDriver::Observer
  std::function<Picoseconds(DramAddress, std::uint32_t bytes, Access, Picoseconds at)> move;  ///< when so many bytes have crossed the bus
};

class ExternalFirmware final : public RegisterFirmware {
 public:
  struct MemoryAccess {
    std::uint64_t address = 0;  ///< of the machine
    std::span<std::byte> data;  ///< what is written, or where what is read goes
    bool write = false;
    ByteEnables enables{};  ///< of the data
  };

  ExternalFirmware(Timeline& timeline, const Ports& ports, ExternalSetup setup, ProcessorPins& pins);

  /// Carries out an access of the processor's at now(), one at a time, and gives when it ends; nothing: ProcessorPins::end_access() says.
  /// FirmwareFault with time and sentence for what must not be done.
  [[nodiscard]] std::optional<Picoseconds> access(const MemoryAccess& access);

  [[nodiscard]] bool idle() const override { return ident().idle() && !accessing_ && !held_ && lines_ == 0; }
  /// InputError but for none: it could only be done in time.
  void prefill(std::uint64_t sectors) override;
  void report(MetricSet&) const override {}

 private:
  void interrupted(std::uint64_t lines) override;
  [[nodiscard]] std::optional<Picoseconds> access_register(const MemoryAccess& access);
  [[nodiscard]] Picoseconds access_dram(const MemoryAccess& access);

  // HeldProcessor
  [[nodiscard]] bool timed() const override { return true; }
  void hold() override { held_ = true; }
  void release(Picoseconds at) override;

  ExternalSetup setup_;
  ProcessorPins& pins_;
  std::uint64_t lines_ = 0;
  bool accessing_ = false;  // access() is under way
  bool held_ = false;
  Picoseconds end_;  // of the access in hand
};

}  // namespace tessera
