#pragma once
// Drives for tests: small, with round numbers.
#include <cstring>

#include "media/media_config.hpp"
#include "media/media_device.hpp"

namespace tessera::test {

/// 6000 rpm (10 ms a turn), 100 sectors a track (100 us each), 2 surfaces, 50 radii; a seek takes 1 ms + 10 us a track.
inline MediaConfig small_drive() {
  MediaConfig config;
  config.speed = Rpm(6000);
  config.surfaces = 2;
  config.tracks = 50;
  config.sectors_per_track = 100;
  config.seek_curve = {{1, 1.01}, {40, 1.40}};
  return config;
}

inline Region region(RecordingFormat format, std::uint64_t first, std::uint64_t count) {
  Region result;
  result.name = "data";
  result.first = first;
  result.count = count;
  result.format = format;
  result.skewed = false;
  return result;
}

/// A buffer whose blocks carry consecutive tags from `tag` on.
inline DataBuffer tagged(std::uint32_t sectors, Tag tag, SectorShape shape = {4096, ContentMode::tags}) {
  DataBuffer buffer(DramAddress(0), sectors, shape);
  const ContentSpan content = buffer.content(0, sectors);
  if (content.empty()) return buffer;
  for (std::uint32_t block = 0; block < sectors * shape.blocks(); ++block, ++tag)
    std::memcpy(&content[std::size_t{block} * kept_per_block(shape.mode)], &tag, sizeof tag);
  return buffer;
}

/// Tag of a block of a buffer.
inline Tag tag_of(DataBuffer& buffer, std::uint32_t sector, std::uint32_t block = 0) {
  Tag tag = 0;
  std::memcpy(&tag, buffer.content(sector, 1).data() + std::size_t{block} * kept_per_block(buffer.shape().mode), sizeof tag);
  return tag;
}

/// Performs one step at `now`, which moves to its end.
inline Status perform(MediaDevice& device, const MediaStep& step, Picoseconds& now) {
  now = device.start(step, now).end;
  return device.finish();
}

inline MediaStep read_step(PhysicalRun run, DataSpan data = {}, StepHint hint = StepHint::position) {
  return {MediaOp::read, hint, run, data, {}, nullptr};
}
inline MediaStep write_step(PhysicalRun run, DataSpan data = {}, StepHint hint = StepHint::position) {
  return {MediaOp::write, hint, run, data, {}, nullptr};
}

}  // namespace tessera::test
