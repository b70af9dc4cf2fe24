#include "nvme/nvme_interrupts.hpp"

#include <algorithm>

#include "nvme/nvme_wire.hpp"

namespace tessera::nvme {

void InterruptTable::completed(const CompletionQueue& queue, const std::vector<CompletionQueue>& queues) {
  if (!queue.interrupts) return;
  if (!uses_messages()) return look_at(queues);
  entries_[queue.vector].pending = true;
}

void InterruptTable::look_at(const std::vector<CompletionQueue>& queues) {
  if (uses_messages()) return;
  const bool wanted = std::ranges::any_of(queues, [this](const CompletionQueue& queue) {
    return queue.interrupts && queue.holds_completions() && (masks_ >> queue.vector & 1) == 0;
  });
  if (wanted != asserted_) platform_.line(wanted);
  asserted_ = wanted;
}

bool InterruptTable::send() {
  const auto due = std::ranges::find_if(entries_, [](const Entry& entry) { return entry.pending && (entry.words[3] & 1) == 0; });
  if (due == entries_.end()) return false;
  due->pending = false;
  std::byte data[4];
  put<std::uint32_t>(data, 0, due->words[2]);
  const auto vector = static_cast<std::uint16_t>(due - entries_.begin());
  if (memory_.write(due->words[0] | std::uint64_t{due->words[1]} << 32, data)) platform_.message(vector);
  return true;
}

void InterruptTable::mask(std::uint32_t bits, const std::vector<CompletionQueue>& queues) {
  masks_ |= bits;
  look_at(queues);
}

void InterruptTable::unmask(std::uint32_t bits, const std::vector<CompletionQueue>& queues) {
  masks_ &= ~bits;
  look_at(queues);
}

std::uint32_t InterruptTable::read_table(std::uint64_t offset) const {
  return offset / entry_bytes < entries_.size() ? entries_[offset / entry_bytes].words[offset % entry_bytes / 4] : 0;
}

void InterruptTable::write_table(std::uint64_t offset, std::uint32_t value) {
  if (offset / entry_bytes < entries_.size()) entries_[offset / entry_bytes].words[offset % entry_bytes / 4] = value;
}

std::uint32_t InterruptTable::read_pending(std::uint64_t offset) const {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 32; ++i)
    if (offset * 8 + i < entries_.size() && entries_[offset * 8 + i].pending) bits |= 1U << i;
  return bits;
}

void InterruptTable::reset(bool power) {
  for (Entry& entry : entries_) {
    if (power) entry = Entry();
    entry.pending = false;
  }
  masks_ = 0;
  look_at({});
}

}  // namespace tessera::nvme
