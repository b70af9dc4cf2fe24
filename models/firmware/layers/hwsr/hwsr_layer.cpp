#include "firmware/layers/hwsr/hwsr_layer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "firmware/defects/write_rest.hpp"
#include "firmware/layers/lap_timer.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera::hwsr {

Hwsr::Hwsr(const Ports& ports, const HwsrConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : Hwsr(ports, config, WaveLayout(geometry, plan, config.shape(geometry.sector_bytes), ports.media)) {}

Hwsr::Hwsr(const Ports& ports, const HwsrConfig& config, WaveLayout layout)
    : BufferedLayer(ports, config.caches, config.region_tracks, layout.segments(), config.read_order),
      hwsr_(config),
      layout_(std::move(layout)),
      holds_data_(ports.memory, MemoryCategory::metadata, layout_.segments() * config.region_tracks, "blocks that hold data"),
      old_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, address().segment_sectors(), "blocks to be merged")) {}

/// The marks are not kept over a power cut: then every block counts as one that holds data.
Task<Status> Hwsr::recover_media() {
  holds_data_.set_below(holds_data_.size());
  co_return Status::ok;
}

void Hwsr::prefill(std::uint64_t sectors) {
  const std::uint64_t blocks = (std::min(sectors, user_sectors()) + address().block_sectors() - 1) / address().block_sectors();
  holds_data_.set_below(blocks);
}

/// Consecutive blocks lie on neighbouring tracks at the same angle: about a turn each. Segments side by side have theirs on the same
/// tracks, of which each is visited once.
Task<Status> Hwsr::read_media(std::span<const SegmentRead> reads) {
  MediaChain chain(MediaClass::host);
  std::optional<PhysicalTrack> track;
  std::uint64_t turns = 0;
  while (!reads.empty()) {
    const std::span<const SegmentRead> together = reads.first(side_by_side(reads));
    reads = reads.subspan(together.size());
    for (std::uint32_t index = 0; index < address().segment_blocks(); ++index) {
      for (const SegmentRead& read : together) {
        const SegmentRead part = part_in_block(read, index);
        if (part.run.count == 0) continue;
        ports_.cpu.array();
        const BlockRun piece = address().first_block(part.run);
        const PhysicalRun place = layout_.locate(address().segment_of(piece.block), index, piece.first, piece.count);
        const bool next_track = track && *track != place.track;
        turns += track == place.track ? 0 : 1;
        track = place.track;
        chain.read(place, part.data, next_track ? StepHint::same_angle : StepHint::position);
        if (chain.steps().size() < MediaChain::max_steps) continue;
        const Status status = co_await ports_.media.run(chain);
        if (!ok(status)) co_return status;
        chain.clear();
      }
    }
  }
  read_turns_.record(turns);
  if (chain.empty()) co_return Status::ok;
  co_return co_await ports_.media.run(chain);
}

/// How many of the reads, from the first on, are of segments that have their blocks on the same tracks.
std::size_t Hwsr::side_by_side(std::span<const SegmentRead> reads) const {
  const auto track_of = [this](const SegmentRead& read) { return layout_.locate(address().segment_of(read.run.first), 0, 0, 1).track; };
  std::size_t count = 1;
  while (count < reads.size() && track_of(reads[count]) == track_of(reads.front())) ++count;
  return count;
}

/// What is read of block `index` of its segment; nothing where the read does not touch it.
SegmentRead Hwsr::part_in_block(const SegmentRead& read, std::uint32_t index) const {
  const LogicalSector block = address().first_sector(address().block(address().segment_of(read.run.first), index));
  const LogicalSector first = std::max(block, read.run.first);
  const LogicalSector end = std::min(block + address().block_sectors(), read.run.end());
  if (end <= first) return {};
  const auto count = static_cast<std::uint32_t>(end - first);
  return {{first, count}, read.data.part(static_cast<std::uint32_t>(first - read.run.first), count)};
}

/// "Defrag" of a segment (section III-A): from the first dirty block on, everything behind it is rewritten in shingle order.
Task<Status> Hwsr::write_back(const Destage& destage) {
  const Picoseconds begin = ports_.cpu.now();
  std::uint32_t first = 0;
  while (destage.dirty[first] == 0) ++first;
  const std::uint32_t count = address().segment_blocks() - first;

  LapTimer timer(ports_.cpu);
  std::uint32_t read = 0;
  Status status = co_await read_old(destage, first, read);
  if (!ok(status)) co_return status;
  const Picoseconds reading = timer.lap();
  const std::uint64_t first_block = address().block(destage.segment, first);
  const DataSpan image = destage.image.part(first * address().block_sectors(), count * address().block_sectors());
  status = co_await guard(first_block, image);
  if (!ok(status)) co_return status;
  const Picoseconds guarding = timer.lap();
  status = co_await write_blocks(destage.segment, first, image, destage.priority);
  // After a failure, too: what could be written is there, and a later rewrite must keep it.
  for (std::uint32_t index = first; index < address().segment_blocks(); ++index)
    if (destage.dirty[index] != 0) holds_data_.set(address().block(destage.segment, index));
  if (!ok(status)) co_return status;
  blocks_read_ += read;
  blocks_written_ += count;
  if (read == 0) {
    ++rewrites_without_;
    co_return Status::ok;
  }
  reading_ += reading;
  guarding_ += guarding;
  writing_ += timer.lap();
  rewrites_with_reads_.record(ports_.cpu.now() - begin);  // behind its parts: where code takes time they would be longer than it
  co_return Status::ok;
}

