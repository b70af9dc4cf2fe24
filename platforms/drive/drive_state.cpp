// What the drive keeps without power: platters, flash, the images that the dump engine saved, and what it was prefilled with.
#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "platforms/drive/drive_module.hpp"

namespace tessera {

void DriveModule::save_state(StateWriter& out) const {
  TESSERA_CHECK(media_ != nullptr && controller_ != nullptr && !(parts_.flash && nand_ == nullptr),
                "the state of a drive with parts of somebody else's");
  TESSERA_CHECK(firmware_ == nullptr, "the state of a drive whose firmware runs");
  TESSERA_CHECK(image_ == nullptr, "the state of a drive that holds a disk image");
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

void DriveModule::load_image(const std::filesystem::path& file) {
  if (sector_shape_.mode != ContentMode::bytes || media_ == nullptr)
    throw InputError("the disk image " + file.string() + " needs a drive that keeps bytes (ContentMode::bytes) on media of its own");
  if (prefilled_ != 0) throw InputError("the disk image " + file.string() + " needs a drive that holds nothing yet; this one is prefilled");
  auto image = std::make_unique<LoadedImage>(file);
  if (image->size() > capacity())
    throw InputError("the disk image " + file.string() + " has " + std::to_string(image->size().value()) + " B; the drive has " +
                     std::to_string(capacity().value()));
  image_ = std::move(image);
  image_loaded_ = timeline().now();
  prefill((image_->size().value() + sector_shape_.sector_bytes - 1) / sector_shape_.sector_bytes, true);
  prefill_contents_->take(*image_);
  static_cast<void>(block_socket());
  block_target_->set_first_content(*this);
}

bool DriveModule::write(HostBlock block, std::span<const std::byte> from) {
  const bool too_late = timeline().now() != image_loaded_ || block_target_->was_used();
  if (too_late || block.value() >= prefill_contents_->blocks().blocks) return false;
  image_->change(block, from);
  return true;
}

void DriveModule::save_image(const std::filesystem::path& file) {
  if (sector_shape_.mode != ContentMode::bytes || block_target_ == nullptr)
    throw InputError("the disk image " + file.string() + " needs a drive that keeps bytes (ContentMode::bytes) behind its block socket");
  SavedImage saved(file, capacity());
  const auto save = [&](HostBlock block) {
    LoadedImage::Block bytes;
    block_target_->peek(block, bytes);
    if (std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{0}; })) saved.write(block, bytes);
  };
  if (image_ != nullptr) image_->each_written(save);
  block_target_->each_acknowledged(save);
}

void DriveModule::lay_prefill_contents() {
  const MediaDevice& media = media_->device();
  PrefillSurvey survey({config_, plan_, media.geometry(), media.positioning(), parts_.media->tracks, surroundings().flash}, prefilled_);
  // What a prefilled sector holds may be unknown; an image has no such sectors.
  const std::uint64_t most = image_ == nullptr ? PrefillSurvey::most_stretches : std::numeric_limits<std::uint64_t>::max();
  prefill_contents_ = std::make_unique<PrefillContents>(survey.contents(sector_shape_.mode, most));
  media_->device().set_initial_content(prefill_contents_.get());
}

}  // namespace tessera
