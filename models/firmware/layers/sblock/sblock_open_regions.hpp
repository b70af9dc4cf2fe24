#pragma once
// Keeps the tables of the regions' logs over a power cut without a write to a log for each S-block.
//
// A checkpoint holds all tables. A region that is written is open: noted in the log before its first write since the checkpoint, or in
// the checkpoint itself, because it was written since the one before. Boot loads the checkpoint and reads on in the open regions,
// from where their heads were: a new checkpoint is due after so many slots that these regions are few. So it is where the head of a region
// would reach over slots that were written since the last one.
#include <cstdint>
#include <optional>

#include "firmware/layers/sblock/region_logs.hpp"
#include "firmware/logs/table_log.hpp"

namespace tessera::sblock {

class OpenRegions final : private TableLog::Table {
 public:
  /// `log`: conventional regions, large enough for `logs`; none: there are no checkpoints.
  /// `every`: slots written between two checkpoints at the most.
  OpenRegions(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint64_t every, RegionLogs& logs);

  /// Size of a checkpoint: the tables, and a byte a region whether it is open.
  [[nodiscard]] static std::uint64_t image_bytes(std::uint64_t regions, const LogShape& shape) {
    return RegionLogs::image_bytes(regions, shape) + regions;
  }

  /// First boot: a checkpoint of the tables as they are.
  [[nodiscard]] Task<Status> format();
  /// Boot after a power cut: the tables of the last checkpoint, and what was opened since. Nothing without checkpoints.
  [[nodiscard]] Task<Status> recover();
  [[nodiscard]] bool has_checkpoints() const { return log_.has_value(); }
  [[nodiscard]] bool is_open(std::uint32_t region) const { return opened_.read(region) != closed; }

  /// Boot, once the tables are complete: whatever of the log is there once is there twice again.
  [[nodiscard]] Task<void> repair();

  /// Before a slot of `region` is written. No S-block may be on its way to a slot: a checkpoint that is due is made now.
  [[nodiscard]] Task<Status> open(std::uint32_t region);

  [[nodiscard]] std::uint64_t sectors_written() const { return log_ ? log_->sectors_written() : 0; }
  [[nodiscard]] Bytes bytes() const { return Bytes(opened_.size() * sizeof(std::uint64_t)); }

 private:
  static constexpr std::uint64_t closed = 0;

  [[nodiscard]] std::uint64_t image_bytes() const override { return image_bytes(logs_.regions(), logs_.shape()); }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(const TableLog::Words& words, std::span<const std::byte> sector) override;
  [[nodiscard]] bool written_since_checkpoint(std::uint32_t region) const;
  [[nodiscard]] Task<Status> checkpoint();
  void renew();

  RegionLogs& logs_;
  std::uint64_t every_;
  std::uint64_t written_ = 0;        // slots since the checkpoint
  DramArray<std::uint64_t> opened_;  // by region: position of its head at the checkpoint, + 1; or closed
  std::optional<TableLog> log_;
};

}  // namespace tessera::sblock
