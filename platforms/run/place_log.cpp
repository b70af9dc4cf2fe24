#include "platforms/run/place_log.hpp"

#include <string>

namespace tessera {

namespace {

template <class... Numbers>
std::string line_of(const Numbers&... numbers) {
  std::string line;
  ((line += (line.empty() ? "" : ",") + std::to_string(numbers)), ...);
  return line + "\n";
}

const std::string& region_at(const FormatPlan& regions, std::uint32_t radius) {
  static const std::string none;
  for (const Region& region : regions)
    if (radius >= region.first && radius - region.first < region.count) return region.name;
  return none;
}

}  // namespace

PlaceLog::PlaceLog(const std::filesystem::path& folder, DriveModule& drive)
    : drive_(drive),
      media_(drive.media().device()),
      tracks_file_(folder / "tracks.csv"),
      blocks_path_(folder / "blocks.csv"),
      tracks_(media_.geometry().tracks()) {
  drive.media().device().observe(this);
}

/// The device tells of a transfer when the step that brings it begins.
void PlaceLog::state(MediaState state, PhysicalTrack head, Picoseconds) {
  if (state != MediaState::read && state != MediaState::write) return;
  Use& use = tracks_[media_.geometry().linear(head)];
  const std::uint64_t sectors = media_.step(media_.arm_of(head)).run.count;
  (state == MediaState::read ? use.reads : use.writes) += 1;
  (state == MediaState::read ? use.sectors_read : use.sectors_written) += sectors;
}

void PlaceLog::close() {
  drive_.media().device().observe(nullptr);
  write_tracks();
  if (drive_.nand() != nullptr) write_blocks();
}

void PlaceLog::write_tracks() {
  const std::uint64_t surfaces = drive_.config().media.surfaces;
  tracks_file_.append("radius,surface,region,reads,writes,sectors_read,sectors_written\n");
  for (std::uint64_t track = 0; track < tracks_.size(); ++track) {
    const Use& use = tracks_[track];
    if (use.reads + use.writes == 0) continue;
    const auto radius = static_cast<std::uint32_t>(track / surfaces);
    tracks_file_.append(std::to_string(radius) + "," + std::to_string(track % surfaces) + "," +
                        region_at(media_.geometry().regions(), radius) + "," +
                        line_of(use.reads, use.writes, use.sectors_read, use.sectors_written));
  }
  tracks_file_.close();
}

void PlaceLog::write_blocks() {
  const NandArray& array = drive_.nand()->device().array();
  OutputFile file(blocks_path_);
  file.append("block,channel,die,erases,programmed,bad\n");
  for (std::uint64_t number = 0; number < array.blocks(); ++number) {
    const NandBlock block(number);
    const NandPlace place = place_of(block, drive_.config().nand);
    file.append(line_of(number, place.channel, place.die, array.erases(block), array.programmed(block), array.is_bad(block) ? 1 : 0));
  }
  file.close();
}

}  // namespace tessera