/// Reads what the image lacks of blocks `from` to T-1, last block first, so that the head ends where the writing begins.
Task<Status> Hwsr::read_old(const Destage& destage, std::uint32_t from, std::uint32_t& blocks_read) {
  const SectorMask whole = address().whole_block();
  MediaChain chain(destage.priority, LostSectors::carry);
  for (std::uint32_t index = address().segment_blocks(); index-- > from;) {
    if (destage.dirty[index] != whole && holds_data_.test(address().block(destage.segment, index))) {
      const PhysicalRun place = layout_.locate(destage.segment, index, 0, address().block_sectors());
      const DataSpan to = block(destage.dirty[index] == 0 ? destage.image : old_.all(), index);
      chain.read(place, to, blocks_read == 0 ? StepHint::position : StepHint::same_angle);
      ++blocks_read;
    }
    if (chain.empty() || (chain.steps().size() < MediaChain::max_steps && index != from)) continue;
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
    chain.clear();
  }
  for (std::uint32_t index = from; index < address().segment_blocks(); ++index)
    if (destage.dirty[index] != whole) complete(destage, index);
  co_return Status::ok;
}

/// Fills the gaps between a block's dirty sectors with what was read, or with nothing where the disk holds nothing.
void Hwsr::complete(const Destage& destage, std::uint32_t index) {
  const bool held = holds_data_.test(address().block(destage.segment, index));
  if (held && destage.dirty[index] == 0) return;  // read in place
  const DataSpan image = block(destage.image, index);
  for_each_run(~destage.dirty[index] & address().whole_block(), [&](std::uint32_t first, std::uint32_t count) {
    if (held)
      ports_.memory.copy(block(old_.all(), index).part(first, count), image.part(first, count));
    else
      ports_.memory.clear(image.part(first, count));
  });
}

/// Writes blocks `from` to T-1 in the order in which they overlap. Each destroys the same angles of the tracks behind it, so one that fails
/// keeps none behind it from being written.
Task<Status> Hwsr::write_blocks(std::uint64_t segment, std::uint32_t from, DataSpan image, MediaClass priority) {
  MediaChain chain(priority);
  Status first_failure = Status::ok;
  for (std::uint32_t index = from; index < address().segment_blocks();) {
    chain.clear();
    while (index < address().segment_blocks() && chain.steps().size() < MediaChain::max_steps) {
      const PhysicalRun place = layout_.locate(segment, index, 0, address().block_sectors());
      chain.write(place, block(image, index - from), StepHint::same_angle);
      ++index;
    }
    const Status status = co_await ports_.media.run(chain);
    if (ok(status)) continue;
    co_await write_rest(ports_.media, chain);
    if (ok(first_failure)) first_failure = status;
  }
  co_return first_failure;
}

Task<Status> Hwsr::trim_media(std::uint64_t segment, std::uint64_t blocks) {
  for (std::uint32_t index = 0; index < address().segment_blocks(); ++index)
    if ((blocks >> index & 1U) != 0) holds_data_.reset(address().block(segment, index));
  co_return Status::ok;
}

/// `first` is the number of the image's first block over the whole drive. Sectors that the image has lost, as its dump failed, may still
/// lie where they were: what the rewrite was to change there is in the write buffer, too. A sector that cannot be written keeps no drive
/// from being read.
Task<Status> Hwsr::replay_rewrite(std::uint64_t first, DataSpan image) {
  for (std::uint32_t i = 0; i < image.count; ++i) {
    if (!any_lost(image.part(i, 1))) continue;
    const SegmentRead home{{address().first_sector(first) + i, 1}, image.part(i, 1)};
    const std::span<const SegmentRead> one(&home, 1);
    const Status status = co_await read_media(one);
    if (!delivered(status)) co_return status;
  }
  static_cast<void>(co_await write_blocks(address().segment_of(first), address().index_of(first), image, MediaClass::dependent));
  co_return Status::ok;
}

// --- Figures ---

void Hwsr::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  report_read_modify_writes(metrics, rewrites_with_reads_, "read-modify-writes", "time in read-modify-writes of segments");
  const MergePart parts[] = {{"band_read", reading_, "reading what the segments held"},
                             {"copy", guarding_, "writing images of the segments to the journal"},
                             {"band_write", writing_, "writing the segments"}};
  report_merge_times(metrics, rewrites_with_reads_.total(), parts, "tables");
  count("rmw_free.count", rewrites_without_, "1", "rewrites of a segment that had nothing to read");
  count("segment.blocks_read", blocks_read_, "1", "blocks read to rewrite segments");
  count("segment.blocks_written", blocks_written_, "1", "blocks written to rewrite segments");
  metrics.add("segment.read_turns_mean", read_turns_.mean(), "1", "tracks that a read of the platters visits: about a turn each");
  metrics.add("layout.utilisation", WaveLayout::utilisation(hwsr_.region_tracks, hwsr_.overlap), "1",
              "data tracks over data and guard tracks: formula, T / (T + kappa/2)");
  metrics.add("layout.h_s_ratio", WaveLayout::h_s_ratio(hwsr_.region_tracks, hwsr_.overlap, hwsr_.spare), "1",
              "utilisation over that of an S-block disk with a spare share of beta: formula, 2 (T + 2 kappa) / ((2T + kappa) (1 - beta))");
  report_buffer(metrics, Bytes(0), Bytes((holds_data_.size() + 63) / 64 * 8));
}

}  // namespace tessera::hwsr
