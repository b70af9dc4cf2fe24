#include "firmware/layers/amphisbaena/stale_records.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::amphisbaena {

StaleRecords::StaleRecords(MemoryPort& memory, std::uint32_t slots, std::uint32_t sector_bytes)
    : until_(memory, MemoryCategory::metadata, slots, "void records of the buffer's slots"),
      pending_(memory, MemoryCategory::metadata, slots, 1, "void records that the log does not know of"),
      is_pending_(memory, MemoryCategory::metadata, slots, "whether the log does not know of a void record"),
      most_runs_(sector_bytes / sizeof(Run)) {
  note_.reserve(most_runs_);
}

void StaleRecords::add(std::uint32_t slot, std::uint64_t until) {
  until_.write(slot) = until;
  if (is_pending_.test(slot)) return;
  is_pending_.set(slot);
  ++pending_count_;
  pending_.push_back(0, slot);
}

void StaleRecords::overwritten(std::uint32_t slot) {
  if (!is_pending_.test(slot)) return;
  is_pending_.reset(slot);
  --pending_count_;
  pending_.remove(slot);
}

void StaleRecords::settle(const Run& run) {
  for (std::uint32_t slot = run.first; slot < run.first + run.count; ++slot) {
    until_.write(slot) = run.until;
    overwritten(slot);
  }
}

std::uint64_t StaleRecords::newest() const {
  std::uint64_t newest = 0;
  for (std::uint32_t slot = 0; slot < until_.size(); ++slot) newest = std::max(newest, until_.peek(slot));
  return newest;
}

void StaleRecords::fill_note() {
  while (pending_count_ != 0) {
    const std::uint32_t slot = pending_.front(0);
    if (!add_to_note({slot, 1, until_.read(slot)})) return;
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

void StaleRecords::save(std::span<std::byte> image) const { std::memcpy(image.data(), &until_.peek(0), bytes()); }

void StaleRecords::load(std::span<const std::byte> image) { std::memcpy(&until_.peek(0), image.data(), bytes()); }

/// A note ends with its sector, or with a run of no slots.
void StaleRecords::replay(std::uint32_t, std::span<const std::byte> note) {
  for (std::size_t i = 0; i < most_runs_; ++i) {
    Run run;
    std::memcpy(&run, note.data() + i * sizeof(Run), sizeof(Run));
    if (run.count == 0) return;
    for (std::uint32_t slot = run.first; slot < run.first + run.count; ++slot) until_.peek(slot) = std::max(until_.peek(slot), run.until);
  }
}

}  // namespace tessera::amphisbaena
