#include "firmware/buffer/flash_journal.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "firmware/buffer/journal_page.hpp"
#include "firmware/flash/flash_reads.hpp"
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

// --- Boot ---

/// Reads the out-of-band bytes of the whole area, `stripe` blocks at a time. Blocks that failed since may hold what is needed.
Task<void> FlashJournal::scan(Found& found) {
  const FlashShape shape = flash_.shape();
  headers_.resize(std::max<std::size_t>(headers_.size(), row_pages_));
  for (std::uint64_t first = area_.first; first < area_.end; first += stripe_) {
    const std::uint64_t blocks = std::min<std::uint64_t>(stripe_, area_.end - first);
    commands_.assign(blocks * order_.count(), FlashCommand{});
    for (std::uint64_t i = 0; i < commands_.size(); ++i) {
      headers_[i] = {};
      commands_[i].op = FlashOp::read_oob;
      const std::uint64_t column = i / order_.in_page();
      const auto in_block = static_cast<std::uint32_t>(column / blocks * order_.in_page() + i % order_.in_page());
      commands_[i].aim((first + column % blocks) * shape.block_subpages() + order_.page(in_block), shape);
      commands_[i].oob = headers_[i];
    }
    const std::span<FlashCommand> commands(commands_);
    // Blank and torn pages are what a boot expects to meet; each command has its own status.
    static_cast<void>(co_await run_reads(flash_, commands));
    for (std::uint64_t i = 0; i < commands_.size(); ++i) {
      if (commands_[i].status != Status::ok && commands_[i].status != Status::lost) {
        found.unreadable = found.unreadable || commands_[i].status != Status::blank;
        continue;
      }
      const std::optional<LogRecord> record = decode(headers_[i]);
      if (!record || record->type != type_) continue;
      const JournalPage says = JournalPage::of(record->payload);
      if (says.offset > record->sequence) continue;
      const std::uint64_t page = commands_[i].target(shape);
      const std::uint64_t group = record->sequence - says.offset;
      found.records.push_back({record->sequence, group, record->length, says.sector, page});
      std::uint64_t& newest = found.newest[page / shape.block_subpages()];
      newest = std::max(newest, record->sequence);
      if (says.acknowledged_last != none) found.acknowledged.push_back({says.acknowledged_first, says.acknowledged_last});
      const std::uint64_t in_front = says.in_front.appended_together ? group - says.in_front.count : says.acknowledged_last;
      if (says.in_front.count != 0) found.named.push_back({in_front, says.in_front.sector, says.in_front.count});
      if (record->sequence < found.next) continue;
      found.next = record->sequence + 1;
      found.needed_from = says.needed_from;
    }
  }
}

/// What the dump saved: the groups of the last append, which nothing behind them tells of, and the one in front, as what tells of it may be
/// lost as well.
void FlashJournal::take_newest(Found& found) const {
  const Front& front = front_.peek(0);
  found.needed_from = std::max(found.needed_from, front.needed_from);
  if (front.group.count != 0) {
    found.acknowledged.push_back({front.group.number, front.group.number});
    found.named.push_back(front.group);
  }
  if (newest_groups_.peek(0).count == 0) return;
  found.acknowledged.push_back({front.acknowledged_first, 0});
  for (std::uint32_t i = 0; i < order_.in_page() && newest_groups_.peek(i).count != 0; ++i) {
    const Group& group = newest_groups_.peek(i);
    found.named.push_back(group);
    found.acknowledged.back().last = group.number;
    found.next = std::max(found.next, group.number + group.count);
  }
}

/// Groups of which no page can be read.
void FlashJournal::add_lost_groups(Found& found) const {
  std::ranges::sort(found.named, {}, &Group::number);
  std::uint64_t behind = 0;
  std::vector<Record> lost;
  for (const Group& group : found.named) {
    if (group.number < behind || !found.was_acknowledged(group.number)) continue;  // told of more than once
    const auto begins_behind = std::ranges::lower_bound(found.records, group.number, {}, &Record::sequence);
    behind = group.number + group.count;
    if (begins_behind != found.records.end() && begins_behind->sequence < behind) continue;
    for (std::uint64_t i = 0; i < group.count; ++i)
      lost.push_back({group.number + i, group.number, static_cast<std::uint32_t>(group.count), group.sector + i, 0, false});
  }
  found.records.insert(found.records.end(), lost.begin(), lost.end());
  std::ranges::sort(found.records, {}, &Record::sequence);
}

bool FlashJournal::Found::was_acknowledged(std::uint64_t group) const {
  const auto behind = std::ranges::upper_bound(acknowledged, group, {}, &Groups::first);
  return behind != acknowledged.begin() && std::prev(behind)->last >= group;
}

