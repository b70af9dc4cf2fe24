#pragma once
// Keeps the tables of the regions' logs over a power cut without a write to the log for each S-block.
//
// A checkpoint holds all tables. A region that is written for the first time since is noted in the log before: it is open. Boot loads
// the checkpoint and reads the slots of the open regions alone.
#include <cstdint>
#include <optional>

#include "firmware/layers/sblock/region_logs.hpp"
#include "firmware/shared/table_log.hpp"

namespace tessera::sblock {

class OpenRegions final : private TableLog::Table {
 public:
  /// `log`: conventional regions, large enough for `logs`; none: there are no checkpoints, and every region is open at boot.
  OpenRegions(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, RegionLogs& logs);

  /// First boot: a checkpoint of the tables as they are.
  [[nodiscard]] Task<Status> format();
  /// Boot after a power cut: the tables of the last checkpoint, and what was opened since.
  [[nodiscard]] Task<Status> recover();
  [[nodiscard]] bool is_open(std::uint32_t region) const { return open_.test(region); }

  /// Before a slot of `region` is written. No S-block may be on its way to a slot: a checkpoint that is due is made now.
  [[nodiscard]] Task<Status> open(std::uint32_t region);

  [[nodiscard]] std::uint64_t sectors_written() const { return log_ ? log_->sectors_written() : 0; }
  [[nodiscard]] Bytes bytes() const { return Bytes((open_.size() + 63) / 64 * 8); }

 private:
  [[nodiscard]] std::uint64_t image_bytes() const override { return RegionLogs::image_bytes(logs_.regions(), logs_.shape()); }
  void save(std::span<std::byte> image) const override { logs_.save(image); }
  void load(std::span<const std::byte> image) override { logs_.load(image); }
  void replay(const TableLog::Words& words, std::span<const std::byte> sector) override;

  RegionLogs& logs_;
  DramBitmap open_;
  std::optional<TableLog> log_;
};

}  // namespace tessera::sblock
