#include "machine/memory_unit.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tessera {

std::uint64_t MemoryUnit::read(hal::Register which) {
  using enum hal::Register;
  switch (which) {
    case memory_category: return category_;
    case memory_bytes: return bytes_;
    case memory_name: return name_;
    case memory_address: return address_;
    default: return torn_ ? 1 : 0;
  }
}

void MemoryUnit::write(hal::Register which, std::uint64_t value) {
  using enum hal::Register;
  switch (which) {
    case memory_category: category_ = value; return;
    case memory_bytes: bytes_ = value; return;
    case memory_name: name_ = value; return;
    default: reserve(value);
  }
}

void MemoryUnit::reserve(std::uint64_t flags) {
  if (category_ >= memory_categories) throw FirmwareFault("memory.category is " + std::to_string(category_) + ", which is none");
  const auto category = static_cast<MemoryCategory>(category_);
  const std::string name = machine_.text(name_, "memory.name");
  const bool dumped = (flags & hal::reserve_flags::dumped) != 0;
  torn_ = false;
  address_ = (flags & hal::reserve_flags::buffer) != 0 ? reserve_buffer(category, name, dumped) : reserve_region(category, name, dumped);
}

/// What lies behind the end is refused later, with the sum of all (MemoryController::check_capacity). The TCM is not an image's.
bool MemoryUnit::fits(DramAddress address, std::uint64_t bytes) {
  constexpr std::uint64_t largest_dram = std::uint64_t{1} << 48;
  if (address.value() >= largest_dram)
    throw InputError(std::string("firmware.placement: firmware behind registers reaches no TCM; ") +
                     to_string(static_cast<MemoryCategory>(category_)) + " is to lie in the DRAM");
  const bool fits = address.value() <= dram_.size() && bytes <= dram_.size() - address.value();
  overflows_ = overflows_ || !fits;
  return fits;
}

std::uint64_t MemoryUnit::reserve_region(MemoryCategory category, const std::string& name, bool dumped) {
  MemoryPort& memory = machine_.ports().memory;
  const MemoryRegion region = dumped ? memory.reserve_dumped(category, Bytes(bytes_), name) : memory.reserve(category, Bytes(bytes_), name);
  if (!fits(region.address, bytes_)) return 0;
  torn_ = region.torn;
  if (dumped) {
    const auto here = dram_.subspan(region.address.value(), bytes_);
    std::ranges::copy(region.bytes, here.begin());
    dumped_.push_back({here, region.bytes});
  }
  return Machine::address_of(region.address);
}

std::uint64_t MemoryUnit::reserve_buffer(MemoryCategory category, const std::string& name, bool dumped) {
  MemoryPort& memory = machine_.ports().memory;
  const auto sectors = static_cast<std::uint32_t>(bytes_ / memory.shape().sector_bytes);
  if (sectors == 0 || std::uint64_t{sectors} * memory.shape().sector_bytes != bytes_)
    throw FirmwareFault("a buffer of " + std::to_string(bytes_) + " bytes is to be reserved, which are no whole sectors");
  DataBuffer& buffer = dumped ? memory.reserve_dumped_buffer(category, sectors, name)
                              : buffers_.emplace_back(memory.reserve_buffer(category, sectors, name));
  if (!fits(buffer.address(), bytes_)) return 0;
  machine_.buffers().hold(buffer);
  return Machine::address_of(buffer);
}

void MemoryUnit::write_back() {
  for (const Dumped& region : dumped_) std::ranges::copy(region.here, region.kept.begin());
}

}  // namespace tessera
