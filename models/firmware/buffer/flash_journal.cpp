#include "firmware/buffer/flash_journal.hpp"

#include <algorithm>

namespace tessera {

FlashJournal::FlashJournal(FlashPort& flash, CpuPort& cpu, RecordType type, FlashArea area, std::uint32_t stripe, PairedPages paired)
    : flash_(flash),
      turns_(cpu),
      type_(type),
      area_(area),
      stripe_(stripe),
      order_(flash.shape(), paired),
      row_pages_(std::uint64_t{stripe} * order_.count()),
      retired_(area.blocks()) {
  TESSERA_CHECK(area.blocks() / stripe > kept_rows, "a flash journal has too few rows");
  for (std::uint64_t block = area.first; block < area.end; ++block) {
    if (flash.is_bad(NandBlock(block)))
      retire(block);
    else
      free_.push_back(block);
  }
  erasable_ = free_.size();
}

std::uint64_t FlashJournal::capacity(FlashArea area, const PageOrder& order, std::uint32_t stripe) {
  const std::uint64_t rows = area.blocks() / stripe;
  return rows <= kept_rows ? 0 : (rows - kept_rows) * stripe * order.count();
}

/// Page of a sequence number in the row being filled: across the stripe first.
NandPage FlashJournal::page(std::uint64_t sequence) const {
  const Row& row = rows_.back();
  const std::uint64_t place = sequence - row.first;
  return NandPage(row.blocks[place % stripe_] * flash_.shape().pages_per_block + order_.page(static_cast<std::uint32_t>(place / stripe_)));
}

/// A row that is left behind is one that the newest record calls unneeded, so the next append finds blocks to erase.
bool FlashJournal::fits(std::uint64_t pages, std::uint64_t spare_rows) const {
  const std::uint64_t room = room_in_row();
  const std::uint64_t rows = pages <= room ? 0 : (pages - room + row_pages_ - 1) / row_pages_;
  return free_.size() >= (rows + spare_rows) * stripe_;
}

Task<Status> FlashJournal::append(std::uint64_t sector, DataSpan data) {
  auto turn = turns_.exclusive(SamePlace{});
  co_await turn;
  if (!fits(data.count)) co_return Status::no_space;
  Status status = co_await append_group(sector, data);
  while (status == Status::program_failed && fits(data.count, 1)) status = co_await append_group(sector, data);
  co_return status == Status::program_failed ? Status::no_space : status;
}

/// `program_failed` where a page of the group was: blocks are retired, and what there is of the group does not count.
Task<Status> FlashJournal::append_group(std::uint64_t sector, DataSpan data) {
  std::uint64_t group = none;
  for (std::uint32_t done = 0; done < data.count;) {
    if (room_in_row() == 0) {
      const Status opened = co_await open_row();
      if (!ok(opened)) co_return opened;
    }
    if (group == none) group = head_;
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(data.count - done, room_in_row()));
    const DataSpan part = data.part(done, count);
    const Status status = co_await program(group, done, data.count, sector + done, part);
    if (!ok(status)) co_return status;
    done += count;
  }
  acknowledged_ = group;
  co_return Status::ok;
}

/// Begins a row of erased blocks; those that fail to erase are retired, and others take their places.
Task<Status> FlashJournal::open_row() {
  Row row;
  while (row.blocks.size() < stripe_) {
    const std::uint64_t wanted = stripe_ - row.blocks.size();
    if (erasable_ < wanted) {
      for (const std::uint64_t block : row.blocks) free_.push_front(block);
      erasable_ += row.blocks.size();
      co_return Status::no_space;
    }
    commands_.assign(wanted, FlashCommand{});
    for (FlashCommand& command : commands_) {
      command.op = FlashOp::erase;
      command.block = NandBlock(free_.front());
      free_.pop_front();
    }
    erasable_ -= wanted;
    FlashBatch batch(commands_);
    const Status worst = co_await flash_.run(batch);
    if (!ok(worst) && worst != Status::erase_failed) co_return worst;
    for (const FlashCommand& command : commands_) {
      if (ok(command.status))
        row.blocks.push_back(command.block.value());
      else
        retire(command.block.value());
    }
  }
  std::ranges::sort(row.blocks);
  row.first = head_;
  row.end = head_ + row_pages_;
  rows_.push_back(std::move(row));
  co_return Status::ok;
}

/// Programs data into the row being filled: pages [done, done + data.count) of a group of `total`.
Task<Status> FlashJournal::program(std::uint64_t group, std::uint32_t done, std::uint32_t total, std::uint64_t sector, DataSpan data) {
  commands_.assign(data.count, FlashCommand{});
  headers_.resize(std::max<std::size_t>(headers_.size(), data.count));
  for (std::uint32_t i = 0; i < data.count; ++i) {
    headers_[i] = encode({type_, head_ + i, total, {sector + i, group, done + i, needed_from_, acknowledged_}});
    commands_[i].op = FlashOp::program;
    commands_[i].page = page(head_ + i);
    commands_[i].data = data.part(i, 1);
    commands_[i].oob = headers_[i];
  }
  const std::uint64_t unneeded = free_.size();
  FlashBatch batch(commands_);
  const Status worst = co_await flash_.run(batch);
  if (!ok(worst) && worst != Status::program_failed) co_return worst;
  head_ += data.count;
  pages_written_ += data.count;
  if (std::ranges::any_of(commands_, [](const FlashCommand& command) { return ok(command.status); })) erasable_ = unneeded;
  if (ok(worst)) co_return worst;
  for (const FlashCommand& command : commands_) {
    if (ok(command.status)) continue;
    ++failed_programs_;
    retire(command.page.value() / flash_.shape().pages_per_block);
  }
  rows_.back().end = head_;  // the row has a hole now
  co_return worst;
}

void FlashJournal::retire(std::uint64_t block) {
  if (retired_[block - area_.first]) return;
  retired_[block - area_.first] = true;
  ++retired_blocks_;
}

void FlashJournal::release_before(std::uint64_t sequence) {
  needed_from_ = std::max(needed_from_, std::min(sequence, head_));
  while (!rows_.empty() && rows_.front().end <= needed_from_) {
    for (const std::uint64_t block : rows_.front().blocks)
      if (!retired_[block - area_.first]) free_.push_back(block);
    rows_.pop_front();
  }
}

}  // namespace tessera
