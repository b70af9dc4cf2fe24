#pragma once
// A checkpoint of what the pages of a flash cache say of themselves, so that boot need not read the out-of-band area of each of them.
//
// Firmware keeps the tags in DRAM. After every so many programs it writes those that changed to a log on conventional tracks, and all of
// them where the log is full. Boot reads the first page of each block: where it still is the one that was recorded, the block has not been
// erased since, so its recorded pages are as they were, and only those behind them are read. Blocks that fail that test are read as
// without a checkpoint, so an old one is as safe as a new one.
//
// What changed since the last checkpoint is in a ring that the dump engine saves. With it boot knows of each page whether its program was
// completed: one that it cannot read and that is recorded was lost since, and its sector with it; any other is torn.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "firmware/flash/oob.hpp"
#include "firmware/flash/recent_tags.hpp"
#include "firmware/logs/table_log.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// What a page was found to hold at boot.
struct PageTag {
  enum class State : std::uint8_t { blank, unreadable, good };
  std::uint64_t seq = 0;
  LogicalSector lsn;
  OobHeader::Kind kind = OobHeader::Kind::data;
  State state = State::blank;
  bool recorded = false;   ///< known from the checkpoint, not read
  bool discarded = false;  ///< see TagCheckpoint::discard()

  [[nodiscard]] OobHeader header() const { return {lsn, seq, kind}; }
};
using PageTags = std::vector<PageTag>;

struct TagCheckpointConfig {
  Bytes region{0};             // ours; the paper is silent on recovery
  std::uint64_t every = 1024;  // ours: these are read at boot in 0.2 s on one plane
  bool dump_tags = true;       // ours

  /// `dumps`: whether the layer has the dump engine save anything.
  void describe(ParameterVisitor& v, bool dumps);
  /// Conventional sectors to set aside.
  [[nodiscard]] std::uint64_t sectors(std::uint32_t sector_bytes) const { return region.value() / sector_bytes; }
  /// A sentence why the region cannot hold the checkpoints of such a flash, or nothing. A page holds one drive sector of 4 KiB.
  [[nodiscard]] std::string problem(const FlashShape& shape) const;
};

class TagCheckpoint final : private TableLog::Table {
 public:
  /// One page's header in 16 bytes; zero: not programmed, or its program failed.
  struct Tag {
    std::uint64_t seq = 0;
    std::uint64_t sector = 0;  ///< with the marks

    static constexpr std::uint64_t mapping_mark = std::uint64_t{1} << 63;  ///< the page holds nothing but a sub-table
    static constexpr std::uint64_t discard_mark = std::uint64_t{1} << 62;
    static constexpr std::uint64_t padding_mark = std::uint64_t{1} << 61;  ///< a subpage for which there was no sector
    [[nodiscard]] static Tag of(const OobHeader& header) {
      return {header.seq, header.lsn.value() | (header.kind == OobHeader::Kind::mapping ? mapping_mark : 0)};
    }
    [[nodiscard]] OobHeader header() const {
      const bool mapping = (sector & mapping_mark) != 0;
      return {LogicalSector(sector & ~(mapping_mark | discard_mark | padding_mark)), seq,
              mapping ? OobHeader::Kind::mapping : OobHeader::Kind::data};
    }
    [[nodiscard]] bool discarded() const { return (sector & discard_mark) != 0; }
    [[nodiscard]] bool padding() const { return (sector & padding_mark) != 0; }
  };

  TagCheckpoint(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& region, const TagCheckpointConfig& config);

  [[nodiscard]] Task<Status> format();
  /// Boot: finds the newest checkpoint, and what was dumped of the changes since. Where it is not found(), every block has to be read.
  [[nodiscard]] Task<void> recover();
  /// Whether recover() could read a checkpoint. If not, a page that cannot be read either may hold the newest copy of any sector.
  [[nodiscard]] bool found() const { return found_; }
  /// What recover() found of a page; sequence number 0: nothing.
  [[nodiscard]] const Tag& recorded(std::uint64_t page) const { return tags_.peek(page); }
  /// Whether recover() found all: a page that is recorded was programmed, and not erased since; any other was not, or a cut tore it.
  [[nodiscard]] bool knows_every_page() const { return knows_every_page_; }
  /// Sequence numbers below this were in use at the checkpoint.
  [[nodiscard]] std::uint64_t next_seq() const { return next_seq_; }
  /// Boot: what the pages were found to hold. What the checkpoint does not know of that counts as programmed since.
  void restart(const PageTags& tags);
  /// Then: all tags twice again, where recover() found but one copy of something.
  [[nodiscard]] Task<void> repair();

  /// The block is about to be erased.
  void erased(std::uint32_t block);
  /// A page was programmed, or its program failed. Starts a checkpoint in the background when it is time.
  void programmed(std::uint32_t page, const OobHeader& header, bool good);
  /// Subpages [first, end) of a page stay blank, of which others were given sequence numbers up to `seq`.
  void pad(std::uint32_t first, std::uint32_t end, std::uint64_t seq);
  /// The page counts no more, although none with a higher sequence number takes its place: its sector was trimmed, or its program was
  /// not acknowledged. To be told behind the page that says so: where a cut takes the end of a checkpoint, a page too many counts, never
  /// one too few.
  void discard(std::uint64_t page);
  /// What the page was programmed with since its block was erased; sequence number 0: nothing that counts, or its program failed.
  [[nodiscard]] OobHeader tag(std::uint32_t page) const {
    const Tag& tag = tags_.peek(page);
    return tag.discarded() || tag.padding() ? OobHeader{} : tag.header();
  }

  [[nodiscard]] bool writing() const { return writing_; }
  [[nodiscard]] std::uint64_t sectors_written() const { return log_.sectors_written(); }
  /// Tags, their image on the way to the platters, and recent changes.
  [[nodiscard]] Bytes bytes() const { return Bytes(2 * image_bytes()) + recent_.bytes(); }

 private:
  /// As it is logged.
  struct Change {
    std::uint64_t page;
    Tag tag;
  };

  [[nodiscard]] std::uint64_t image_bytes() const override { return tags_.size() * sizeof(Tag); }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(const TableLog::Words& words, std::span<const std::byte> sector) override;
  void set(std::uint64_t page, const Tag& tag);
  void changed(std::uint64_t page);
  void note(std::uint64_t page);
  [[nodiscard]] Task<void> write();
  [[nodiscard]] Task<Status> write_changes(std::uint64_t end);
  void replay(const Change& change);

  CpuPort& cpu_;
  std::uint32_t pages_per_block_;
  std::uint64_t every_;
  std::uint64_t most_changes_;
  std::size_t changes_a_sector_;
  DramArray<Tag> tags_;
  RecentTags recent_;
  TableLog log_;
  std::vector<Change> under_way_;  // that are being written
  std::uint64_t since_ = 0;        // changes since the last checkpoint was begun
  bool whole_ = false;             // the log cannot go on with recent changes: the next checkpoint has all tags
  bool found_ = false;
  bool knows_every_page_ = false;
  std::uint64_t next_seq_ = 0;
  bool writing_ = false;
};

/// Nothing where no checkpoints are wanted.
[[nodiscard]] std::unique_ptr<TagCheckpoint> make_tag_checkpoint(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan,
                                                                 const TagCheckpointConfig& config);

}  // namespace tessera
