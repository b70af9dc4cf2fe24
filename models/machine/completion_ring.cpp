#include "machine/completion_ring.hpp"

#include <bit>

namespace tessera {

void CompletionRing::set_address(std::uint64_t address) {
  if (address % ring_alignment != 0)
    throw FirmwareFault(std::string("the ring of ") + unit_ + ".completions is not aligned to " + std::to_string(ring_alignment) +
                        " bytes");
  address_ = address;
}

void CompletionRing::set_entries(std::uint64_t entries) {
  if (!std::has_single_bit(entries))
    throw FirmwareFault(std::string(unit_) + ".entries is " + std::to_string(entries) + ", which is no power of two");
  static_cast<void>(machine_.bytes(address_, entries * sizeof(hal::CompletionEntry), "a ring of completions"));
  machine_.entries_lie(which_, address_, sizeof(hal::CompletionEntry));
  entries_ = entries;
}

void CompletionRing::set_consumed(std::uint64_t consumed) {
  if (consumed > produced_ || consumed < consumed_)
    throw FirmwareFault(std::string(unit_) + ".consumed goes from " + std::to_string(consumed_) + " to " + std::to_string(consumed) + "; " +
                        std::to_string(produced_) + " completions were written");
  consumed_ = consumed;
}

void CompletionRing::require_started() const {
  if (entries_ == 0) throw FirmwareFault(std::string(unit_) + ".submit before " + unit_ + ".entries has started the unit");
}

void CompletionRing::post(hal::CompletionEntry entry) {
  if (produced_ - consumed_ == entries_)
    throw FirmwareFault(std::string("the ring of ") + unit_ + ".completions is full: the firmware has not taken any of " +
                        std::to_string(entries_));
  entry.turn = produced_ / entries_ + 1;
  machine_.store(address_ + produced_ % entries_ * sizeof entry, entry, "a completion");
  ++produced_;
  machine_.raise(line_);
}

}  // namespace tessera
