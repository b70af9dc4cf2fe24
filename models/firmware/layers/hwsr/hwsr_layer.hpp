#pragma once
// HWSR as a translation layer: where sectors lie, and the rewrite ("defrag") of one segment. Buffer and cache are shared
// (firmware/buffer).
#include "firmware/buffer/buffered_layer.hpp"
#include "firmware/layers/hwsr/hwsr_config.hpp"
#include "firmware/layout/wave_layout.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::hwsr {

class Hwsr final : public BufferedLayer {
 public:
  Hwsr(const Ports& ports, const HwsrConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  void prefill(std::uint64_t sectors) override;
  void report(MetricSet& metrics) const override;

 private:
  Hwsr(const Ports& ports, const HwsrConfig& config, WaveLayout layout);

  [[nodiscard]] Task<Status> format_media() override { co_return Status::ok; }
  [[nodiscard]] Task<Status> recover_media() override;
  [[nodiscard]] Task<Status> read_media(std::span<const SegmentRead> reads) override;
  [[nodiscard]] Task<Status> write_back(const Destage& destage) override;
  /// write_blocks() goes on behind a sector that cannot be written, and the try has destroyed what lay there.
  [[nodiscard]] bool loses_alone(Status status) const override { return status == Status::media_error; }
  [[nodiscard]] Task<Status> trim_media(std::uint64_t segment, std::uint64_t blocks) override;
  [[nodiscard]] Task<Status> replay_rewrite(std::uint64_t first, DataSpan image) override;

  [[nodiscard]] Task<Status> read_old(const Destage& destage, std::uint32_t from, std::uint32_t& blocks_read);
  [[nodiscard]] Task<Status> write_blocks(std::uint64_t segment, std::uint32_t from, DataSpan image, MediaClass priority);
  [[nodiscard]] SegmentRead part_in_block(const SegmentRead& read, std::uint32_t index) const;
  [[nodiscard]] std::size_t side_by_side(std::span<const SegmentRead> reads) const;
  void complete(const Destage& destage, std::uint32_t index);
  [[nodiscard]] DataSpan block(DataSpan segment, std::uint32_t index) const {
    return segment.part(index * address().block_sectors(), address().block_sectors());
  }

  HwsrConfig hwsr_;
  WaveLayout layout_;
  DramBitmap holds_data_;  // by block
  DataBuffer old_;         // what the disk has of blocks that are dirty in part
  DurationHistogram rewrites_with_reads_;
  Picoseconds reading_;   // in those
  Picoseconds guarding_;  // in those
  Picoseconds writing_;   // in those
  std::uint64_t rewrites_without_ = 0;
  std::uint64_t blocks_read_ = 0;
  Tally read_turns_;
  std::uint64_t blocks_written_ = 0;
};

}  // namespace tessera::hwsr
