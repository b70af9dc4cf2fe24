#pragma once
// The host's side of every layer on interlaced tracks: splits requests at track boundaries, locks what a piece reaches, and reads
// or writes it in place. Where a logical sector lies is each layer's own.
#include "firmware/interlaced/newest_copies.hpp"
#include "firmware/interlaced/read_modify_write.hpp"
#include "firmware/layers/home_layer.hpp"
#include "firmware/layout/following_trims.hpp"

namespace tessera {

class InterlacedLayer : public HomeLayer, private WorthlessSectors {
 public:
  InterlacedLayer(const Ports& ports, const InterlacedConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  [[nodiscard]] std::uint64_t user_sectors() const override { return home_.sectors(); }
  Task<Status> format() override { co_return Status::ok; }
  Task<Status> recover() override { return rmw_.recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) final { return read_as(MediaClass::host, run, data, nullptr); }
  Task<Status> read_early(LogicalRun run, DataSpan data, EarlySectors& early) final { return read_as(MediaClass::host, run, data, &early); }
  Task<Status> read_behind(LogicalRun run, DataSpan data) final { return read_as(MediaClass::background, run, data, nullptr); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  /// Tops of which all was trimmed need no read-modify-write (ReadModifyWrite). Forgotten at a power cut.
  Task<Status> trim(LogicalRun run) final;
  /// A completed write is on the platter.
  Task<Status> flush() override { co_return Status::ok; }
  [[nodiscard]] bool idle() const override { return locks_.empty(); }
  void prefill(std::uint64_t sectors) override;
  void report(MetricSet& metrics) const final;

  /// From here on tops whose newest copy is in front of this layer are neither saved nor restored.
  void spare_tops(NewestCopies& copies);
  /// Sectors of tops that were spared so far: a read that began before may find them destroyed.
  [[nodiscard]] std::uint64_t spared() const { return rmw_.spared(); }
  /// The sectors that lie at the angles of `sector` on the bottoms beside its track; none where it does not lie on a top.
  [[nodiscard]] std::array<std::optional<LogicalSector>, 2> below(LogicalSector sector);

 protected:
  /// `early`: null where nothing in front of the run is wanted.
  virtual Task<Status> read_as(MediaClass priority, LogicalRun run, DataSpan data, EarlySectors* early);
  /// Where `run` begins now, as far as it stays on one track in one piece; charges the look-up.
  [[nodiscard]] virtual PhysicalRun place_of(LogicalRun run) = 0;
  /// What lies there; nothing where no user's sector does.
  [[nodiscard]] virtual std::optional<LogicalSector> resident(PhysicalSector sector) const = 0;
  /// These sectors are about to be written where place_of() said, under their lock.
  virtual void will_write(LogicalRun) {}
  /// Not ok: no track may be written any more.
  [[nodiscard]] virtual Status writable() const { return Status::ok; }
  /// A request has to wait for a lock.
  virtual void blocked() {}

  Ports ports_;
  InterlacedLayout home_;  // where sectors lie unless they were moved
  ReadModifyWrite rmw_;
  AngularLocks locks_;
  std::uint64_t map_changes_ = 0;  // places found before the last change may be wrong

 private:
  [[nodiscard]] bool worthless(PhysicalSector sector) override;
  /// Where `run` begins now, as far as it stays on one track and goes on there sector by sector, past the track's end as well.
  [[nodiscard]] PhysicalRun longest_from(LogicalRun run);
  /// Leaves room for the sectors in front of `piece` that lie there now, which is where `first` is; gives their run, without them empty.
  [[nodiscard]] PhysicalRun in_front(LogicalSector first, const PhysicalRun& piece, EarlySectors& early);

  NewestCopies* copies_ = nullptr;
  FollowingTrims trims_;
};

}  // namespace tessera
