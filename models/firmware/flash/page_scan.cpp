#include "firmware/flash/page_scan.hpp"

#include <algorithm>
#include <utility>

#include "firmware/flash/flash_reads.hpp"

namespace tessera {

namespace {

/// Blocks that are looked at together: consecutive blocks lie on different dies.
constexpr std::uint64_t blocks_a_batch = 16;

/// What one batch of the scan works with.
struct Scan {
  FlashPort& flash;
  const OobCodec& codec;
  PageOrder order;
  std::uint64_t user_sectors;
  PageTags& tags;
  std::vector<std::uint64_t> pages{};
  std::vector<FlashCommand> commands{};
  std::vector<std::byte> images{};
};

/// Reads the tags of scan.pages.
Task<Status> read_tags(Scan& scan) {
  const std::size_t image = scan.codec.bytes();
  scan.images.resize(std::max(scan.images.size(), scan.pages.size() * image));
  scan.commands.assign(scan.pages.size(), FlashCommand{});
  for (std::size_t i = 0; i < scan.pages.size(); ++i) {
    scan.commands[i].op = FlashOp::read_oob;
    scan.commands[i].page = NandPage(scan.pages[i]);
    scan.commands[i].oob = std::span(scan.images).subspan(i * image, image);
  }
  const std::span<FlashCommand> commands(scan.commands);
  // Blank and unreadable pages are what a boot expects to meet; each command has its own status.
  const Status worst = co_await run_reads(scan.flash, commands);
  if (worst == Status::rule_violation) co_return worst;
  for (const FlashCommand& command : scan.commands) {
    if (command.status == Status::blank) continue;
    PageTag& tag = scan.tags[command.page.value()];
    tag.state = PageTag::State::unreadable;
    OobHeader header;
    const bool readable = ok(command.status) || command.status == Status::lost;
    if (!readable || !scan.codec.decode(command.oob, header, {})) continue;
    if (header.lsn.value() >= scan.user_sectors) continue;
    tag = {header.seq, header.lsn, header.kind, PageTag::State::good};
  }
  co_return Status::ok;
}

}  // namespace

Task<Status> scan_pages(FlashPort& flash, const OobCodec& codec, PageOrder order, std::uint64_t user_sectors, FoundPages& found,
                        TagCheckpoint* checkpoint) {
  if (checkpoint != nullptr) {
    co_await checkpoint->recover();
    found.next_seq = checkpoint->next_seq();
  }
  const FlashShape shape = flash.shape();
  PageTags& tags = found.tags;
  tags.assign(shape.pages(), PageTag{});
  Scan scan{flash, codec, std::move(order), user_sectors, tags};
  for (std::uint64_t batch = 0; batch < shape.blocks; batch += blocks_a_batch) {
    const std::uint64_t end = std::min(batch + blocks_a_batch, shape.blocks);
    scan.pages.clear();
    for (std::uint64_t block = batch; block < end; ++block) scan.pages.push_back(block * shape.pages_per_block);
    Status status = co_await read_tags(scan);
    if (!ok(status)) co_return status;
    scan.pages.clear();
    for (std::uint64_t block = batch; block < end; ++block) {
      const std::uint64_t first = block * shape.pages_per_block;
      const PageTag& tag = tags[first];
      if (tag.state == PageTag::State::blank) continue;
      std::span<const TagCheckpoint::Tag> known;
      if (checkpoint != nullptr && tag.state == PageTag::State::good)
        known = checkpoint->unchanged(static_cast<std::uint32_t>(block), {tag.lsn, tag.seq, tag.kind});
      for (std::uint32_t place = 1; place < scan.order.count(); ++place) {
        const std::uint32_t i = scan.order.page(place);
        if (known.empty()) {
          scan.pages.push_back(first + i);
        } else {
          const OobHeader header = known[i].header();
          tags[first + i] = {header.seq, header.lsn, header.kind, PageTag::State::good};
        }
      }
    }
    if (scan.pages.empty()) continue;
    status = co_await read_tags(scan);
    if (!ok(status)) co_return status;
  }
  for (const PageTag& tag : tags)
    if (tag.state == PageTag::State::good) found.next_seq = std::max(found.next_seq, tag.seq + 1);
  if (checkpoint != nullptr) checkpoint->restart(tags);
  co_return Status::ok;
}

}  // namespace tessera
