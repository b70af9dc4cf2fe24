#pragma once
// The machine's registers as a test sees them: what was written, in order, and units that do as the test says.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "firmware/hal/descriptors.hpp"
#include "firmware/hal/register_file.hpp"

namespace tessera::hal::test {

class FakeMachine final : public RegisterFile {
 public:
  using Write = std::pair<Register, std::uint64_t>;

  [[nodiscard]] std::uint64_t read(Register which) override { return values[which]; }
  void write(Register which, std::uint64_t value) override {
    writes.emplace_back(which, value);
    values[which] = value;
    if (which == Register::memory_reserve) reserve();
    if (which == Register::mover_start) move(static_cast<MoverOperation>(value));
    if (which == Register::interrupts_clear) values[Register::interrupts_pending] &= ~value;
  }

  /// All values written to a register, in order.
  [[nodiscard]] std::vector<std::uint64_t> written(Register which) const {
    std::vector<std::uint64_t> found;
    for (const auto& [name, value] : writes)
      if (name == which) found.push_back(value);
    return found;
  }

  /// Entry `number` of the ring at `ring`, as a unit writes it.
  template <class Entry>
  void put(Register ring, Register entries, std::uint64_t number, Entry entry) {
    entry.turn = number / values[entries] + 1;
    std::memcpy(by_number<Entry>(values[ring]) + number % values[entries], &entry, sizeof(entry));
  }
  void complete_chain(const CompletionEntry& entry) { put(Register::disk_completions, Register::disk_entries, chains_completed++, entry); }
  void complete_batch(const CompletionEntry& entry) {
    put(Register::flash_completions, Register::flash_entries, batches_completed++, entry);
  }
  void tell(const HostEntry& entry) { put(Register::host_ring, Register::host_entries, told++, entry); }
  void raise(std::uint64_t lines) { values[Register::interrupts_pending] |= lines; }

  /// The n-th chain or batch that was submitted.
  template <class Entry>
  [[nodiscard]] const Entry& submitted(Register doorbell, std::size_t n) const {
    return *by_number<const Entry>(written(doorbell).at(n));
  }

  std::map<Register, std::uint64_t> values;
  std::vector<Write> writes;
  std::vector<std::uint64_t> lost;         ///< addresses of sectors marked as lost
  std::vector<std::uint64_t> overwritten;  ///< of these, by the write of an overlapping track
  std::uint64_t sector_bytes = 4096;
  std::uint64_t chains_completed = 0;
  std::uint64_t batches_completed = 0;
  std::uint64_t told = 0;

 private:
  void reserve() {
    memory_.push_back(std::make_unique<std::byte[]>(values[Register::memory_bytes]));
    values[Register::memory_address] = number_of(memory_.back().get());
  }
  void move(MoverOperation operation) {
    const std::uint64_t from = values[Register::mover_from];
    std::uint64_t& result = values[Register::mover_result];
    if (operation == MoverOperation::mark_lost || operation == MoverOperation::mark_overwritten) lost.push_back(from);
    if (operation == MoverOperation::mark_overwritten) overwritten.push_back(from);
    if (operation != MoverOperation::first_lost) return;
    result = values[Register::mover_sectors];
    for (const std::uint64_t sector : lost)
      if (sector >= from) result = std::min(result, (sector - from) / sector_bytes);
    if (std::ranges::find(overwritten, from + result * sector_bytes) != overwritten.end()) result |= lost_overwritten;
  }

  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

}  // namespace tessera::hal::test
