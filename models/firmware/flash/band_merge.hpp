#pragma once
// The read-modify-write of a whole band: what flash holds of it and what the band holds, written to the same or another band.
#include <span>
#include <vector>

#include "firmware/flash/band_layout.hpp"
#include "firmware/flash/oob.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/ports/media_port.hpp"
#include "firmware/ports/memory_port.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// What a merge spends its time on; the rest is for tables, locks and commits.
struct MergeTimes {
  Picoseconds band_read;
  Picoseconds flash_read;
  Picoseconds band_write;
  Picoseconds erase;  ///< of blocks that the merge emptied, waited for; the layer's to add
};

class BandMerge {
 public:
  /// `buffer_sectors`: of one round; reserved in DRAM for good. A band takes ceil(band / buffer) rounds of seek, read, seek,
  /// write.
  BandMerge(const Ports& ports, const BandLayout& layout, std::uint32_t buffer_sectors);

  /// Writes band `from`, of which the first `held` sectors hold something, with the sectors in `pages` (flash page by band offset,
  /// OobCodec::no_page: not cached) in place of that, to band `to`, up to end_of(pages, held). Writing over `from` itself takes a buffer of
  /// a whole band: the first track that is rewritten destroys those after it. Sectors that cannot be read, in the band or in flash, are
  /// written as lost. One merge at a time.
  [[nodiscard]] Task<Status> run(std::uint64_t from, std::uint64_t to, std::span<const std::uint32_t> pages, std::uint32_t held);
  /// Sectors of a merged band that hold something.
  [[nodiscard]] static std::uint32_t end_of(std::span<const std::uint32_t> pages, std::uint32_t held);

  /// One round: sectors from `offset` on of band `from`, nothing from `held` on, and over them those in `pages`, into the buffer; and the
  /// first `count` sectors of the buffer to band `to`.
  [[nodiscard]] Task<Status> load(std::uint64_t from, std::uint32_t offset, std::span<const std::uint32_t> pages, std::uint32_t held);
  [[nodiscard]] Task<Status> store(std::uint64_t to, std::uint32_t offset, std::uint32_t count);
  /// Of the merge whose first round was loaded last.
  [[nodiscard]] const MergeTimes& times() const { return times_; }

 private:
  Task<Status> transfer(MediaOp op, std::uint64_t band, std::uint32_t offset, std::uint32_t count);
  void collect(std::span<const std::uint32_t> pages);
  Task<Status> overlay(std::span<const std::uint32_t> pages);

  CpuPort& cpu_;
  MemoryPort& memory_;
  MediaPort& media_;
  FlashPort& flash_;
  const BandLayout& layout_;
  DataBuffer buffer_;
  std::vector<FlashCommand> commands_;
  MergeTimes times_;
};

}  // namespace tessera
