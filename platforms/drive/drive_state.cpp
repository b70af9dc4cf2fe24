// What the drive keeps without power: platters, flash, the images that the dump engine saved, and what it was prefilled with.
#include "base/error.hpp"
#include "platforms/drive/drive_module.hpp"

namespace tessera {

void DriveModule::save_state(StateWriter& out) const {
  TESSERA_CHECK(media_ != nullptr && controller_ != nullptr && !(parts_.flash && nand_ == nullptr),
                "the state of a drive with parts of somebody else's");
  TESSERA_CHECK(firmware_ == nullptr, "the state of a drive whose firmware runs");
  const Picoseconds now = timeline_.timeline().now();
  out.number(prefilled_);
  out.flag(prefill_contents_ != nullptr);
  media_->device().save_state(out, now);
  if (nand_ != nullptr) nand_->device().array().save_state(out, now);
  controller_->core().memory().save_state(out);
}

/// Where the prefilled sectors lie is found out on a drive that is as it was when it was formatted.
void DriveModule::load_state(StateReader& in) {
  TESSERA_CHECK(firmware_ == nullptr, "a state for a drive whose firmware runs");
  const TrackGeometry& tracks = media_->device().geometry();
  prefilled_ = in.number(tracks.tracks() * tracks.most_sectors() + 1);
  if (in.flag()) {
    in.require(prefilled_ != 0 && sector_shape_.mode != ContentMode::none, "contents of a drive that holds none");
    lay_prefill_contents();
  }
  media_->device().load_state(in);
  if (nand_ != nullptr) nand_->device().array().load_state(in);
  controller_->core().memory().load_state(in);
}

void DriveModule::lay_prefill_contents() {
  const MediaDevice& media = media_->device();
  PrefillSurvey survey({config_, plan_, media.geometry(), media.positioning(), parts_.media->tracks, surroundings().flash}, prefilled_);
  prefill_contents_ = std::make_unique<PrefillContents>(survey.contents(sector_shape_.mode));
  media_->device().set_initial_content(prefill_contents_.get());
}

}  // namespace tessera
