#include "stimuli/arrays/row_journal.hpp"

#include <utility>

#include "base/wide.hpp"

namespace tessera {

RowJournal::RowJournal(const JournalConfig& config, std::uint32_t width, std::uint32_t chunk_blocks, std::uint32_t sector_blocks)
    : config_(config),
      sector_blocks_(sector_blocks),
      record_blocks_(sector_blocks + width * chunk_blocks),
      records_(config.place == JournalPlace::none ? 0 : config.records) {}

std::uint64_t RowJournal::reserved_blocks() const { return on_drives() ? std::uint64_t{record_blocks_} * records_.size() : 0; }

void RowJournal::take(std::function<void(std::uint32_t)> granted) {
  for (std::uint32_t tried = 0; tried < records_.size(); ++tried) {
    const std::uint32_t number = std::exchange(next_, next_ + 1 == records_.size() ? 0 : next_ + 1);
    if (records_[number].used) continue;
    records_[number].used = true;
    return granted(number);
  }
  waiting_.push_back(std::move(granted));
}

void RowJournal::release(std::uint32_t number) {
  records_[number] = {};
  if (waiting_.empty()) return;
  const auto granted = std::move(waiting_.front());
  waiting_.pop_front();
  records_[number].used = true;
  granted(number);
}

HostRun RowJournal::place_of(std::uint32_t number) const {
  std::uint32_t blocks = sector_blocks_;
  for (const MemberWrite& write : records_[number].writes) blocks += write.range.count();
  return {HostBlock(std::uint64_t{record_blocks_} * number), blocks};
}

Bytes RowJournal::size(std::uint32_t number) const { return Bytes((place_of(number).count - sector_blocks_) * host_block_bytes); }

Picoseconds RowJournal::nvram_time(std::uint32_t number) const {
  constexpr Wide second = 1'000'000'000'000;
  return Picoseconds(static_cast<std::uint64_t>(Wide{size(number).value()} * second / config_.nvram_rate.value()));
}

std::vector<std::uint32_t> RowJournal::left_by_power_cut() {
  waiting_.clear();
  std::vector<std::uint32_t> left;
  for (std::uint32_t number = 0; number < records_.size(); ++number) {
    if (records_[number].valid)
      left.push_back(number);
    else
      records_[number] = {};
  }
  return left;
}

}  // namespace tessera
