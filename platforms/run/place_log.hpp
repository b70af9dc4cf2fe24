#pragma once
// tracks.csv and blocks.csv: what each track of the platters and each block of the flash went through since power-on.
#include <cstdint>
#include <filesystem>
#include <vector>

#include "platforms/drive/drive_module.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

/// tracks.csv has a line for each track that was used (radius,surface,region,reads,writes,sectors_read,sectors_written; reads and writes
/// are those begun); blocks.csv one for each block of the flash (block,channel,die,erases,programmed,bad; programmed: pages since the last
/// erase), and is not there where the drive has no flash.
class PlaceLog final : private MediaObserver {
 public:
  /// Makes the files and begins to count; throws OutputError. The drive has media of its own.
  PlaceLog(const std::filesystem::path& folder, DriveModule& drive);

  /// Writes what was counted and closes; throws OutputError.
  void close();

 private:
  struct Use {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t sectors_read = 0;
    std::uint64_t sectors_written = 0;
  };

  void state(MediaState state, PhysicalTrack head, Picoseconds at) override;
  void write_tracks();
  void write_blocks();

  DriveModule& drive_;
  const MediaDevice& media_;
  OutputFile tracks_file_;
  std::filesystem::path blocks_path_;
  std::vector<Use> tracks_;  // by TrackGeometry::linear
};

}  // namespace tessera
