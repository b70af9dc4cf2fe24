#include "firmware/flash/page_scan.hpp"

#include <algorithm>
#include <utility>

#include "firmware/flash/flash_reads.hpp"

namespace tessera {

namespace {

/// Blocks that are looked at together: consecutive blocks lie on different dies.
constexpr std::uint64_t blocks_together = 64;

/// How far a block is read.
struct Cursor {
  enum class Block : std::uint8_t {
    unknown,    ///< no page of it could be read yet
    unchanged,  ///< not erased since the checkpoint
    changed
  };
  std::uint64_t first = 0;  ///< its first page
  std::uint32_t place = 0;  ///< of the first subpage of the page that is read next
  Block block = Block::unknown;
};

class Scan {
 public:
  Scan(FlashPort& flash, const OobCodec& codec, PageOrder order, std::uint64_t user_sectors, PageTags& tags,
       const TagCheckpoint* checkpoint)
      : flash_(flash), codec_(codec), order_(std::move(order)), user_sectors_(user_sectors), tags_(tags), checkpoint_(checkpoint) {}

  /// All that blocks [begin, end) hold: a page of each at a time, until nothing is left to read of any.
  Task<Status> read_blocks(std::uint64_t begin, std::uint64_t end) {
    cursors_.clear();
    for (std::uint64_t block = begin; block < end; ++block) cursors_.push_back({block * flash_.shape().block_subpages()});
    while (!cursors_.empty()) {
      const Status status = co_await read_tags();
      if (!ok(status)) co_return status;
      std::erase_if(cursors_, [this](Cursor& cursor) { return !advance(cursor); });
    }
    co_return Status::ok;
  }

 private:
  [[nodiscard]] std::uint64_t page(const Cursor& cursor) const { return cursor.first + order_.page(cursor.place); }
  [[nodiscard]] bool knows_every_page() const { return checkpoint_ != nullptr && checkpoint_->knows_every_page(); }
  [[nodiscard]] bool is_recorded(std::uint64_t page) const { return checkpoint_ != nullptr && checkpoint_->recorded(page).seq != 0; }

  /// Reads the tags of the pages that the cursors are at: of all that lie in the same page of the flash.
  Task<Status> read_tags() {
    const std::size_t image = codec_.bytes();
    const FlashShape shape = flash_.shape();
    const std::uint32_t together = shape.subpages;
    commands_.assign(cursors_.size() * together, FlashCommand{});
    images_.resize(std::max(images_.size(), commands_.size() * image));
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      commands_[i].op = FlashOp::read_oob;
      commands_[i].aim(page(cursors_[i / together]) + i % together, shape);
      commands_[i].oob = std::span(images_).subspan(i * image, image);
    }
    const std::span<FlashCommand> commands(commands_);
    // Blank and unreadable pages are what a boot expects to meet; each command has its own status.
    const Status worst = co_await run_reads(flash_, commands);
    if (worst == Status::rule_violation) co_return worst;
    for (const FlashCommand& command : commands_) {
      PageTag& tag = tags_[command.target(shape)];
      if (command.status == Status::blank || tag.recorded) continue;
      tag.state = PageTag::State::unreadable;
      OobHeader header;
      const bool readable = ok(command.status) || command.status == Status::lost;
      if (!readable || !codec_.decode(command.oob, header, {})) continue;
      if (header.lsn.value() >= user_sectors_) continue;
      tag = {header.seq, header.lsn, header.kind, PageTag::State::good};
    }
    co_return Status::ok;
  }

  /// Behind a page that was read: the next one that is not known; false where there is none, as pages are programmed in order.
  bool advance(Cursor& cursor) {
    const std::span<const PageTag> tags = std::span(tags_).subspan(page(cursor), order_.in_page());
    const bool blank = tags.front().state == PageTag::State::blank;
    for (std::uint32_t i = 0; i < tags.size(); ++i)
      if (cursor.block == Cursor::Block::unknown && tags[i].state == PageTag::State::good) compare(cursor, i);
    do {
      cursor.place += order_.in_page();
    } while (cursor.place < order_.count() && all_recorded(cursor));
    if (!blank && cursor.place < order_.count()) return true;
    // No page of it can be read.
    if (cursor.block == Cursor::Block::unknown && knows_every_page()) take_recorded(cursor);
    return false;
  }

  [[nodiscard]] bool all_recorded(const Cursor& cursor) const {
    for (std::uint32_t i = 0; i < order_.in_page(); ++i)
      if (!tags_[page(cursor) + i].recorded) return false;
    return true;
  }

  /// No two pages ever have the same sequence number: where the page that was read is the recorded one, so are all that are recorded of
  /// its block, also those in front of it that could not be read. One that is not recorded although every page is was not acknowledged.
  void compare(Cursor& cursor, std::uint32_t subpage) {
    const std::uint64_t read = page(cursor) + subpage;
    const bool same = is_recorded(read) ? checkpoint_->recorded(read).seq == tags_[read].seq : knows_every_page();
    cursor.block = same ? Cursor::Block::unchanged : Cursor::Block::changed;
    if (same) take_recorded(cursor);
  }

  /// Of the block of the cursor.
  void take_recorded(const Cursor& cursor) {
    for (std::uint32_t place = 0; place < order_.count(); ++place) {
      const std::uint64_t known = cursor.first + order_.page(place);
      if (!is_recorded(known)) continue;
      const TagCheckpoint::Tag& tag = checkpoint_->recorded(known);
      const OobHeader header = tag.header();
      if (tag.padding()) {
        tags_[known].recorded = true;
        continue;
      }
      tags_[known] = {header.seq, header.lsn, header.kind, PageTag::State::good, true, tag.discarded()};
    }
  }

  FlashPort& flash_;
  const OobCodec& codec_;
  PageOrder order_;
  std::uint64_t user_sectors_;
  PageTags& tags_;
  const TagCheckpoint* checkpoint_;  // may be null
  std::vector<Cursor> cursors_;
  std::vector<FlashCommand> commands_;
  std::vector<std::byte> images_;
};

}  // namespace

Task<Status> scan_pages(FlashPort& flash, const OobCodec& codec, PageOrder order, std::uint64_t user_sectors, FoundPages& found,
                        TagCheckpoint* checkpoint) {
  if (checkpoint != nullptr) {
    co_await checkpoint->recover();
    found.next_seq = checkpoint->next_seq();
  }
  const FlashShape shape = flash.shape();
  found.tags.assign(shape.all_subpages(), PageTag{});
  Scan scan(flash, codec, std::move(order), user_sectors, found.tags, checkpoint);
  for (std::uint64_t block = 0; block < shape.blocks; block += blocks_together) {
    const Status status = co_await scan.read_blocks(block, std::min(block + blocks_together, shape.blocks));
    if (!ok(status)) co_return status;
  }
  for (const PageTag& tag : found.tags)
    if (tag.state == PageTag::State::good) found.next_seq = std::max(found.next_seq, tag.seq + 1);
  const bool unread = std::ranges::any_of(found.tags, [](const PageTag& tag) { return tag.state == PageTag::State::unreadable; });
  // Without the checkpoint nothing says which sector such a page holds the newest copy of, or that a cut tore it.
  if (unread && checkpoint != nullptr && !checkpoint->found()) co_return Status::corrupt;
  // Pages that cannot be read now may have the highest numbers, and be read at a later boot: what comes is newer than they are, too.
  if (unread) found.next_seq += found.tags.size();
  co_return Status::ok;
}

}  // namespace tessera
