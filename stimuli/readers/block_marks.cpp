#include "stimuli/readers/block_marks.hpp"

#include <utility>

namespace tessera {
namespace {

constexpr std::size_t first_slots = 64;

}  // namespace

BlockMarks::BlockMarks() : slots_(first_slots) {}

BlockMarks::Entry& BlockMarks::at(std::uint64_t number) {
  for (std::size_t i = place(number);; i = (i + 1) & (slots_.size() - 1)) {
    Slot& slot = slots_[i];
    if (slot.mark == number + 1) return slot.entry;
    if (slot.mark != 0) continue;
    if (8 * (used_ + 1) > 5 * slots_.size()) {
      grow();
      return at(number);
    }
    ++used_;
    slot.mark = number + 1;
    return slot.entry;
  }
}

void BlockMarks::grow() {
  const Slots old = std::exchange(slots_, Slots(2 * slots_.size()));
  for (const Slot& slot : old) {
    if (slot.mark == 0) continue;
    std::size_t i = place(slot.mark - 1);
    while (slots_[i].mark != 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
}

}  // namespace tessera
