#pragma once
// Boot of a flash cache: what every page says of itself. The tags are kept while firmware boots, in memory that serves as merge
// buffer afterwards.
#include <cstdint>
#include <vector>

#include "firmware/flash/oob.hpp"
#include "firmware/flash/page_order.hpp"
#include "firmware/flash/tag_checkpoint.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

struct FoundPages {
  PageTags tags;
  std::uint64_t next_seq = 0;  ///< behind every sequence number that the checkpoint knows of, or that a page has, read or not
};

/// Reads the newest checkpoint, where there are any (`checkpoint` may be null), then the out-of-band area of the first page of every
/// block, and of those behind it that the checkpoint does not know, up to the first blank one: pages are programmed in order. The
/// checkpoint is to be told of what was found afterwards (restart()). Pages that name no sector of the user space are unreadable. `corrupt`
/// where neither a page nor the checkpoint that would name its sector can be read.
[[nodiscard]] Task<Status> scan_pages(FlashPort& flash, const OobCodec& codec, PageOrder order, std::uint64_t user_sectors,
                                      FoundPages& found, TagCheckpoint* checkpoint);

}  // namespace tessera
