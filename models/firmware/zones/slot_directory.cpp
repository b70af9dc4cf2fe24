#include "firmware/zones/slot_directory.hpp"

#include "base/check.hpp"

namespace tessera {

SlotDirectory::SlotDirectory(const Ports& ports, const PackedTable& sectors, PackedTable::Field key)
    : cpu_(ports.cpu),
      sectors_(sectors),
      key_(key),
      link_{0, bits_for(sectors.size() + 1)},
      heads_(ports.memory, (sectors.size() + 1) / 2, link_.width, "directory of the buffer's sectors"),
      links_(ports.memory, sectors.size(), link_.width, "chains of the buffer's directory") {}

/// The upper half of the product with 2^64 / golden ratio, as a share of the heads.
std::uint64_t SlotDirectory::home(LogicalSector sector) const {
  return (sector.value() * 0x9E3779B97F4A7C15U >> 32U) * heads_.size() >> 32U;
}

std::uint32_t SlotDirectory::find(LogicalSector sector) const {
  cpu_.hash();
  std::uint64_t at = heads_.read(home(sector), link_);
  while (at != 0 && !holds(static_cast<std::uint32_t>(at - 1), sector)) at = links_.read(at - 1, link_);
  return static_cast<std::uint32_t>(at - 1);
}

void SlotDirectory::set(LogicalSector sector, std::uint32_t slot) {
  cpu_.hash();
  const std::uint64_t place = home(sector);
  links_.write(slot, link_, heads_.read(place, link_));
  heads_.write(place, link_, slot + 1);
}

void SlotDirectory::erase(LogicalSector sector) {
  cpu_.hash();
  const std::uint64_t place = home(sector);
  std::uint64_t before = 0;
  std::uint64_t at = heads_.read(place, link_);
  while (at != 0 && !holds(static_cast<std::uint32_t>(at - 1), sector)) {
    before = at;
    at = links_.read(at - 1, link_);
  }
  TESSERA_CHECK(at != 0, "a sector to erase is not in the buffer's directory");
  const std::uint64_t next = links_.read(at - 1, link_);
  if (before == 0)
    heads_.write(place, link_, next);
  else
    links_.write(before - 1, link_, next);
}

}  // namespace tessera
