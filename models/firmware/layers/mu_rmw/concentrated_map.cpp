#include "firmware/layers/mu_rmw/concentrated_map.hpp"

namespace tessera::mu_rmw {

ConcentratedMap::ConcentratedMap(MemoryPort& memory, CpuPort& cpu, const AddressSplit& split, std::uint32_t bands, const FlashShape& shape,
                                 PairedPages paired, MergeVictim victim, std::uint32_t arms)
    : cpu_(cpu),
      bands_(bands),
      band_sectors_(split.p()),
      victim_(victim),
      pages_per_block_(shape.block_subpages()),
      order_(shape, paired),
      directory_(memory, MemoryCategory::metadata, std::uint64_t{bands} * split.n(), "mu-rmw sector mapping directories (SMD)"),
      lists_(memory, MemoryCategory::metadata, static_cast<std::uint32_t>(shape.blocks), bands, "mu-rmw block mapping lists (BML)"),
      open_(memory, MemoryCategory::metadata, bands, "mu-rmw open blocks"),
      valid_(memory, MemoryCategory::metadata, shape.blocks, "mu-rmw valid-page counters"),
      valid_of_band_(bands),
      index_(bands, static_cast<std::uint32_t>(shape.blocks), arms) {
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
  valid_of_band_[lbn] += valid_.peek(block);
  index_.set_worth(lbn, worth(lbn));
}

void ConcentratedMap::remove_block(std::uint32_t block) {
  const std::uint32_t lbn = index_.band_of(block);
  if (open_.read(lbn).block == block) open_.write(lbn) = {no_block, order_.count()};
  lists_.remove(block);
  index_.remove(block);
  valid_of_band_[lbn] -= valid_.peek(block);
  valid_.write(block) = 0;
  index_.set_worth(lbn, worth(lbn));
}

std::uint32_t ConcentratedMap::room(std::uint32_t lbn) const { return order_.count() - open_.read(lbn).used; }

void ConcentratedMap::take_pages(std::uint32_t lbn, std::span<std::uint32_t> pages) {
  OpenBlock& open = open_.write(lbn);
  TESSERA_CHECK(open.used + pages.size() <= order_.count(), "pages are taken from a full block");
  for (std::uint32_t& page : pages) page = open.block * pages_per_block_ + order_.page(open.used++);
  count(open.block, static_cast<std::int32_t>(pages.size()));
}

std::pair<std::uint32_t, std::uint32_t> ConcentratedMap::close_page(std::uint32_t lbn) {
  OpenBlock& open = open_.write(lbn);
  const std::uint32_t left = order_.page_end(open.used) - open.used;
  if (left == 0) return {0, 0};
  const std::uint32_t first = open.block * pages_per_block_ + order_.page(open.used);
  open.used += left;
  weigh(lbn);
  return {first, first + left};
}

void ConcentratedMap::close_block(std::uint32_t lbn, std::uint32_t block) {
  if (open_.read(lbn).block == block) open_.write(lbn).used = order_.count();
  weigh(lbn);
  settle(lbn, block);
}

void ConcentratedMap::validate(std::uint32_t page) { count(block_of(page), 1); }

void ConcentratedMap::invalidate(std::uint32_t lbn, std::uint32_t page) {
  const std::uint32_t block = block_of(page);
  TESSERA_CHECK(valid_.peek(block) > 0, "a page becomes invalid twice");
  count(block, -1);
  settle(lbn, block);
}

void ConcentratedMap::settle(std::uint32_t lbn, std::uint32_t block) {
  if (valid_.peek(block) == 0 && full(lbn, block)) index_.mark_obsolete(block);
}

bool ConcentratedMap::full(std::uint32_t lbn, std::uint32_t block) const {
  const OpenBlock& open = open_.read(lbn);
  return open.block != block || open.used == order_.count();
}

void ConcentratedMap::count(std::uint32_t block, std::int32_t change) {
  std::uint16_t& valid = valid_.write(block);
  valid = static_cast<std::uint16_t>(valid + change);
  const std::uint32_t lbn = index_.band_of(block);
  valid_of_band_[lbn] += static_cast<std::uint32_t>(change);
  valid_of_all_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(change));
  weigh(lbn);
}

std::uint64_t ConcentratedMap::worth(std::uint32_t lbn) const {
  const std::uint64_t blocks = index_.length(lbn);
  if (victim_ == MergeVictim::longest || blocks == 0) return blocks;
  const std::uint64_t pages = blocks * order_.count(), valid = valid_of_band_[lbn];
  if (victim_ == MergeVictim::cost) return (pages << 32U) / (2ULL * band_sectors_ + valid);
  const OpenBlock& open = open_.peek(lbn);
  return pages - (order_.count() - open.used) - valid + 1;  // a band without an invalid page is still a victim
}

Bytes ConcentratedMap::bytes() const {
  return Bytes(directory_.size() * sizeof(std::uint32_t) + (valid_.size() + bands_) * 2 * sizeof(std::uint32_t) +
               open_.size() * sizeof(OpenBlock) + valid_.size() * sizeof(std::uint16_t));
}

}  // namespace tessera::mu_rmw
