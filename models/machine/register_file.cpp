#include "machine/register_file.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "machine/machine.hpp"

namespace tessera {

namespace {

constexpr RegisterInfo register_list[] = {
#define TESSERA_REGISTER(block, name, offset, access, what) \
  {hal::Register::block##_##name, hal::Block::block, #block "." #name, hal::RegisterAccess::access, what},
#include "firmware/hal/registers.def"
#undef TESSERA_REGISTER
};

constexpr std::uint64_t upper_half = 4;

const RegisterInfo& nearest(std::uint64_t address) {
  const auto distance = [address](const RegisterInfo& info) {
    const auto at = static_cast<std::uint64_t>(info.address);
    return at > address ? at - address : address - at;
  };
  return *std::ranges::min_element(register_list, {}, distance);
}

}  // namespace

std::span<const RegisterInfo> all_registers() { return register_list; }

const RegisterInfo& RegisterFile::find(std::uint64_t address, std::uint32_t bytes, const char* verb) const {
  if ((bytes != 4 && bytes != 8) || address % bytes != 0)
    throw FirmwareFault(std::string(verb) + " of " + std::to_string(bytes) + " bytes at " + hex(address) +
                        ": registers take aligned accesses of 4 or 8 bytes");
  const std::uint64_t base = bytes == 4 ? address & ~upper_half : address;
  const auto* const found =
      std::ranges::find(register_list, base, [](const RegisterInfo& info) { return static_cast<std::uint64_t>(info.address); });
  if (found == std::end(register_list))
    throw FirmwareFault(std::string(verb) + " of " + hex(address) + ", where there is neither memory nor a register; the nearest is " +
                        nearest(address).name + " at " + hex(static_cast<std::uint64_t>(nearest(address).address)));
  return *found;
}

RegisterUnit& RegisterFile::unit_of(const RegisterInfo& info) const {
  RegisterUnit* const unit = units_[static_cast<std::size_t>(info.block)];
  if (unit == nullptr) throw FirmwareFault(std::string("access to ") + info.name + ", and this drive has no such unit");
  return *unit;
}

std::uint64_t RegisterFile::read(std::uint64_t address, std::uint32_t bytes) {
  const RegisterInfo& info = find(address, bytes, "read");
  if (info.access == hal::RegisterAccess::write_only) throw FirmwareFault(std::string("read of ") + info.name + ", which is write-only");
  const auto base = static_cast<std::uint64_t>(info.address);
  if (bytes == 8) return unit_of(info).read(info.address);
  if (address != base) {
    if (!read_ || read_->address != base)
      throw FirmwareFault(std::string("read of the upper half of ") + info.name + " before its lower one");
    return std::exchange(read_, std::nullopt)->value;
  }
  const std::uint64_t value = unit_of(info).read(info.address);
  read_ = {base, value >> 32};
  return value & 0xffff'ffff;
}

/// Reading changes nothing of a unit: what a read of a lower half keeps is kept here.
std::optional<std::uint64_t> RegisterFile::peek(std::uint64_t address) const {
  const auto* const found =
      std::ranges::find(register_list, address, [](const RegisterInfo& info) { return static_cast<std::uint64_t>(info.address); });
  if (found == std::end(register_list) || found->access == hal::RegisterAccess::write_only) return std::nullopt;
  RegisterUnit* const unit = units_[static_cast<std::size_t>(found->block)];
  if (unit == nullptr) return std::nullopt;
  try {
    return unit->read(found->address);
  } catch (const FirmwareFault&) {  // what it would say depends on another register, which holds nothing of use
    return std::nullopt;
  }
}

void RegisterFile::access(std::uint64_t address, std::span<std::byte> data, bool write, const ByteEnables& enables) {
  const auto length = static_cast<std::uint32_t>(data.size());
  std::uint64_t value = 0;
  if (!write) {
    value = read(address, length);
    return enables.copy(data.data(), &value, length);
  }
  const RegisterWrite part(enables, length, RegisterWrite::Eight::one);
  if (part.bytes == 0) return;
  std::memcpy(&value, data.data() + part.first, std::min<std::size_t>(part.bytes, sizeof value));
  if (part.merges()) value = part.merged(value, left_out(address + part.first, part.bytes));
  this->write(address + part.first, part.bytes, value);
}

std::uint64_t RegisterFile::left_out(std::uint64_t address, std::uint32_t bytes) const {
  const RegisterInfo& info = find(address, bytes, "write");
  if (info.access == hal::RegisterAccess::write_only) return 0;
  const std::uint64_t value = unit_of(info).read(info.address);
  return bytes == 4 ? value >> (8 * (address % 8)) & 0xffff'ffff : value;
}

void RegisterFile::write(std::uint64_t address, std::uint32_t bytes, std::uint64_t value) {
  const RegisterInfo& info = find(address, bytes, "write");
  if (info.access == hal::RegisterAccess::read_only) throw FirmwareFault(std::string("write of ") + info.name + ", which is read-only");
  const auto base = static_cast<std::uint64_t>(info.address);
  if (bytes == 4 && address != base) {
    written_ = {base, value};
    return;
  }
  if (bytes == 4) {
    value &= 0xffff'ffff;
    if (written_ && written_->address == base) value |= written_->value << 32;
  }
  written_.reset();
  unit_of(info).write(info.address, value);
}

}  // namespace tessera
