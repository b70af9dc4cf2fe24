#include "machine/register_firmware.hpp"

#include <algorithm>
#include <utility>

#include "firmware/hal/boot_reader.hpp"
#include "firmware/ports/turn.hpp"

namespace tessera {

namespace {

/// What the drive tells the firmware lies in a line of its own behind its code and data.
std::uint64_t boot_data_behind(std::uint64_t code_end) {
  constexpr std::uint64_t line = 64;
  return (code_end + line - 1) / line * line;
}

std::vector<RemappedSector> remaps_of(const std::vector<std::byte>& boot_data) {
  if (boot_data.size() < sizeof(hal::BootData)) return {};
  return hal::BootReader(boot_data.data()).geometry().remaps;
}

}  // namespace

Bytes memory_with_boot_data(std::uint64_t code_end, std::size_t boot_data) {
  return Bytes(boot_data_behind(code_end) - hal::dram_base + boot_data);
}

RegisterFirmware::RegisterFirmware(Timeline& timeline, const Ports& ports, UnitSetup setup)
    : setup_(std::move(setup)),
      timeline_(timeline),
      ports_(ports),
      interrupts_([this](std::uint64_t lines) { interrupted(lines); }),
      machine_(timeline, ports, memory_, interrupts_),
      host_(machine_, setup_.tags),
      disk_(machine_, host_, setup_.sector_bytes, setup_.surfaces, setup_.radii, remaps_of(setup_.boot_data)),
      flash_(ports.flash == nullptr ? nullptr : std::make_unique<FlashUnit>(machine_, host_)),
      mover_(machine_, *this),
      memory_unit_(machine_, setup_.dram, setup_.tcm),
      timer_(machine_),
      probe_(machine_),
      ident_(machine_, boot_data_behind(setup_.code_end), setup_.dram.size()),
      uart_([this](const std::string& text) { setup_.line(text, timeline_.now()); }) {
  memory_.map(hal::dram_base, setup_.dram);
  if (setup_.tcm && !setup_.tcm->empty()) memory_.map(hal::tcm_base, *setup_.tcm);
  machine_.tell_of_entries(setup_.entries_lie);
  connect();
}

RegisterFirmware::~RegisterFirmware() { memory_unit_.write_back(); }

void RegisterFirmware::connect() {
  registers_.connect(hal::Block::ident, ident_);
  registers_.connect(hal::Block::host, host_);
  registers_.connect(hal::Block::disk, disk_);
  if (flash_ != nullptr) registers_.connect(hal::Block::flash, *flash_);
  registers_.connect(hal::Block::mover, mover_);
  registers_.connect(hal::Block::memory, memory_unit_);
  registers_.connect(hal::Block::timer, timer_);
  registers_.connect(hal::Block::interrupts, interrupts_);
  registers_.connect(hal::Block::uart, uart_);
  registers_.connect(hal::Block::probe, probe_);
}

void RegisterFirmware::lay_boot_data() {
  const auto& data = setup_.boot_data;
  std::ranges::copy(data, machine_.bytes(boot_data_behind(setup_.code_end), data.size(), "the boot data").begin());
}

void RegisterFirmware::booted(Status status) {
  if (ok(status) && user_sectors() == 0)
    throw FirmwareFault("the boot is answered, and ident.capacity has not said what the firmware offers");
  boot_status_ = status;
  if (std::exchange(boot_waits_, false)) ports_.cpu.make_ready(boot_wait_);
}

Task<Status> RegisterFirmware::boot(bool after_power_cut) {
  ident_.ask(hal::Request::boot, after_power_cut ? 1 : 0, [this](Status status) { booted(status); });
  boot_waits_ = true;
  Turn turn{ports_.cpu, boot_wait_, LifePhase::background_wait};
  co_await turn;
  co_return boot_status_;
}

}  // namespace tessera