/// Groups that are needed. One of which a page is missing was completed if a later group says so: then the missing page was lost since.
void FlashJournal::keep_groups(Found& found, Rest rest, std::vector<Record>& records) const {
  std::erase_if(found.records, [&found](const Record& record) { return record.sequence < found.needed_from; });
  for (std::size_t i = 0; i < found.records.size();) {
    const Record& head = found.records[i];
    std::size_t end = i;
    while (end < found.records.size() && found.records[end].group == head.group) ++end;
    // Of a group that begins in front of what is needed only the rest counts.
    const std::uint64_t first = std::max(head.group, found.needed_from);
    const std::uint64_t behind = head.group + head.count;
    const bool whole = end - i == behind - first;
    if (whole || found.was_acknowledged(head.group)) {
      const std::uint64_t sector = head.sector - (head.sequence - head.group);  // of the group's first page
      for (std::uint64_t sequence = first; sequence < behind; ++sequence) {
        if (i < end && found.records[i].sequence == sequence) {
          records.push_back(found.records[i++]);
        } else {
          records.push_back({sequence, head.group, head.count, sector + (sequence - head.group), 0, false});
        }
      }
    }
    while (i < end && rest == Rest::kept) {
      records.push_back(found.records[i++]);
      records.back().whole = false;
    }
    i = end;
  }
}

/// Groups that are appended from now on name the last whole one, and say which in front of it were completed: no failed one hides among
/// those that follow each other without a gap.
void FlashJournal::continue_after(std::span<const Record> records) {
  const auto last = std::find_if(records.rbegin(), records.rend(), [](const Record& record) { return record.whole; });
  gap_ = true;
  if (last == records.rend()) return;
  acknowledged_ = {last->group, last->group};
  newest_ = {last->group, last->sector - (last->sequence - last->group), last->count};
  for (auto record = last; record != records.rend() && record->whole; ++record) {
    if (record != last && record->sequence + 1 != std::prev(record)->sequence) break;
    acknowledged_.first = record->group;
  }
}

/// Blocks with needed records are rows of their own; the others are free, those used longest ago first.
void FlashJournal::restore_rows(const Found& found, std::span<const Record> needed) {
  std::map<std::uint64_t, std::uint64_t> kept;  // by the end of a block's sequence numbers
  for (const Record& record : needed) {
    if (!record.readable) continue;
    const std::uint64_t block = record.page / flash_.shape().block_subpages();
    kept[found.newest.at(block) + 1] = block;
  }
  rows_.clear();
  for (const auto& [end, block] : kept) rows_.push_back({end, end, {block}});
  std::erase_if(free_, [&kept](std::uint64_t block) {
    return std::ranges::any_of(kept, [block](const auto& entry) { return entry.second == block; });
  });
  const auto newest_in = [&found](std::uint64_t block) {
    const auto at = found.newest.find(block);
    return at == found.newest.end() ? 0 : at->second + 1;
  };
  std::ranges::stable_sort(free_, {}, newest_in);
  erasable_ =
      static_cast<std::uint64_t>(std::ranges::count_if(free_, [&](std::uint64_t block) { return newest_in(block) <= found.needed_from; }));
}

Task<Status> FlashJournal::recover(std::vector<Record>& records, Rest rest) {
  records.clear();
  Found found;
  co_await scan(found);
  take_newest(found);
  std::ranges::sort(found.records, {}, &Record::sequence);
  std::ranges::sort(found.acknowledged, {}, &Groups::first);
  std::uint64_t last = 0;  // some lie inside others
  for (Groups& groups : found.acknowledged) last = groups.last = std::max(last, groups.last);
  add_lost_groups(found);
  // Pages that cannot be read now may have the highest numbers, and be read at a later boot: what comes is newer than they are, too.
  head_ = found.next + (found.unreadable ? area_.blocks() * block_subpages_ : 0);
  if (found.records.empty()) co_return Status::ok;
  keep_groups(found, rest, records);
  restore_rows(found, records);
  needed_from_ = records.empty() ? head_ : records.front().sequence;
  continue_after(records);
  co_return Status::ok;
}

Task<Status> FlashJournal::read(std::span<const Record> records, DataSpan data) {
  std::vector<FlashCommand> read;  // several may read at once
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (!records[i].readable) {
      data.buffer->mark_lost(data.first + i);
      continue;
    }
    FlashCommand& command = read.emplace_back();
    command.op = FlashOp::read;
    command.aim(records[i].page, flash_.shape());
    command.data = data.part(i, 1);
  }
  const std::span<FlashCommand> commands(read);
  const Status status = co_await run_reads(flash_, commands);
  co_return delivered(status) ? Status::ok : status;
}

}  // namespace tessera
