#pragma once
// The layer: the store of S-blocks behind the write buffer and the read cache that HWSR has ("Except the data layout of shingled
// disk, the parameters of buffer or cache of S-block architecture is the same as HWSR", section IV).
#include <memory>
#include <vector>

#include "firmware/buffer/buffered_layer.hpp"
#include "firmware/layers/sblock/sblock_config.hpp"
#include "firmware/layers/sblock/sblock_store.hpp"

namespace tessera::sblock {

class Sblock final : public BufferedLayer {
 public:
  Sblock(const Ports& ports, const SblockConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  void prefill(std::uint64_t sectors) override { store_->prefill(sectors); }
  void report(MetricSet& metrics) const override;

  [[nodiscard]] const SblockStore& store() const { return *store_; }

 private:
  Sblock(const Ports& ports, const SblockConfig& config, std::unique_ptr<SblockStore> store);

  [[nodiscard]] Task<Status> format_media() override { return store_->format(); }
  [[nodiscard]] Task<Status> recover_media() override { return store_->recover(); }
  [[nodiscard]] Task<Status> read_media(std::span<const SegmentRead> reads) override;
  [[nodiscard]] Task<Status> write_back(const Destage& destage) override;
  [[nodiscard]] Task<Status> trim_media(std::uint64_t segment, std::uint64_t blocks) override;
  /// An S-block is never rewritten where it lies.
  [[nodiscard]] Task<Status> replay_rewrite(std::uint64_t, DataSpan) override { co_return Status::ok; }

  std::unique_ptr<SblockStore> store_;
  std::vector<SectorGap> gaps_;  // of the S-block that is written back
};

}  // namespace tessera::sblock
