#pragma once
// The machine for firmware that runs in the simulator's process. Its registers are across the bus, its rings and descriptors lie in the
// DRAM's last bytes. Other addresses differ from pointers: what lies in DRAM or TCM has its address there; the firmware's own objects lie
// elsewhere in the process, and devices see them through a window (Machine::process_window).
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "firmware/hal/register_file.hpp"
#include "machine/register_bus.hpp"

namespace tessera {

class LinkedMachine final : public hal::RegisterFile {
 public:
  /// `dram`, `tcm`: their bytes; `shared`: those of the DRAM for rings and descriptors, 64-byte aligned. `written` is called behind each
  /// write of a register.
  LinkedMachine(RegisterBus& bus, std::span<std::byte> dram, std::span<std::byte> tcm, std::span<std::byte> shared,
                std::function<void()> written)
      : bus_(bus), dram_(dram), tcm_(tcm), free_(shared), written_(std::move(written)) {}

  [[nodiscard]] std::uint64_t read(hal::Register which) override { return bus_.load(static_cast<std::uint64_t>(which)); }
  void write(hal::Register which, std::uint64_t value) override;
  /// Whether a write of a register is under way.
  [[nodiscard]] bool writing() const { return writing_; }

  [[nodiscard]] std::uint64_t address_of(const void* where) override;
  [[nodiscard]] std::byte* at(std::uint64_t address) override;
  /// InputError where no bytes are left. What was given back serves again for as many.
  [[nodiscard]] std::byte* share(std::size_t bytes) override;
  void give_back(std::byte* shared) override;

 private:
  RegisterBus& bus_;
  std::span<std::byte> dram_;
  std::span<std::byte> tcm_;
  std::span<std::byte> free_;  // never used
  std::function<void()> written_;
  std::map<std::byte*, std::size_t> lent_;
  std::map<std::size_t, std::vector<std::byte*>> given_back_;  // by size
  bool writing_ = false;
};

}  // namespace tessera
