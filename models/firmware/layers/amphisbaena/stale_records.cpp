#include "firmware/layers/amphisbaena/stale_records.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tessera::amphisbaena {

StaleRecords::StaleRecords(MemoryPort& memory, std::uint32_t slots, std::uint32_t sector_bytes)
    : slots_(slots),
      pending_(memory, MemoryCategory::metadata, (std::uint64_t{slots} + 63) / 64, "void records that the log does not know of"),
      most_runs_(sector_bytes / sizeof(Run)) {
  note_.reserve(most_runs_);
}

void StaleRecords::add(std::uint32_t slot) {
  std::uint64_t& word = pending_.write(slot / 64);
  if ((word & bit(slot)) != 0) return;
  word |= bit(slot);
  ++pending_count_;
}

void StaleRecords::overwritten(std::uint32_t slot) {
  if ((pending_.read(slot / 64) & bit(slot)) == 0) return;
  pending_.write(slot / 64) &= ~bit(slot);
  --pending_count_;
}

void StaleRecords::settle(const Run& run) {
  for (std::uint32_t slot = run.first; slot < run.first + run.count; ++slot) overwritten(slot);
}

std::uint64_t StaleRecords::newest() const { return logged_.empty() ? 0 : std::ranges::max(logged_); }

void StaleRecords::fill_note() {
  for (std::uint64_t at = 0; at < pending_.size() && pending_count_ != 0; ++at)
    for (std::uint64_t bits = pending_.read(at); bits != 0; bits &= bits - 1) {
      const auto slot = static_cast<std::uint32_t>(at * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
      if (!add_to_note({slot, 1, records_->void_until(slot)})) return;
      overwritten(slot);
    }
}

bool StaleRecords::add_to_note(const Run& run) {
  if (!note_.empty()) {
    Run& last = note_.back();
    if (run.first == last.first + last.count && run.until == last.until) {
      last.count += run.count;
      return true;
    }
  }
  if (note_.size() == most_runs_) return false;
  note_.push_back(run);
  return true;
}

void StaleRecords::save(std::span<std::byte> image) const {
  const bool boot = !logged_.empty();
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    const std::uint64_t until = boot ? logged_[slot] : records_->void_until(slot);
    std::memcpy(image.data() + slot * slot_bytes, &until, sizeof(until));
  }
}

void StaleRecords::load(std::span<const std::byte> image) {
  logged_.resize(slots_);
  std::memcpy(logged_.data(), image.data(), bytes());
}

/// A note ends with its sector, or with a run of no slots.
void StaleRecords::replay(std::uint32_t, std::span<const std::byte> note) {
  logged_.resize(slots_);
  for (std::size_t i = 0; i < most_runs_; ++i) {
    Run run;
    std::memcpy(&run, note.data() + i * sizeof(Run), sizeof(Run));
    if (run.count == 0) return;
    for (std::uint32_t slot = run.first; slot < run.first + run.count; ++slot) logged_[slot] = std::max(logged_[slot], run.until);
  }
}

}  // namespace tessera::amphisbaena
