#include "firmware/flash/band_reader.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"

namespace tessera {

Task<Status> BandReader::read_flash(std::span<const std::uint32_t> pages, DataSpan data, std::vector<FlashCommand>& commands) {
  commands.clear();
  const FlashShape shape = ports_.flash->shape();
  for (std::uint32_t i = 0; i < pages.size(); ++i) {
    if (pages[i] == OobCodec::no_page || pages[i] == read_along) continue;
    FlashCommand& command = commands.emplace_back();
    command.op = FlashOp::read;
    command.aim(pages[i], shape);
    command.data = data.part(i, 1);
  }
  if (commands.empty()) co_return Status::ok;
  flash_sectors_ += commands.size();
  const std::span<FlashCommand> batch(commands);
  co_return co_await run_reads(*ports_.flash, batch);
}

Task<Status> BandReader::read_bands(LogicalRun run, std::span<const std::uint32_t> pages, DataSpan data) {
  MediaChain chain;
  std::uint32_t at = 0;
  while (at < run.count) {
    chain.clear();
    while (at < run.count && chain.steps().size() < MediaChain::max_steps) {
      if (pages[at] != OobCodec::no_page) {
        ++at;
        continue;
      }
      std::uint32_t count = 1;
      while (at + count < run.count && pages[at + count] == OobCodec::no_page) ++count;
      const std::uint64_t sector = (run.first + at).value();
      const auto band = static_cast<std::uint32_t>(sector / layout_.band_sectors());
      const auto offset = static_cast<std::uint32_t>(sector - std::uint64_t{band} * layout_.band_sectors());
      const std::uint32_t held = places_.held(band);
      if (offset >= held) {
        count = std::min(count, layout_.band_sectors() - offset);
        ports_.memory.clear(data.part(at, count));
        at += count;
        continue;
      }
      const PhysicalRun place = layout_.locate(places_.physical(band), offset, std::min(count, held - offset));
      chain.read(place, data.part(at, place.count));
      at += place.count;
      band_sectors_ += place.count;
    }
    if (chain.empty()) break;
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

// --- Figures ---

void BandReader::report(MetricSet& metrics) const {
  metrics.count("hit.read.flash", static_cast<double>(flash_sectors_), "sectors", "sectors read from the flash cache");
  metrics.count("hit.read.media", static_cast<double>(band_sectors_), "sectors", "sectors read from their bands");
}

}  // namespace tessera
