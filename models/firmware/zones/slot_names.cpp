#include "firmware/zones/slot_names.hpp"

namespace tessera {

namespace {

constexpr unsigned sector_bits = 39;  // of sector + 1; 0: the slot was free
constexpr unsigned slot_bits = 24;
constexpr std::uint64_t sector_mask = (std::uint64_t{1} << sector_bits) - 1;
constexpr std::uint64_t slot_mask = (std::uint64_t{1} << slot_bits) - 1;
constexpr std::uint64_t there = std::uint64_t{1} << 63U;

}  // namespace

std::uint64_t encode_name(const std::optional<SlotName>& name) {
  if (!name || name->slot > slot_mask) return 0;
  const std::uint64_t sector = name->sector ? name->sector->value() + 1 : 0;
  if (sector > sector_mask) return 0;
  return there | std::uint64_t{name->slot} << sector_bits | sector;
}

std::optional<SlotName> decode_name(std::uint64_t word) {
  if ((word & there) == 0) return std::nullopt;
  SlotName name;
  name.slot = static_cast<std::uint32_t>(word >> sector_bits & slot_mask);
  if ((word & sector_mask) != 0) name.sector = LogicalSector((word & sector_mask) - 1);
  return name;
}

void HeardNames::add(std::uint64_t sequence, const SlotNames& names) {
  for (const std::optional<SlotName>& name : names)
    if (name && name->slot < heard_.size() && sequence > heard_[name->slot].sequence) heard_[name->slot] = {sequence, name->sector};
}

std::optional<HeardNames::Name> HeardNames::of(std::uint32_t slot) const {
  const Heard& newest = heard_[slot];
  if (!newest.sector) return std::nullopt;
  return Name{newest.sequence, *newest.sector};
}

}  // namespace tessera
