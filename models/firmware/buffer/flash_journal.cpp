#include "firmware/buffer/flash_journal.hpp"

#include <algorithm>
#include <array>

#include "firmware/buffer/journal_page.hpp"
#include "firmware/flash/shared_pages.hpp"

namespace tessera {

FlashJournal::FlashJournal(const Ports& ports, RecordType type, FlashArea area, std::uint32_t stripe, PairedPages paired, Survival newest)
    : flash_(*ports.flash),
      turns_(ports.cpu),
      type_(type),
      area_(area),
      stripe_(stripe),
      order_(flash_.shape(), paired),
      block_subpages_(flash_.shape().block_subpages()),
      in_page_(order_.in_page()),
      across_(stripe),
      row_pages_(std::uint64_t{stripe} * order_.count()),
      retired_(area.blocks()),
      newest_groups_(ports.memory, MemoryCategory::metadata, order_.in_page(), "newest groups of a flash journal", newest),
      front_(ports.memory, MemoryCategory::metadata, 1, "front of a flash journal", newest) {
  TESSERA_CHECK(area.blocks() / stripe > kept_rows, "a flash journal has too few rows");
  for (std::uint64_t block = area.first; block < area.end; ++block) {
    if (flash_.is_bad(NandBlock(block)))
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

/// Page of a sequence number in the row being filled: page by page of the flash across the stripe first.
std::uint64_t FlashJournal::page(std::uint64_t sequence) const {
  const Row& row = rows_.back();
  const std::uint64_t place = sequence - row.first;
  const std::uint64_t column = in_page_.quotient(place);
  const std::uint64_t line = across_.quotient(column);
  const auto in_block = static_cast<std::uint32_t>(line * order_.in_page() + (place - column * order_.in_page()));
  return row.blocks[column - line * stripe_] * block_subpages_ + order_.page(in_block);
}

/// A row that is left behind is one that the newest record calls unneeded, so the next append finds blocks to erase, unless programs that
/// failed kept that record from the flash.
bool FlashJournal::fits(std::uint64_t pages, std::uint64_t spare_rows) const {
  const std::uint64_t room = room_in_row();
  if (room == 0 && erasable_ < stripe_) return false;
  const std::uint64_t rows = pages <= room ? 0 : (pages - room + row_pages_ - 1) / row_pages_;
  return free_.size() >= (rows + spare_rows) * stripe_;
}

Task<Status> FlashJournal::append(std::uint64_t sector, DataSpan data) {
  Append mine{sector, data};
  waiting_.push_back(&mine);
  auto turn = turns_.exclusive(SamePlace{});
  co_await turn;
  if (mine.done) co_return mine.status;
  take_along();
  Status status = fits(together_pages_) ? co_await append_groups() : Status::no_space;
  while (status == Status::program_failed && fits(together_pages_, 1)) status = co_await append_groups();
  for (Append* append : together_) {
    append->done = true;
    append->status = status == Status::program_failed ? Status::no_space : status;
  }
  co_return mine.status;
}

/// The append whose turn it is, and as many of those behind it as it takes to fill its last page; no more groups than a page has sectors.
void FlashJournal::take_along() {
  together_.clear();
  together_pages_ = 0;
  do {
    Append* const next = waiting_.front();
    if (!together_.empty() && !fits(together_pages_ + next->data.count)) return;
    waiting_.pop_front();
    if (!together_.empty()) collected_ += next->data.count;
    together_.push_back(next);
    together_pages_ += next->data.count;
  } while (together_pages_ % order_.in_page() != 0 && together_.size() < order_.in_page() && !waiting_.empty());
}

/// `program_failed` where a page of the groups was: blocks are retired, and what there is of the groups does not count.
Task<Status> FlashJournal::append_groups() {
  std::uint64_t first = none;
  for (std::uint32_t done = 0; done < together_pages_;) {
    if (room_in_row() == 0) {
      const Status opened = co_await open_row();
      if (!ok(opened)) co_return opened;
    }
    if (first == none) {
      first = head_;
      std::uint64_t group = head_;
      for (Append* append : together_) {
        append->group = group;
        group += append->data.count;
      }
    }
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(together_pages_ - done, room_in_row()));
    const Status status = co_await program(done, count);
    if (!ok(status)) co_return status;
    done += count;
  }
  complete(first);
  co_return Status::ok;
}

/// From now on a page of what was appended, from group `first` on, that cannot be read was lost.
void FlashJournal::complete(std::uint64_t first) {
  acknowledged_ = {gap_ ? first : acknowledged_.first, together_.back()->group};
  gap_ = false;
  front_.write(0) = {needed_from_, acknowledged_.first, newest_};
  for (std::uint32_t i = 0; i < order_.in_page(); ++i) {
    const Append* const append = i < together_.size() ? together_[i] : nullptr;
    newest_groups_.write(i) = append == nullptr ? Group{} : Group{append->group, append->sector, append->data.count};
    if (append != nullptr) newest_ = newest_groups_.peek(i);
  }
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
    erases_ += wanted;
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

/// Programs pages [done, done + count) of what is appended together into the row being filled, which has room for them.
Task<Status> FlashJournal::program(std::uint32_t done, std::uint32_t count) {
  commands_.assign(count, FlashCommand{});
  headers_.resize(std::max<std::size_t>(headers_.size(), count));
  const FlashShape shape = flash_.shape();
  std::uint32_t at = 0;  // in what is appended together: of the first page of `append`
  auto append = together_.begin();
  JournalPage page_of{.acknowledged_first = acknowledged_.first, .needed_from = needed_from_, .acknowledged_last = acknowledged_.last};
  page_of.in_front = {newest_.sector, newest_.count, false};
  for (std::uint32_t i = 0; i < count; ++i) {
    while (done + i - at >= (*append)->data.count) {
      page_of.in_front = {(*append)->sector, (*append)->data.count, true};
      at += (*append++)->data.count;
    }
    const std::uint32_t offset = done + i - at;
    page_of.sector = (*append)->sector + offset;
    page_of.offset = offset;
    const std::array<std::uint64_t, 5> payload = page_of.words();
    headers_[i] = encode({type_, head_ + i, (*append)->data.count, payload});
    commands_[i].op = FlashOp::program;
    commands_[i].aim(page(head_ + i), shape);
    commands_[i].data = (*append)->data.part(offset, 1);
    commands_[i].oob = headers_[i];
  }
  join_pages(commands_, shape);
  const std::uint64_t unneeded = free_.size();
  FlashBatch batch(commands_);
  const Status worst = co_await flash_.run(batch);
  if (!ok(worst) && worst != Status::program_failed) co_return worst;
  head_ += order_.page_end(count);
  pages_written_ += count;
  if (std::ranges::any_of(commands_, [](const FlashCommand& command) { return ok(command.status); })) erasable_ = unneeded;
  if (ok(worst)) co_return worst;
  for (const FlashCommand& command : commands_) {
    if (ok(command.status)) continue;
    ++failed_programs_;
    retire(command.page.value() / shape.pages_per_block);
  }
  rows_.back().end = head_;  // the row has a hole now
  gap_ = true;
  co_return worst;
}

void FlashJournal::retire(std::uint64_t block) {
  if (retired_[block - area_.first]) return;
  retired_[block - area_.first] = true;
  ++retired_blocks_;
}

void FlashJournal::release_before(std::uint64_t sequence) {
  needed_from_ = std::max(needed_from_, std::min(sequence, head_));
  front_.write(0).needed_from = needed_from_;
  while (!rows_.empty() && rows_.front().end <= needed_from_) {
    for (const std::uint64_t block : rows_.front().blocks)
      if (!retired_[block - area_.first]) free_.push_back(block);
    rows_.pop_front();
  }
}

}  // namespace tessera
