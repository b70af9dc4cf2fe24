#include "firmware/buffer/flash_journal.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "firmware/flash/flash_reads.hpp"

namespace tessera {

FlashJournal::FlashJournal(FlashPort& flash, CpuPort& cpu, RecordType type, FlashArea area, std::uint32_t stripe)
    : flash_(flash),
      turns_(cpu),
      type_(type),
      first_block_(area.first),
      stripe_(stripe),
      row_pages_(std::uint64_t{stripe} * flash.shape().pages_per_block),
      rows_(area.blocks() / stripe),
      lost_rows_(rows_) {
  TESSERA_CHECK(rows_ > kept_rows, "a flash journal has too few rows");
  for (std::uint64_t row = 0; row < rows_; ++row)
    for (std::uint32_t i = 0; i < stripe_; ++i)
      if (flash.is_bad(NandBlock(first_block_ + row * stripe_ + i))) lost_rows_[row] = true;
}

std::uint64_t FlashJournal::capacity(FlashArea area, std::uint32_t pages_per_block, std::uint32_t stripe) {
  const std::uint64_t rows = area.blocks() / stripe;
  return rows <= kept_rows ? 0 : (rows - kept_rows) * stripe * pages_per_block;
}

/// The next row that can be used; with every row lost, one that holds something needed, which fits() then refuses.
std::uint64_t FlashJournal::row_after(std::uint64_t row) const {
  for (std::uint64_t next = row + 1; next < row + rows_; ++next)
    if (usable(next)) return next;
  return row + rows_;
}

/// Page of a sequence number: across the stripe first.
NandPage FlashJournal::page(std::uint64_t sequence) const {
  const std::uint64_t row = row_of(sequence) % rows_;
  const std::uint64_t place = sequence % row_pages_;
  const std::uint64_t block = first_block_ + row * stripe_ + place % stripe_;
  return NandPage(block * flash_.shape().pages_per_block + place / stripe_);
}

bool FlashJournal::fits(std::uint64_t pages) const {
  std::uint64_t row = row_of(head_);
  const std::uint64_t in_row = row_pages_ - head_ % row_pages_;
  if (in_row == row_pages_ && !usable(row)) row = row_after(row);
  for (std::uint64_t room = in_row; room < pages; room += row_pages_) row = row_after(row);
  return row_after(row_after(row)) < row_of(needed_from_) + rows_;
}

Task<Status> FlashJournal::append(std::uint64_t sector, DataSpan data) {
  auto turn = turns_.exclusive(SamePlace{});
  co_await turn;
  for (;;) {
    if (!fits(data.count)) co_return Status::no_space;
    std::uint64_t group = 0;
    std::uint32_t done = 0;
    Status status = Status::ok;
    while (ok(status) && done < data.count) {
      status = co_await open_row();
      if (!ok(status)) break;
      if (done == 0) group = head_;
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(data.count - done, row_pages_ - head_ % row_pages_));
      const DataSpan part = data.part(done, count);
      status = co_await program(group, done, data.count, sector + done, part);
      if (ok(status)) done += count;
    }
    if (ok(status)) co_return Status::ok;
    if (status != Status::program_failed && status != Status::erase_failed) co_return status;
    lose_row();
  }
}

void FlashJournal::lose_row() {
  lost_rows_[row_of(head_) % rows_] = true;
  head_ = (row_of(head_) + 1) * row_pages_;
}

/// Sees to it that the head is in an erased row.
Task<Status> FlashJournal::open_row() {
  if (head_ % row_pages_ != 0) co_return Status::ok;
  if (!usable(row_of(head_))) head_ = row_after(row_of(head_)) * row_pages_;
  commands_.assign(stripe_, FlashCommand{});
  for (std::uint32_t i = 0; i < stripe_; ++i) {
    commands_[i].op = FlashOp::erase;
    commands_[i].block = NandBlock(first_block_ + row_of(head_) % rows_ * stripe_ + i);
  }
  FlashBatch batch(commands_);
  co_return co_await flash_.run(batch);
}

