#include "machine/image_report.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/firmware_fault.hpp"
#include "machine/hart_driver.hpp"
#include "machine/machine.hpp"
#include "machine/register_file.hpp"
#include "machine/small_units.hpp"

namespace tessera {

namespace {

constexpr const char* function_name = "tessera_image_report";

/// Stack and heap of the call, where an RV32 core reaches them and the drive has nothing; the call returns to where nothing is at all.
constexpr std::uint64_t room_base = 0x2000'0000;
constexpr std::size_t room_bytes = std::size_t{4} << 20;
constexpr std::size_t stack_bytes = std::size_t{64} << 10;
constexpr std::uint64_t return_address = room_base - riscv::page_bytes;

/// In-tree images take some 300,000.
constexpr std::uint64_t most_cycles = 100'000'000;

// The RISC-V calling convention (RISC-V ABIs Specification, integer register conventions).
constexpr unsigned ra = 1, sp = 2, gp = 3, tp = 4, a0 = 10, a1 = 11;

/// The memory of the machine as the call sees it.
class View {
 public:
  View(const riscv::ElfImage& image, const riscv::Memory& memory) : room_(room_bytes) {
    memory_.map(room_base, room_);
    lay(memory, hal::tcm_base, hal::tcm_base + image.tcm_bytes(), own_tcm_);
    lay(memory, hal::dram_base, image.end(), own_dram_);
  }
  [[nodiscard]] riscv::Memory& memory() { return memory_; }

 private:
  /// What the image has from `base` up to `end` is copied, page by page; behind that lies what it is lent, to be looked at.
  void lay(const riscv::Memory& memory, std::uint64_t base, std::uint64_t end, std::vector<std::byte>& own) {
    const std::span<std::byte> all = memory.from(base);
    const std::uint64_t pages = (end - base + riscv::page_bytes - 1) / riscv::page_bytes * riscv::page_bytes;
    const std::span<std::byte> copied = all.first(std::min<std::size_t>(pages, all.size()));
    own.assign(copied.begin(), copied.end());
    if (!own.empty()) memory_.map(base, own);
    if (all.size() > own.size()) memory_.map_read_only(base + own.size(), all.subspan(own.size()));
  }

  riscv::Memory memory_;
  std::vector<std::byte> room_;
  std::vector<std::byte> own_tcm_, own_dram_;
};

class NoLines final : public InterruptLines {
  void raise(std::uint64_t) override {}
};

void access_device(riscv::Hart& hart, RegisterFile& registers, const riscv::Memory& memory) {
  const riscv::DeviceAccess& access = hart.device();
  if (memory.find(access.address, access.bytes) != nullptr)
    throw FirmwareFault("it stores to " + hex(access.address) + ", which is neither code nor data nor stack of the image");
  std::uint64_t loaded = 0;
  if (access.write)
    registers.write(access.address, access.bytes, access.value);
  else
    loaded = registers.read(access.address, access.bytes);
  hart.finish_device(loaded);
}

/// Runs until it returns.
void call(riscv::Hart& hart, RegisterFile& registers, const riscv::Memory& memory) {
  while (true) {
    switch (hart.run(most_cycles)) {
      case riscv::Stop::device: access_device(hart, registers, memory); break;
      case riscv::Stop::fault:
        if (hart.fault().pc == return_address) return;
        throw FirmwareFault(trap_sentence(hart.fault()));
      case riscv::Stop::limit: throw FirmwareFault("it does not return within " + std::to_string(most_cycles) + " cycles");
      default: throw FirmwareFault("it waits for an interrupt");
    }
  }
}

}  // namespace

ImageReport::ImageReport(const riscv::ElfImage& image, const riscv::Memory& memory)
    : image_(image), memory_(memory), function_(image.function(function_name)) {}

MetricSet ImageReport::figures(const riscv::Hart& hart, Timeline& timeline, const Ports& ports) const {
  MetricSet figures;
  if (!function_) return figures;
  View view(image_, memory_);
  NoLines lines;
  Machine machine(timeline, ports, view.memory(), lines);
  ProbeUnit probe(machine);
  probe.collect(&figures);
  RegisterFile registers;
  TimerUnit timer(machine);
  registers.connect(hal::Block::probe, probe);
  registers.connect(hal::Block::timer, timer);

  riscv::Hart caller({.wide = image_.wide(), .timing = {}}, view.memory());
  caller.reset(*function_);
  for (const unsigned kept : {gp, tp}) caller.set_x(kept, hart.x(kept));
  caller.set_x(ra, return_address);
  caller.set_x(sp, room_base + room_bytes);
  caller.set_x(a0, room_base);
  caller.set_x(a1, room_bytes - stack_bytes);
  try {
    call(caller, registers, view.memory());
  } catch (const FirmwareFault& broken) {
    throw FirmwareFault(image_.file() + ", " + image_.place(caller.pc()) + ", asked for its figures by " + function_name + ": " +
                        broken.what());
  }
  return figures;
}

}  // namespace tessera
