#include "machine/external_firmware.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace tessera {

ExternalFirmware::ExternalFirmware(Timeline& timeline, const Ports& ports, ExternalSetup setup, ProcessorPins& pins)
    : RegisterFirmware(timeline, ports, std::move(setup.units)), setup_(std::move(setup)), pins_(pins) {
  lay_boot_data();
}

void ExternalFirmware::interrupted(std::uint64_t lines) {
  lines_ = lines;
  pins_.set_interrupt(lines != 0);
}

void ExternalFirmware::prefill(std::uint64_t sectors) {
  if (sectors != 0) throw InputError("a drive on somebody else's processor is not prefilled: its firmware would need time for it");
}

void ExternalFirmware::release(Picoseconds at) {
  held_ = false;
  end_ = at;
  if (!accessing_) pins_.end_access(at);
}

std::optional<Picoseconds> ExternalFirmware::access(const MemoryAccess& access) {
  TESSERA_CHECK(!accessing_ && !held_, "an access of the processor's begins within another");
  if (access.address >= hal::dram_base) return access_dram(access);
  accessing_ = true;
  try {
    const auto end = access_register(access);
    accessing_ = false;
    return end;
  } catch (const FirmwareFault& broken) {
    throw FirmwareFault("at " + in_milliseconds(timeline().now()) + ", the processor's software: " + broken.what());
  }
}

/// What a write does it does at once: the write is posted. A read waits for its way over the bus.
std::optional<Picoseconds> ExternalFirmware::access_register(const MemoryAccess& access) {
  const auto bytes = static_cast<std::uint32_t>(access.data.size());
  end_ = timeline().now();
  registers().access(access.address, access.data, access.write, access.enables);
  if (access.write) return held_ ? std::nullopt : std::optional(end_);
  return setup_.register_read(bytes, end_);
}

/// The bytes move as it begins.
Picoseconds ExternalFirmware::access_dram(const MemoryAccess& access) {
  std::byte* const here = memory().find(access.address, access.data.size());
  TESSERA_CHECK(here != nullptr, "an access of the processor's lies behind the DRAM");
  if (access.write)
    access.enables.copy(here, access.data.data(), access.data.size());
  else
    access.enables.copy(access.data.data(), here, access.data.size());
  return setup_.move(DramAddress(access.address - hal::dram_base), static_cast<std::uint32_t>(access.data.size()),
                     access.write ? Access::write : Access::read, timeline().now());
}

}  // namespace tessera
