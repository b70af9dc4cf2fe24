#pragma once
// Boot of a flash cache: what every page says of itself. The tags are kept while firmware boots, in memory that serves as merge
// buffer afterwards.
#include <cstdint>
#include <vector>

#include "firmware/flash/oob.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

struct PageTag {
  enum class State : std::uint8_t { blank, unreadable, good };
  std::uint64_t seq = 0;
  LogicalSector lsn;
  OobHeader::Kind kind = OobHeader::Kind::data;
  State state = State::blank;
};
using PageTags = std::vector<PageTag>;

/// Reads the out-of-band area of every page. Pages that name no sector of the user space are unreadable.
[[nodiscard]] Task<Status> scan_pages(FlashPort& flash, const OobCodec& codec, std::uint64_t user_sectors, PageTags& tags);

}  // namespace tessera
