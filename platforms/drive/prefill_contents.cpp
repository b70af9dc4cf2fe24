#include "platforms/drive/prefill_contents.hpp"

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "stimuli/scoreboard/block_content.hpp"

namespace tessera {

PrefillContents::PrefillContents(SectorShape shape, const PrefilledBlocks& blocks, std::vector<PlacedRun> runs)
    : shape_(shape), blocks_(blocks), runs_(std::move(runs)) {
  std::ranges::sort(runs_, {}, [](const PlacedRun& run) { return std::tuple(run.track, run.first); });
  const auto twice = std::ranges::adjacent_find(
      runs_, [](const PlacedRun& run, const PlacedRun& next) { return run.track == next.track && next.first < run.first + run.count; });
  if (twice != runs_.end())
    throw ModelBug("the layer keeps prefilled sectors " + std::to_string(twice->sector.value()) + " and " +
                   std::to_string(std::next(twice)->sector.value()) + " at one place");
}

std::vector<PlacedRun>::const_iterator PrefillContents::runs_of(std::uint64_t track) const {
  return std::ranges::lower_bound(runs_, track, {}, &PlacedRun::track);
}

bool PrefillContents::on(std::uint64_t track) const {
  const auto run = runs_of(track);
  return run != runs_.end() && run->track == track;
}

void PrefillContents::fill(std::uint64_t track, std::uint32_t first, std::uint32_t count, ContentSpan data) const {
  const std::size_t kept = kept_per_block(shape_.mode);
  for (auto run = runs_of(track); run != runs_.end() && run->track == track && run->first < first + count; ++run) {
    const std::uint32_t begin = std::max(first, run->first);
    const std::uint32_t end = std::min(first + count, run->first + run->count);
    for (std::uint32_t sector = begin; sector < end; ++sector)
      for (std::uint32_t i = 0; i < shape_.blocks(); ++i) {
        const std::uint64_t block = (run->sector.value() + sector - run->first) * shape_.blocks() + i;
        const ContentSpan content = data.subspan(std::size_t{sector - first} * shape_.kept() + i * kept, kept);
        if (image_ != nullptr)
          image_->read(HostBlock(block), content);
        else
          write_block(content, prefill_mark | block);
      }
  }
}

std::vector<HostRun> PrefillContents::blocks_on(std::uint64_t track) const {
  std::vector<HostRun> found;
  for (auto run = runs_of(track); run != runs_.end() && run->track == track; ++run)
    found.push_back({HostBlock(run->sector.value() * shape_.blocks()), run->count * shape_.blocks()});
  return found;
}

}  // namespace tessera
