#include "firmware/hal/memory.hpp"

#include <string>
#include <utility>

#include "firmware/hal/mover.hpp"

namespace tessera::hal {

std::uint64_t Memory::reserved(MemoryCategory category, std::uint64_t bytes, std::uint64_t flags, std::string_view what) {
  const std::string name(what);  // which ends in a zero
  registers_.write(Register::memory_category, static_cast<std::uint64_t>(category));
  registers_.write(Register::memory_bytes, bytes);
  registers_.write(Register::memory_name, registers_.address_of(name.c_str()));
  registers_.write(Register::memory_reserve, flags);
  const std::uint64_t address = registers_.read(Register::memory_address);
  TESSERA_CHECK(address != 0 || bytes == 0, "the memory has no room for what the firmware reserves");
  return address;
}

MemoryRegion Memory::region(MemoryCategory category, Bytes size, std::uint64_t flags, std::string_view what) {
  const std::uint64_t address = reserved(category, size.value(), flags, what);
  return {.address = DramAddress(address), .bytes = {registers_.at(address), static_cast<std::size_t>(size.value())}};
}

MemoryRegion Memory::reserve(MemoryCategory category, Bytes size, std::string_view what) { return region(category, size, 0, what); }

MemoryRegion Memory::reserve_dumped(MemoryCategory category, Bytes size, std::string_view what) {
  MemoryRegion dumped = region(category, size, reserve_flags::dumped, what);
  dumped.torn = registers_.read(Register::memory_torn) != 0;
  return dumped;
}

DataBuffer Memory::buffer(MemoryCategory category, std::uint32_t sectors, std::uint64_t flags, std::string_view what) {
  const std::uint64_t bytes = std::uint64_t{sectors} * shape_.sector_bytes;
  return {DramAddress(reserved(category, bytes, flags | reserve_flags::buffer, what)), sectors, shape_};
}

DataBuffer Memory::reserve_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) {
  return buffer(category, sectors, 0, what);
}

DataBuffer& Memory::reserve_dumped_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) {
  DataBuffer& dumped = dumped_.take();
  dumped = buffer(category, sectors, reserve_flags::dumped, what);
  pull_lost(registers_, dumped.all());
  return dumped;
}

DataBuffer Memory::acquire(std::uint32_t sectors) {
  registers_.write(Register::mover_sectors, sectors);
  registers_.write(Register::mover_start, static_cast<std::uint64_t>(MoverOperation::acquire));
  const std::uint64_t address = registers_.read(Register::mover_result);
  return address == 0 ? DataBuffer() : DataBuffer(DramAddress(address), sectors, shape_);
}

void Memory::release(DataBuffer&& buffer) {
  DataBuffer given = std::move(buffer);
  move(registers_, MoverOperation::release, given.all());
}

void Memory::copy(DataSpan from, DataSpan to) {
  TESSERA_CHECK(from.count == to.count, "a copy between spans of different lengths");
  push_lost(registers_, from);
  registers_.write(Register::mover_to, address_of(to));
  move(registers_, MoverOperation::copy, from);
  pull_lost(registers_, to);
}

void Memory::merge_blocks(DataSpan sector, DataSpan old, std::uint32_t first, std::uint32_t count) {
  TESSERA_CHECK(sector.count == 1 && old.count == 1 && first + count <= shape_.blocks(), "a merge works on one sector");
  push_lost(registers_, sector);
  push_lost(registers_, old);
  registers_.write(Register::mover_to, address_of(sector));
  registers_.write(Register::mover_blocks, first | std::uint64_t{count} << 32);
  move(registers_, MoverOperation::merge, old);
  pull_lost(registers_, sector);
}

void Memory::clear(DataSpan span) {
  move(registers_, MoverOperation::clear, span);
  clear_lost(span);
}

}  // namespace tessera::hal
