// The heap of an image. It grows by what the memory unit reserves for it; a block that is given back is kept for the next one of its size,
// so that the firmware's steady state takes nothing more.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "firmware/ports/memory_port.hpp"
#include "images/target.hpp"

namespace {

/// In front of each block.
struct alignas(alignof(std::max_align_t)) Header {
  std::size_t bytes;  // of the block, this included
  Header* next;       // of the free ones of its size
};

constexpr std::size_t least_growth = std::size_t{64} << 10;

std::byte* untouched = nullptr;
std::size_t untouched_bytes = 0;
std::array<Header*, 4 * (8 * sizeof(std::size_t) + 1)> free_blocks{};  // by size

/// Sizes go up in four steps to the next power of two: a fifth of a block is unused at most.
std::size_t size_of_block(std::size_t bytes) {
  const std::size_t step = std::max(std::bit_floor(bytes) / 4, sizeof(Header));
  return (bytes + step - 1) / step * step;
}

Header*& free_blocks_of(std::size_t block_bytes) {
  const auto width = static_cast<std::size_t>(std::bit_width(block_bytes));
  return free_blocks[4 * width + (block_bytes >> (width - 3)) % 4];
}

void grow(std::size_t bytes) {
  using tessera::hal::Register;
  tessera::image::Registers registers;
  registers.write(Register::memory_category, static_cast<std::uint64_t>(tessera::MemoryCategory::code));
  registers.write(Register::memory_bytes, bytes);
  registers.write(Register::memory_name, registers.address_of("heap of the firmware image"));
  registers.write(Register::memory_reserve, 0);
  untouched = registers.at(registers.read(Register::memory_address));
  untouched_bytes = bytes;
  if (untouched == nullptr) tessera::image::panic("the memory has no room for the heap of the firmware");
}

void* allocate(std::size_t bytes) {
  const std::size_t block_bytes = size_of_block(bytes + sizeof(Header));
  Header*& first = free_blocks_of(block_bytes);
  Header* block = first;
  if (block != nullptr) {
    first = block->next;
    return block + 1;
  }
  if (block_bytes > untouched_bytes) grow(std::max(block_bytes, least_growth));
  block = reinterpret_cast<Header*>(untouched);
  block->bytes = block_bytes;
  untouched += block_bytes;
  untouched_bytes -= block_bytes;
  return block + 1;
}

void give_back(void* what) {
  if (what == nullptr) return;
  Header* const block = static_cast<Header*>(what) - 1;
  Header*& first = free_blocks_of(block->bytes);
  block->next = first;
  first = block;
}

}  // namespace

void tessera::image::take_heap_from(std::byte* room, std::size_t bytes) {
  untouched = room;
  untouched_bytes = bytes;
  free_blocks = {};
}

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* what) noexcept { give_back(what); }
void operator delete[](void* what) noexcept { give_back(what); }
void operator delete(void* what, std::size_t) noexcept { give_back(what); }
void operator delete[](void* what, std::size_t) noexcept { give_back(what); }
