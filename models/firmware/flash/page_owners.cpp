#include "firmware/flash/page_owners.hpp"

namespace tessera {

PageOwners::PageOwners(const Ports& ports, std::uint64_t user_sectors, std::uint64_t region_sectors)
    : region_sectors_(region_sectors),
      pages_per_block_(ports.flash->shape().block_subpages()),
      sectors_(ports.memory, MemoryCategory::metadata, ports.flash->shape().all_subpages(), "sectors of flash pages"),
      blocks_(ports.memory, MemoryCategory::metadata, ports.flash->shape().blocks, "valid pages of flash blocks"),
      counts_(ports.memory, MemoryCategory::metadata, (user_sectors + region_sectors - 1) / region_sectors, "cached pages of regions"),
      lists_(ports.memory, MemoryCategory::metadata, static_cast<std::uint32_t>(sectors_.size()),
             static_cast<std::uint32_t>(counts_.size()), "lists of cached pages") {}

void PageOwners::add(std::uint32_t page, LogicalSector sector) {
  const std::uint32_t region = region_of(sector);
  sectors_.write(page) = sector.value() + 1;
  lists_.push_back(region, page);
  cached_regions_ += counts_.write(region)++ == 0;
  count_valid(page, 1);
}

void PageOwners::remove(std::uint32_t page) {
  TESSERA_CHECK(valid(page), "a page becomes invalid twice");
  cached_regions_ -= --counts_.write(region_of(sector(page))) == 0;
  lists_.remove(page);
  sectors_.write(page) = 0;
  count_valid(page, -1);
}

void PageOwners::replace(std::uint32_t page, std::uint32_t copy) {
  sectors_.write(copy) = sectors_.read(page);
  lists_.insert_after(page, copy);
  lists_.remove(page);
  sectors_.write(page) = 0;
  count_valid(page, -1);
  count_valid(copy, 1);
}

void PageOwners::count_valid(std::uint32_t page, int change) {
  std::uint16_t& valid = blocks_.write(page / pages_per_block_);
  valid = static_cast<std::uint16_t>(valid + change);
}

void PageOwners::touch(std::uint32_t page) { lists_.move_to_back(region_of(sector(page)), page); }

Bytes PageOwners::bytes() const {
  return Bytes(sectors_.size() * sizeof(std::uint64_t) + blocks_.size() * sizeof(std::uint16_t) + counts_.size() * sizeof(std::uint32_t)) +
         lists_.bytes();
}

}  // namespace tessera
