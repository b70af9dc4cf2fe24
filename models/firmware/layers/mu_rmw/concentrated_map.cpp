#include "firmware/layers/mu_rmw/concentrated_map.hpp"

namespace tessera::mu_rmw {

ConcentratedMap::ConcentratedMap(MemoryPort& memory, CpuPort& cpu, const AddressSplit& split, std::uint32_t bands, const FlashShape& shape,
                                 PairedPages paired)
    : cpu_(cpu),
      bands_(bands),
      pages_per_block_(shape.block_subpages()),
      order_(shape, paired),
      directory_(memory, MemoryCategory::metadata, std::uint64_t{bands} * split.n(), "mu-rmw sector mapping directories (SMD)"),
      lists_(memory, MemoryCategory::metadata, static_cast<std::uint32_t>(shape.blocks), bands, "mu-rmw block mapping lists (BML)"),
      open_(memory, MemoryCategory::metadata, bands, "mu-rmw open blocks"),
      valid_(memory, MemoryCategory::metadata, shape.blocks, "mu-rmw valid-page counters"),
      index_(bands, static_cast<std::uint32_t>(shape.blocks)) {
  for (std::uint64_t i = 0; i < directory_.size(); ++i) directory_.peek(i) = no_page;
  for (std::uint32_t lbn = 0; lbn < bands; ++lbn) open_.peek(lbn) = {no_block, order_.count()};
}

std::uint32_t ConcentratedMap::directory(std::uint64_t group) const {
  cpu_.array();
  return directory_.read(group);
}

void ConcentratedMap::set_directory(std::uint64_t group, std::uint32_t page) {
  cpu_.array();
  directory_.write(group) = page;
}

void ConcentratedMap::append_block(std::uint32_t lbn, std::uint32_t block, std::uint32_t used) {
  open_.write(lbn) = {block, order_.before(used)};
  lists_.push_back(lbn, block);
  index_.append(lbn, block);
}

void ConcentratedMap::remove_block(std::uint32_t block) {
  const std::uint32_t lbn = index_.band_of(block);
  if (open_.read(lbn).block == block) open_.write(lbn) = {no_block, order_.count()};
  lists_.remove(block);
  index_.remove(block);
  valid_.write(block) = 0;
}

std::uint32_t ConcentratedMap::room(std::uint32_t lbn) const { return order_.count() - open_.read(lbn).used; }

void ConcentratedMap::take_pages(std::uint32_t lbn, std::span<std::uint32_t> pages) {
  OpenBlock& open = open_.write(lbn);
  TESSERA_CHECK(open.used + pages.size() <= order_.count(), "pages are taken from a full block");
  for (std::uint32_t& page : pages) page = open.block * pages_per_block_ + order_.page(open.used++);
  std::uint16_t& valid = valid_.write(open.block);
  valid = static_cast<std::uint16_t>(valid + pages.size());
}

std::pair<std::uint32_t, std::uint32_t> ConcentratedMap::close_page(std::uint32_t lbn) {
  OpenBlock& open = open_.write(lbn);
  const std::uint32_t left = order_.page_end(open.used) - open.used;
  if (left == 0) return {0, 0};
  const std::uint32_t first = open.block * pages_per_block_ + order_.page(open.used);
  open.used += left;
  return {first, first + left};
}

void ConcentratedMap::close_block(std::uint32_t lbn, std::uint32_t block) {
  if (open_.read(lbn).block == block) open_.write(lbn).used = order_.count();
  settle(lbn, block);
}

void ConcentratedMap::validate(std::uint32_t page) {
  std::uint16_t& valid = valid_.write(block_of(page));
  valid = static_cast<std::uint16_t>(valid + 1);
}

void ConcentratedMap::invalidate(std::uint32_t lbn, std::uint32_t page) {
  const std::uint32_t block = block_of(page);
  std::uint16_t& valid = valid_.write(block);
  TESSERA_CHECK(valid > 0, "a page becomes invalid twice");
  valid = static_cast<std::uint16_t>(valid - 1);
  settle(lbn, block);
}

void ConcentratedMap::settle(std::uint32_t lbn, std::uint32_t block) {
  if (valid_.peek(block) == 0 && full(lbn, block)) index_.mark_obsolete(block);
}

bool ConcentratedMap::full(std::uint32_t lbn, std::uint32_t block) const {
  const OpenBlock& open = open_.read(lbn);
  return open.block != block || open.used == order_.count();
}

Bytes ConcentratedMap::bytes() const {
  return Bytes(directory_.size() * sizeof(std::uint32_t) + (valid_.size() + bands_) * 2 * sizeof(std::uint32_t) +
               open_.size() * sizeof(OpenBlock) + valid_.size() * sizeof(std::uint16_t));
}

}  // namespace tessera::mu_rmw
