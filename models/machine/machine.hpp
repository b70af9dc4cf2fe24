#pragma once
// The machine that a firmware image meets, as far as its units share it: memory by address, data buffers by address, interrupt lines.
//
// Addresses of the machine are those of firmware/hal/register_map.hpp: byte a of the DRAM lies at dram_base + a, byte a of the TCM at
// tcm_base + a.
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/buffer_directory.hpp"
#include "base/firmware_fault.hpp"
#include "base/timeline.hpp"
#include "firmware/hal/register_map.hpp"
#include "firmware/translation_layer.hpp"
#include "processor/memory.hpp"

namespace tessera {

/// Raises the lines of the units at the interrupt controller.
class InterruptLines {
 public:
  /// `lines`: of hal::interrupt_lines.
  virtual void raise(std::uint64_t lines) = 0;

 protected:
  ~InterruptLines() = default;
};

/// Firmware whose tasks are the controller's own: what an interrupt has it start, the task that raised the interrupt carries out.
class TaskStarter {
 public:
  /// What the firmware has started since; an empty task: nothing.
  [[nodiscard]] virtual Task<void> take_started() = 0;

 protected:
  ~TaskStarter() = default;
};

/// What firmware and engines tell each other in memory: the host's commands, and of disk and flash submissions and completions.
enum class Entries : std::uint8_t { of_host, to_disk, of_disk, to_flash, of_flash };

/// "0x80001000".
[[nodiscard]] std::string hex(std::uint64_t address);

class Machine {
 public:
  Machine(Timeline& timeline, const Ports& ports, riscv::Memory& memory, InterruptLines& lines)
      : timeline_(timeline), ports_(ports), memory_(memory), lines_(lines) {}

  [[nodiscard]] const Ports& ports() const { return ports_; }
  [[nodiscard]] Timeline& timeline() const { return timeline_; }
  [[nodiscard]] BufferDirectory& buffers() { return buffers_; }
  void raise(std::uint64_t lines) { lines_.raise(lines); }

  /// `tell`: whom to tell where firmware on a processor of its own has entries, and how large one is, each time that it says so.
  void tell_of_entries(std::function<void(Entries, DramAddress, Bytes)> tell) { tell_of_entries_ = std::move(tell); }
  void entries_lie(Entries which, std::uint64_t address, std::uint64_t bytes) const {
    if (tell_of_entries_) tell_of_entries_(which, place_of(address), Bytes(bytes));
  }

  /// Where firmware that runs in the simulator's process has its own objects: each at this address and its pointer. Of any other firmware
  /// nothing is there.
  static constexpr std::uint64_t process_window = std::uint64_t{1} << 56;
  /// The firmware runs in the simulator's process, and in the controller's tasks.
  void run_in_tasks(TaskStarter& starter) { starter_ = &starter; }
  /// Null where it does not.
  [[nodiscard]] TaskStarter* starter() const { return starter_; }

  /// FirmwareFault where not all of it is memory, or the address is not aligned. `what` names it in the message.
  [[nodiscard]] std::span<std::byte> bytes(std::uint64_t address, std::uint64_t size, const char* what, std::uint64_t alignment = 1) const;
  template <class Entry>
  [[nodiscard]] Entry load(std::uint64_t address, const char* what) const {
    static_assert(std::is_trivially_copyable_v<Entry>);
    Entry entry;
    std::memcpy(&entry, bytes(address, sizeof(Entry), what, alignof(Entry)).data(), sizeof(Entry));
    return entry;
  }
  template <class Entry>
  void store(std::uint64_t address, const Entry& entry, const char* what) {
    static_assert(std::is_trivially_copyable_v<Entry>);
    std::memcpy(bytes(address, sizeof(Entry), what, alignof(Entry)).data(), &entry, sizeof(Entry));
  }
  /// Text that ends in a zero, of at most 4 KiB.
  [[nodiscard]] std::string text(std::uint64_t address, const char* what) const;

  /// The sectors at `address`; a null span for address 0. FirmwareFault where no buffer holds them all.
  [[nodiscard]] DataSpan data(std::uint64_t address, std::uint64_t sectors) const;
  /// Where the controller's addresses have the TCM (controller/tcm.hpp).
  static constexpr DramAddress tcm{std::uint64_t{1} << 48};
  [[nodiscard]] static std::uint64_t address_of(const DataBuffer& buffer) { return address_of(buffer.address()); }
  [[nodiscard]] static std::uint64_t address_of(DramAddress address) {
    return address >= tcm ? hal::tcm_base + (address - tcm) : hal::dram_base + address.value();
  }
  /// And back, of an address in either memory.
  [[nodiscard]] static DramAddress place_of(std::uint64_t address) {
    return address >= hal::dram_base ? DramAddress(address - hal::dram_base) : tcm + (address - hal::tcm_base);
  }

 private:
  Timeline& timeline_;
  Ports ports_;
  riscv::Memory& memory_;
  InterruptLines& lines_;
  TaskStarter* starter_ = nullptr;
  std::function<void(Entries, DramAddress, Bytes)> tell_of_entries_;
  BufferDirectory buffers_;
};

}  // namespace tessera
