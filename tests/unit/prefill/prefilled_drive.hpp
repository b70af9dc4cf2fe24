#pragma once
// A described drive on the bench, prefilled, with what it holds on its platters.
#include <optional>
#include <string>
#include <vector>

#include "platforms/drive/prefill_survey.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

class PrefilledDrive final : private TrackCapacity, private FlashCatalogue {
 public:
  /// The first `percent` of the torture drive under this layer, with `settings` as of --set.
  PrefilledDrive(const std::string& layer, std::uint32_t percent, const std::vector<std::string>& settings = {})
      : config_(load_drive(TESSERA_DRIVES "/torture.toml", settings, layer)), plan_(plan_drive(config_)) {
    BenchConfig bench;
    bench.media = config_.media;
    bench.plan = plan_;
    if (config_.has_flash()) bench.nand = config_.nand;
    bench.dram = config_.dram;
    bench.controller = config_.controller;
    bench.host = config_.host;
    bench.promise = config_.selected().promises_flushed_only() ? DurabilityPromise::flushed : DurabilityPromise::acknowledged;
    {  // where the sectors lie, with the devices of an empty drive
      FirmwareBench empty(bench, image());
      prefilled_sectors_ = firmware_->user_sectors() * percent / 100;
      devices_ = &empty;
      const MediaDevice& media = empty.media();
      PrefillSurvey survey({config_, plan_, media.geometry(), media.positioning(), *this, bench.nand ? this : nullptr}, prefilled_sectors_);
      contents_.emplace(survey.contents(ContentMode::tags));
    }
    bench.initial = &*contents_;
    bench.prefilled = contents_->blocks();
    bench_ = std::make_unique<FirmwareBench>(bench, image());
  }

  FirmwareBench* operator->() { return bench_.get(); }
  [[nodiscard]] const PrefillContents& contents() const { return *contents_; }
  [[nodiscard]] std::uint64_t user_blocks() const { return firmware_->user_sectors() * blocks_per_sector; }
  [[nodiscard]] std::uint64_t prefilled_blocks() const { return prefilled_sectors_ * blocks_per_sector; }
  /// Reads everything back; the number of blocks that were wrong or could not be read.
  [[nodiscard]] std::uint64_t wrong_blocks() {
    bench_->verify_all();
    return bench_->scoreboard().errors() + bench_->unreadable_blocks();
  }

 private:
  [[nodiscard]] Controller::Image image() {
    return [this](const Ports& ports) {
      auto firmware = std::make_unique<Firmware>(FirmwareConfig(), config_.selected(), ports, geometry_of(config_.media), plan_);
      firmware_ = firmware.get();
      firmware->prefill(prefilled_sectors_);
      return firmware;
    };
  }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override { return devices_->media().sectors_on(track); }
  [[nodiscard]] FlashShape shape() const override { return devices_->nand().shape(); }
  [[nodiscard]] bool is_bad(NandBlock block) const override { return devices_->nand().array().is_bad(block); }

  DriveConfig config_;
  FormatPlan plan_;
  FirmwareBench* devices_ = nullptr;
  Firmware* firmware_ = nullptr;
  std::uint64_t prefilled_sectors_ = 0;
  std::optional<PrefillContents> contents_;
  std::unique_ptr<FirmwareBench> bench_;
};

}  // namespace tessera::test
