#include "firmware/zones/slot_writes.hpp"

#include <algorithm>

namespace tessera {

/// Whether slot `i` of a write passes the head after the one in front of it: where its record is found, that one was written.
bool SlotWrites::in_order(const Write& write, std::uint32_t i) const {
  return !buffer_.may_pass_slot_in_front(write.first + i, write.first, write.sectors.count);
}

SlotNames SlotWrites::names_for(std::uint32_t i) {
  const Write& write = under_way_.back();
  const std::uint32_t slot = write.first + i;
  const std::uint32_t last = owners_.slots() - 1;
  SlotNames names;
  if (i == 0)
    names[0] = name_of(slot == 0 ? last : slot - 1);
  else if (in_order(write, i))
    names[0] = SlotName{slot - 1, write.sectors.first + (i - 1)};
  names[1] = name_of(slot == last ? 0 : slot + 1);
  names[2] = next_unnamed();
  return names;
}

/// None of a slot that is being written, nor of one that its sector is about to leave: the name would be newer than the copy or the
/// write-back that makes the slot void, and count at boot.
std::optional<SlotName> SlotWrites::name_of(std::uint32_t slot) const {
  if (std::ranges::any_of(under_way_, [slot](const Write& other) { return other.has(slot); })) return std::nullopt;
  const std::uint64_t word = owners_.word_of(slot);
  if (word == 0) return SlotName{slot, std::nullopt};
  const LogicalSector sector(word - 1);
  const auto covers = [sector](const LogicalRun& run) { return sector >= run.first && sector < run.end(); };
  if (std::ranges::any_of(under_way_, covers, &Write::sectors) || (leaving_ && covers(*leaving_))) return std::nullopt;
  return SlotName{slot, sector};
}

std::optional<SlotName> SlotWrites::next_unnamed() {
  while (named_ != ended_) {
    const std::optional<SlotName> name = name_of(unnamed_[named_++ % unnamed_.size()]);
    if (name && name->sector) return name;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> SlotWrites::sequence_before(std::uint32_t slot) const {
  const auto write = std::ranges::find_if(under_way_, [slot](const Write& other) { return other.has(slot); });
  return write == under_way_.end() ? std::nullopt : std::optional(write->sequence_before);
}

void SlotWrites::end(std::uint32_t first) {
  const auto write = std::ranges::find(under_way_, first, &Write::first);
  for (std::uint32_t i = 0; i < write->sectors.count; ++i) {
    if (i + 1 < write->sectors.count && in_order(*write, i + 1)) continue;
    if (ended_ - named_ == unnamed_.size()) ++named_;
    unnamed_[ended_++ % unnamed_.size()] = first + i;
  }
  under_way_.erase(write);
}

}  // namespace tessera
