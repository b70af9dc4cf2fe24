#include "firmware/flash/band_merge.hpp"

#include <algorithm>

#include "firmware/flash/band_sweep.hpp"
#include "firmware/flash/flash_reads.hpp"

namespace tessera {

BandMerge::BandMerge(const Ports& ports, const BandLayout& layout, std::uint32_t buffer_sectors)
    : cpu_(ports.cpu),
      memory_(ports.memory),
      media_(ports.media),
      flash_(*ports.flash),
      layout_(layout),
      buffer_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, buffer_sectors, "merge buffer")) {
  commands_.reserve(buffer_sectors);
}

std::uint32_t BandMerge::end_of(std::span<const std::uint32_t> pages, std::uint32_t held) {
  auto end = static_cast<std::uint32_t>(pages.size());
  while (end > held && pages[end - 1] == OobCodec::no_page) --end;
  return end;
}

Task<Status> BandMerge::run(std::uint64_t from, std::uint64_t to, std::span<const std::uint32_t> pages, std::uint32_t held) {
  const std::uint32_t end = end_of(pages, held);
  TESSERA_CHECK(from != to || buffer_.sectors() >= end, "a band is merged in place in more than one round");
  times_ = {};
  for (std::uint32_t offset = 0; offset < end; offset += buffer_.sectors()) {
    const std::uint32_t count = std::min(buffer_.sectors(), end - offset);
    const std::span<const std::uint32_t> cached = pages.subspan(offset, count);
    Status status = co_await load(from, offset, cached, held);
    if (!ok(status)) co_return status;
    status = co_await store(to, offset, count);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// The cached pages are read after the band, over its old sectors: no second buffer, and the same time.
Task<Status> BandMerge::load(std::uint64_t from, std::uint32_t offset, std::span<const std::uint32_t> pages, std::uint32_t held) {
  if (offset == 0) times_ = {};
  const Picoseconds begin = cpu_.now();
  const auto count = static_cast<std::uint32_t>(pages.size());
  const std::uint32_t kept = held > offset ? std::min(count, held - offset) : 0;
  Status status = kept == 0 ? Status::ok : co_await transfer(MediaOp::read, from, offset, kept);
  if (!ok(status)) co_return status;
  if (kept < count) memory_.clear(buffer_.part(kept, count - kept));
  const Picoseconds read = cpu_.now();
  status = co_await overlay(pages);
  times_.band_read += read - begin;
  times_.flash_read += cpu_.now() - read;
  co_return status;
}

Task<Status> BandMerge::store(std::uint64_t to, std::uint32_t offset, std::uint32_t count) {
  const Picoseconds begin = cpu_.now();
  const Status status = co_await transfer(MediaOp::write, to, offset, count);
  times_.band_write += cpu_.now() - begin;
  co_return status;
}

Task<Status> BandMerge::transfer(MediaOp op, std::uint64_t band, std::uint32_t offset, std::uint32_t count) {
  return sweep_band(media_, layout_, {op, band, offset, buffer_.part(0, count), MediaClass::dependent, nullptr, LostSectors::carry});
}

/// A command for each cached page. No coroutine: it passes every sector of a band.
void BandMerge::collect(std::span<const std::uint32_t> pages) {
  commands_.clear();
  const FlashShape shape = flash_.shape();
  const std::uint32_t* const end = pages.data() + pages.size();
  for (const std::uint32_t* page = pages.data(); page != end; ++page) {
    if (*page == OobCodec::no_page) continue;
    FlashCommand& command = commands_.emplace_back();
    command.op = FlashOp::read;
    command.aim(*page, shape);
    command.data = buffer_.part(static_cast<std::uint32_t>(page - pages.data()), 1);
  }
}

Task<Status> BandMerge::overlay(std::span<const std::uint32_t> pages) {
  collect(pages);
  if (commands_.empty()) co_return Status::ok;
  const std::span<FlashCommand> reads(commands_);
  const Status status = co_await run_reads(flash_, reads);
  co_return delivered(status) ? Status::ok : status;
}

}  // namespace tessera
