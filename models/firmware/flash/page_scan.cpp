#include "firmware/flash/page_scan.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"

namespace tessera {

namespace {

/// Blocks whose out-of-band areas are read in one batch: consecutive blocks lie on different dies.
constexpr std::uint32_t blocks_a_batch = 16;

}  // namespace

Task<Status> scan_pages(FlashPort& flash, const OobCodec& codec, std::uint64_t user_sectors, PageTags& tags) {
  const FlashShape shape = flash.shape();
  tags.assign(shape.pages(), PageTag{});
  const std::uint64_t pages_a_batch = std::uint64_t{blocks_a_batch} * shape.pages_per_block;
  std::vector<std::byte> images(pages_a_batch * codec.bytes());
  std::vector<FlashCommand> commands;
  for (std::uint64_t first = 0; first < tags.size(); first += pages_a_batch) {
    const std::uint64_t count = std::min<std::uint64_t>(pages_a_batch, tags.size() - first);
    commands.assign(count, FlashCommand{});
    for (std::uint64_t i = 0; i < count; ++i) {
      commands[i].op = FlashOp::read_oob;
      commands[i].page = NandPage(first + i);
      commands[i].oob = std::span(images).subspan(i * codec.bytes(), codec.bytes());
    }
    const std::span<FlashCommand> batch(commands);
    // Blank and unreadable pages are what a boot expects to meet; each command has its own status.
    const Status worst = co_await run_reads(flash, batch);
    if (worst == Status::rule_violation) co_return worst;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (commands[i].status == Status::blank) continue;
      PageTag& tag = tags[first + i];
      tag.state = PageTag::State::unreadable;
      OobHeader header;
      if (!ok(commands[i].status) || !codec.decode(commands[i].oob, header, {})) continue;
      if (header.lsn.value() >= user_sectors) continue;
      tag = {header.seq, header.lsn, header.kind, PageTag::State::good};
    }
  }
  co_return Status::ok;
}

}  // namespace tessera
