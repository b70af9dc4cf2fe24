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

/// What lies behind the end is nowhere, and refused later, with the sum of all (MemoryController::check_capacity).
std::optional<std::span<std::byte>> MemoryUnit::bytes_at(DramAddress address, std::uint64_t bytes) {
  const bool in_tcm = address >= Machine::tcm;
  if (in_tcm && !tcm_)
    throw InputError(std::string("firmware.placement.") + to_string(static_cast<MemoryCategory>(category_)) +
                     " is tcm, which firmware on an external processor does not reach; expected dram");
  const std::span<std::byte> memory = in_tcm ? *tcm_ : dram_;
  const std::uint64_t begin = in_tcm ? address - Machine::tcm : address.value();
  if (begin <= memory.size() && bytes <= memory.size() - begin) return memory.subspan(begin, bytes);
  overflows_ = true;
  return std::nullopt;
}

std::uint64_t MemoryUnit::reserve_region(MemoryCategory category, const std::string& name, bool dumped) {
  MemoryPort& memory = machine_.ports().memory;
  const MemoryRegion region = dumped ? memory.reserve_dumped(category, Bytes(bytes_), name) : memory.reserve(category, Bytes(bytes_), name);
  const auto here = bytes_at(region.address, bytes_);
  if (!here) return 0;
  torn_ = region.torn;
  if (dumped) {
    std::ranges::copy(region.bytes, here->begin());
    dumped_.push_back({*here, region.bytes});
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
  if (!bytes_at(buffer.address(), bytes_)) return 0;
  machine_.buffers().hold(buffer);
  return Machine::address_of(buffer);
}

void MemoryUnit::write_back() {
  for (const Dumped& region : dumped_) std::ranges::copy(region.here, region.kept.begin());
}

}  // namespace tessera
