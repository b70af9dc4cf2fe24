// Out-of-band bytes of a flash page: a header and page numbers that encode to the same bytes, or nothing.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/check.hpp"
#include "firmware/flash/oob.hpp"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const OobCodec codec(data[0], data[1] % 2 == 0 ? 2 : 4);
  std::vector<std::byte> image(codec.bytes());
  std::memcpy(image.data(), data + 2, std::min(size - 2, image.size()));
  OobHeader header;
  std::vector<std::uint32_t> pages(codec.slots());
  if (codec.decode(image, header, pages)) {
    std::vector<std::byte> again(codec.bytes());
    codec.encode(header, pages, again);
    TESSERA_CHECK(again == image, "an image is not written as it was read");
  }
  static_cast<void>(codec.decode(image, header, {}));

  // With the checksum put right: what is written is read.
  std::uint64_t lsn = 0;
  std::memcpy(&lsn, image.data(), sizeof lsn);
  for (std::size_t i = 0; i < pages.size(); ++i) pages[i] = i < size ? data[i] : OobCodec::no_page;
  codec.encode({LogicalSector(lsn), size, OobHeader::Kind::mapping}, pages, image);
  std::vector<std::uint32_t> read(codec.slots());
  TESSERA_CHECK(codec.decode(image, header, read) && read == pages && header.lsn == LogicalSector(lsn), "an image is not read as written");
  return 0;
}
