#pragma once
// A checkpoint of what the pages of a flash cache say of themselves, so that boot need not read the out-of-band area of each of them.
//
// Firmware keeps the tags in DRAM and writes all of them to conventional tracks after every so many programs. Boot reads the first
// page of each block: a block that was full at the checkpoint and whose first page still is the one it was has not been erased since,
// so its pages are as they were. Blocks that fail that test are read as without a checkpoint, so an old one is as safe as a new one.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "firmware/flash/oob.hpp"
#include "firmware/flash/page_order.hpp"
#include "firmware/shared/dram_table.hpp"
#include "firmware/shared/table_log.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// What a page was found to hold at boot.
struct PageTag {
  enum class State : std::uint8_t { blank, unreadable, good };
  std::uint64_t seq = 0;
  LogicalSector lsn;
  OobHeader::Kind kind = OobHeader::Kind::data;
  State state = State::blank;
};
using PageTags = std::vector<PageTag>;

struct TagCheckpointConfig {
  Bytes region{0};          // ours; the paper is silent on recovery
  std::uint64_t every = 0;  // ours

  void describe(ParameterVisitor& v);
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
    std::uint64_t sector = 0;  ///< with mapping_mark where the page holds nothing but a sub-table

    static constexpr std::uint64_t mapping_mark = std::uint64_t{1} << 63;
    [[nodiscard]] static Tag of(const OobHeader& header) {
      return {header.seq, header.lsn.value() | (header.kind == OobHeader::Kind::mapping ? mapping_mark : 0)};
    }
    [[nodiscard]] OobHeader header() const {
      const bool mapping = (sector & mapping_mark) != 0;
      return {LogicalSector(sector & ~mapping_mark), seq, mapping ? OobHeader::Kind::mapping : OobHeader::Kind::data};
    }
  };

  TagCheckpoint(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& region, const TagCheckpointConfig& config,
                PairedPages paired);

  [[nodiscard]] Task<Status> format() { return log_.format(); }
  /// Boot: finds the newest checkpoint; where there is none, every block has to be read.
  [[nodiscard]] Task<void> recover();
  /// Tags of a block's pages if it was full at the checkpoint that recover() found and `first` still is the tag of its first
  /// page; else none.
  [[nodiscard]] std::span<const Tag> unchanged(std::uint32_t block, const OobHeader& first) const;

  /// A page was programmed, or its program failed. Starts a checkpoint in the background when it is time.
  void programmed(std::uint32_t page, const OobHeader& header, bool good);
  /// Boot: what the pages were found to hold.
  void restart(const PageTags& tags);
  /// What the page was programmed with since its block was erased; sequence number 0: nothing, or its program failed.
  [[nodiscard]] OobHeader tag(std::uint32_t page) const { return tags_.peek(page).header(); }
  /// Sequence numbers below this were in use at the checkpoint.
  [[nodiscard]] std::uint64_t next_seq() const { return next_seq_; }

  [[nodiscard]] bool writing() const { return writing_; }
  [[nodiscard]] std::uint64_t sectors_written() const { return log_.sectors_written(); }
  [[nodiscard]] Bytes bytes() const { return Bytes(tags_.size() * sizeof(Tag)); }

 private:
  [[nodiscard]] std::uint64_t image_bytes() const override { return tags_.size() * sizeof(Tag); }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(const TableLog::Words&, std::span<const std::byte>) override {}  // there are only whole checkpoints
  [[nodiscard]] Task<void> write();

  CpuPort& cpu_;
  std::uint32_t pages_per_block_;
  PageOrder order_;
  std::uint64_t every_;
  DramArray<Tag> tags_;
  TableLog log_;
  std::uint64_t programs_ = 0;  // since the last checkpoint was begun
  std::uint64_t next_seq_ = 0;
  bool writing_ = false;
};

/// Nothing where no checkpoints are wanted.
[[nodiscard]] std::unique_ptr<TagCheckpoint> make_tag_checkpoint(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan,
                                                                 const TagCheckpointConfig& config, PairedPages paired);

}  // namespace tessera
