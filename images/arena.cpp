// The heap of an image: one arena of fixed size. Blocks of powers of two, each kept for its size when it is given back, so that the
// firmware's steady state takes nothing more.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "images/target.hpp"

extern "C" std::byte arena_begin[];
extern "C" std::byte arena_end[];

namespace {

/// In front of each block.
struct alignas(alignof(std::max_align_t)) Header {
  std::size_t size_class;  // the block has 2 to the power of it bytes, this included
  Header* next;            // of the free ones
};

std::byte* untouched = arena_begin;
std::array<Header*, 8 * sizeof(std::size_t)> free_blocks{};

void* allocate(std::size_t bytes) {
  const auto size_class = static_cast<std::size_t>(std::bit_width(bytes + sizeof(Header) - 1));
  Header*& first = free_blocks[size_class];
  Header* block = first;
  if (block != nullptr) {
    first = block->next;
  } else {
    if (static_cast<std::size_t>(arena_end - untouched) >> size_class == 0) tessera::image::panic("the firmware's arena is full");
    block = reinterpret_cast<Header*>(untouched);
    untouched += std::size_t{1} << size_class;
    block->size_class = size_class;
  }
  return block + 1;
}

void give_back(void* what) {
  if (what == nullptr) return;
  Header* const block = static_cast<Header*>(what) - 1;
  Header*& first = free_blocks[block->size_class];
  block->next = first;
  first = block;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* what) noexcept { give_back(what); }
void operator delete[](void* what) noexcept { give_back(what); }
void operator delete(void* what, std::size_t) noexcept { give_back(what); }
void operator delete[](void* what, std::size_t) noexcept { give_back(what); }
