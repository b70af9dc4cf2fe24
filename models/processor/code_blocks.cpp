#include "processor/code_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "processor/decode.hpp"

namespace tessera::riscv {

const Step* Block::end_within(std::uint64_t cycles) const {
  if (last().begin < cycles) return end();
  const auto inside = [cycles](const Step& step) { return step.begin < cycles; };
  return std::find_if_not(steps.data() + 1, end(), inside);
}

const Block* CodeBlocks::find_older(std::uint64_t pc) const {
  const auto found = blocks_.find(pc);
  if (found == blocks_.end()) return nullptr;
  return recent_[index(pc)] = found->second.get();
}

/// Must a block from `pc` on end before the instruction at `next`?
bool CodeBlocks::ends_before(std::uint64_t pc, std::uint64_t next, unsigned bytes) const {
  if (std::ranges::find(breakpoints_, next) != breakpoints_.end()) return true;
  return line_ != 0 && (next + bytes - 1) / line_ != pc / line_;
}

const Block& CodeBlocks::decode(std::uint64_t pc, std::span<const std::byte> code) {
  auto block = std::make_unique<Block>();
  block->pc = pc;
  block->breakpoint = std::ranges::find(breakpoints_, pc) != breakpoints_.end();
  std::uint32_t begin = 0;
  std::size_t offset = 0;
  while (block->steps.size() < longest) {
    std::uint16_t half = 0;
    if (code.size() - offset < sizeof half) break;
    std::memcpy(&half, code.data() + offset, sizeof half);
    const unsigned bytes = instruction_bytes(half);
    if (code.size() - offset < bytes) break;
    if (offset != 0 && ends_before(pc, pc + offset, bytes)) break;
    std::uint32_t bits = half;
    if (bytes == sizeof bits) std::memcpy(&bits, code.data() + offset, sizeof bits);
    const Instruction instruction = riscv::decode(bits, wide_);
    if (offset != 0)
      begin += timing_.stall(block->steps.back().instruction, instruction) + timing_.tcm.fetch(pc + offset, bytes, pc + offset - 1);
    block->steps.push_back({instruction, begin, static_cast<std::uint16_t>(offset)});
    begin += timing_.cycles(instruction);
    offset += bytes;
    if (ends_block(instruction.op)) break;
  }
  const Instruction& last = block->steps.back().instruction;
  if (kind_of(last.op) == Kind::load || kind_of(last.op) == Kind::narrow_load) block->loading = last;
  block->steps.push_back({{}, begin, static_cast<std::uint16_t>(offset)});
  for (std::uint64_t page = pc >> page_shift; page <= (pc + offset - 1) >> page_shift; ++page) {
    CodePage& of_page = pages_[page];
    of_page.blocks.push_back(pc);
    of_page.lines |= lines(page, pc, offset);
  }
  const Block& made = *block;
  recent_[index(pc)] = &made;
  blocks_[pc] = std::move(block);
  return made;
}

std::uint64_t CodeBlocks::lines(std::uint64_t page, std::uint64_t address, std::uint64_t bytes) {
  constexpr unsigned line_shift = page_shift - 6;
  const std::uint64_t first = address >> page_shift == page ? address >> line_shift & 63U : 0;
  const std::uint64_t last = (address + bytes - 1) >> page_shift == page ? (address + bytes - 1) >> line_shift & 63U : 63;
  return ~std::uint64_t{0} >> (63 - last) & ~std::uint64_t{0} << first;
}

void CodeBlocks::remove(std::uint64_t pc) {
  const auto found = blocks_.find(pc);
  if (recent_[index(pc)] == found->second.get()) recent_[index(pc)] = nullptr;
  const std::uint64_t last = pc + found->second->bytes() - 1;
  for (std::uint64_t page = pc >> page_shift; page <= last >> page_shift; ++page) {
    const auto of_page = pages_.find(page);
    std::erase(of_page->second.blocks, pc);
    if (of_page->second.blocks.empty()) pages_.erase(of_page);
  }
  dropped_.push_back(std::move(found->second));
  blocks_.erase(found);
}

bool CodeBlocks::drop(std::uint64_t address, std::uint64_t bytes) {
  if (pages_.empty() || bytes == 0) return false;
  std::vector<std::uint64_t> hit;
  for (std::uint64_t page = address >> page_shift; page <= (address + bytes - 1) >> page_shift; ++page) {
    const auto of_page = pages_.find(page);
    if (of_page == pages_.end() || (of_page->second.lines & lines(page, address, bytes)) == 0) continue;
    for (const std::uint64_t pc : of_page->second.blocks)
      if (pc < address + bytes && address < pc + blocks_.at(pc)->bytes()) hit.push_back(pc);
  }
  std::ranges::sort(hit);
  hit.erase(std::unique(hit.begin(), hit.end()), hit.end());
  for (const std::uint64_t pc : hit) remove(pc);
  return !hit.empty();
}

void CodeBlocks::drop_all() {
  for (auto& [pc, block] : blocks_) dropped_.push_back(std::move(block));
  blocks_.clear();
  pages_.clear();
  recent_.fill(nullptr);
}

void CodeBlocks::set_breakpoint(std::uint64_t address) {
  if (std::ranges::find(breakpoints_, address) != breakpoints_.end()) return;
  breakpoints_.push_back(address);
  drop(address, 1);
}

void CodeBlocks::clear_breakpoint(std::uint64_t address) {
  if (std::erase(breakpoints_, address) != 0) drop(address, 1);
}

}  // namespace tessera::riscv
