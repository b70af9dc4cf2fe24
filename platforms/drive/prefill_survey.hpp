#pragma once
// Where on the platters a layer looks for the sectors of a prefilled drive, found out without asking the layer how it works: a second
// instance of the firmware runs on a dry drive, on a clock of its own, and reads them.
//
// The dry drive takes no time and keeps nothing: each sector of its platters reads as its own place, so that whatever way it takes
// through the firmware's buffers, the host sees where each sector came from. Its flash is blank.
#include <memory>
#include <vector>

#include "controller/controller.hpp"
#include "media/track_geometry.hpp"
#include "platforms/drive/drive_config.hpp"
#include "platforms/drive/prefill_contents.hpp"

namespace tessera {

/// What the dry drive has in common with the real one.
struct SurveyedDrive {
  const DriveConfig& config;
  const FormatPlan& plan;
  const TrackGeometry& geometry;
  const Positioning& positioning;
  const TrackCapacity& tracks;
  const FlashCatalogue* catalogue;  ///< null on a drive without NAND
};

class PrefillSurvey final : private MediaLink,
                            private FlashLink,
                            private CpuLink,
                            private DramLink,
                            private HostLinkUp,
                            private TimelineListener {
 public:
  /// Formats and prefills the first `sectors` of the drive, as the real one is.
  PrefillSurvey(const SurveyedDrive& drive, std::uint64_t sectors);
  ~PrefillSurvey() { controller_->power_off(); }
  PrefillSurvey(const PrefillSurvey&) = delete;
  PrefillSurvey& operator=(const PrefillSurvey&) = delete;

  /// 64 GiB, which take a second of the machine's time.
  static constexpr std::uint64_t most_stretches = 65'536;
  /// Of a drive that keeps `mode`. On one of more stretches than `most`, evenly chosen ones are looked at.
  [[nodiscard]] PrefillContents contents(ContentMode mode, std::uint64_t most = most_stretches);

 private:
  enum Event : std::uint64_t { media_done, flash_done };

  void start(const MediaStep& step) override;
  void give_up(std::uint32_t) override {}
  void start(FlashCommand& command) override;
  Picoseconds access(DramAddress, std::uint32_t, Access, Picoseconds at) override { return at; }
  DmaGrant dma(const DmaTransfer&, Picoseconds at) override { return {at, Bytes(0)}; }
  void complete(HostRequest&) override { done_ = true; }
  void fetch(HostRequest&) override {}
  void send(HostRequest&) override {}
  void on_time(std::uint64_t argument) override;
  void finish_step();
  void finish_flash_command();
  void write_places(const MediaStep& step) const;
  void read(HostRun blocks);
  void place(LogicalSector sector, Tag found);
  void run_until_done();

  SurveyedDrive drive_;
  SectorShape shape_;
  std::uint64_t sectors_;
  Timeline timeline_;
  Interconnect bus_;
  std::unique_ptr<Controller> controller_;
  std::vector<const MediaStep*> steps_;  // begun, one an arm at most
  std::vector<FlashCommand*> flash_;
  HostRequest request_;
  bool done_ = false;
  std::vector<PlacedRun> runs_;
};

}  // namespace tessera
