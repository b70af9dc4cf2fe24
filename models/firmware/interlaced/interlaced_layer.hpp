#pragma once
// The host's side of every layer on interlaced tracks: splits requests at track boundaries, locks what a piece reaches, and reads
// or writes it in place. Where a logical sector lies is each layer's own.
#include "firmware/interlaced/read_modify_write.hpp"

namespace tessera {

class InterlacedLayer : public TranslationLayer {
 public:
  InterlacedLayer(const Ports& ports, const InterlacedConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  [[nodiscard]] std::uint64_t user_sectors() const override { return home_.sectors(); }
  Task<Status> format() override { co_return Status::ok; }
  Task<Status> recover() override { return rmw_.recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  /// A completed write is on the platter.
  Task<Status> flush() override { co_return Status::ok; }
  Task<Status> trim(LogicalRun) override { co_return Status::ok; }
  [[nodiscard]] bool idle() const override { return locks_.empty(); }
  void prefill(std::uint64_t sectors) override;

 protected:
  /// Where `run` begins now, as far as it stays on one track in one piece; charges the look-up.
  [[nodiscard]] virtual PhysicalRun place_of(LogicalRun run) = 0;
  /// These sectors are about to be written where place_of() said, under their lock.
  virtual void will_write(LogicalRun) {}
  /// A request has to wait for a lock.
  virtual void blocked() {}

  Ports ports_;
  InterlacedLayout home_;  // where sectors lie unless they were moved
  ReadModifyWrite rmw_;
  AngularLocks locks_;
  std::uint64_t map_changes_ = 0;  // places found before the last change may be wrong
};

}  // namespace tessera