/// Programs data into the row of the head: pages [done, done + data.count) of a group of `total`.
Task<Status> FlashJournal::program(std::uint64_t group, std::uint32_t done, std::uint32_t total, std::uint64_t sector, DataSpan data) {
  commands_.assign(data.count, FlashCommand{});
  headers_.resize(std::max<std::size_t>(headers_.size(), data.count));
  for (std::uint32_t i = 0; i < data.count; ++i) {
    headers_[i] = encode({type_, head_ + i, total, {sector + i, group, done + i, needed_from_}});
    commands_[i].op = FlashOp::program;
    commands_[i].page = page(head_ + i);
    commands_[i].data = data.part(i, 1);
    commands_[i].oob = headers_[i];
  }
  FlashBatch batch(commands_);
  const Status status = co_await flash_.run(batch);
  if (!ok(status)) co_return status;
  head_ += data.count;
  pages_written_ += data.count;
  co_return Status::ok;
}

void FlashJournal::release_before(std::uint64_t sequence) { needed_from_ = std::max(needed_from_, std::min(sequence, head_)); }

// --- Boot ---

/// Reads the out-of-band bytes of the whole area, a row at a time.
Task<void> FlashJournal::scan(std::vector<Record>& records, std::uint64_t& needed_from) {
  std::uint64_t newest = 0;
  headers_.resize(std::max<std::size_t>(headers_.size(), row_pages_));
  for (std::uint64_t row = 0; row < rows_; ++row) {
    commands_.assign(row_pages_, FlashCommand{});
    for (std::uint64_t i = 0; i < row_pages_; ++i) {
      headers_[i] = {};
      commands_[i].op = FlashOp::read_oob;
      commands_[i].page = page(row * row_pages_ + i);
      commands_[i].oob = headers_[i];
    }
    const std::span<FlashCommand> commands(commands_);
    // Blank and torn pages are what a boot expects to meet; each command has its own status.
    static_cast<void>(co_await run_reads(flash_, commands));
    for (std::uint64_t i = 0; i < row_pages_; ++i) {
      if (!ok(commands_[i].status)) continue;
      const std::optional<LogRecord> found = decode(headers_[i]);
      if (!found || found->type != type_) continue;
      records.push_back({found->sequence, found->payload[1], found->length, found->payload[0], commands_[i].page});
      if (found->sequence < newest) continue;
      newest = found->sequence;
      needed_from = found->payload[3];
    }
  }
}

Task<Status> FlashJournal::recover(std::vector<Record>& records) {
  records.clear();
  std::uint64_t needed_from = 0;
  co_await scan(records, needed_from);
  if (records.empty()) co_return Status::ok;
  std::ranges::sort(records, {}, &Record::sequence);
  const std::uint64_t next_row = row_after(row_of(records.back().sequence));
  // The row that was to be erased next may be half gone; nothing in it was needed.
  const std::uint64_t whole_from = next_row < rows_ ? 0 : (next_row - rows_ + 1) * row_pages_;
  needed_from = std::max(needed_from, whole_from);

  std::map<std::uint64_t, std::uint32_t> pages;  // found of each group
  for (const Record& record : records) ++pages[record.group];
  std::erase_if(records, [&](const Record& record) { return record.sequence < needed_from || pages[record.group] != record.count; });
  head_ = next_row * row_pages_;
  needed_from_ = records.empty() ? head_ : records.front().sequence;
  co_return Status::ok;
}

Task<Status> FlashJournal::read(std::span<const Record> records, DataSpan data) {
  commands_.assign(records.size(), FlashCommand{});
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    commands_[i].op = FlashOp::read;
    commands_[i].page = records[i].page;
    commands_[i].data = data.part(i, 1);
  }
  const std::span<FlashCommand> commands(commands_);
  co_return co_await run_reads(flash_, commands);
}

}  // namespace tessera
