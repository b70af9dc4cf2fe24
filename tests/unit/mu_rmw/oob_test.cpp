// Out-of-band images: what was encoded comes back, and nothing else passes for it.
#include <catch2/catch.hpp>

#include <vector>

#include "base/random.hpp"
#include "firmware/flash/oob.hpp"

using namespace tessera;

TEST_CASE("an out-of-band image gives back header and slots") {
  const auto slot_bytes = GENERATE(2U, 4U);
  const OobCodec codec(64, slot_bytes);
  CHECK(codec.bytes() == 24 + 64 * slot_bytes);
  std::vector<std::uint32_t> pages(64, OobCodec::no_page);
  pages[0] = 0;
  pages[38] = 350;
  pages[63] = slot_bytes == 2 ? 65'534 : 0xffff'fffe;
  std::vector<std::byte> image(codec.bytes());
  codec.encode({LogicalSector(24'614), 77, OobHeader::Kind::mapping}, pages, image);
  OobHeader header;
  std::vector<std::uint32_t> decoded(64);
  REQUIRE(codec.decode(image, header, decoded));
  CHECK(header.lsn == LogicalSector(24'614));
  CHECK(header.seq == 77);
  CHECK(header.kind == OobHeader::Kind::mapping);
  CHECK(decoded == pages);
  REQUIRE(codec.decode(image, header, {}));
}

TEST_CASE("a single changed bit anywhere in an out-of-band image is noticed") {
  const OobCodec codec(4, 4);
  const std::vector<std::uint32_t> pages{1, 2, 3, OobCodec::no_page};
  std::vector<std::byte> image(codec.bytes());
  codec.encode({LogicalSector(5), 6, OobHeader::Kind::data}, pages, image);
  OobHeader header;
  for (std::size_t bit = 0; bit < image.size() * 8; ++bit) {
    image[bit / 8] ^= std::byte{1} << (bit % 8);
    CHECK_FALSE(codec.decode(image, header, {}));
    image[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  CHECK(codec.decode(image, header, {}));
}

TEST_CASE("an erased or zeroed out-of-band area is no image") {
  const OobCodec codec(4, 4);
  OobHeader header;
  CHECK_FALSE(codec.decode(std::vector<std::byte>(codec.bytes(), std::byte{0xff}), header, {}));
  CHECK_FALSE(codec.decode(std::vector<std::byte>(codec.bytes(), std::byte{0}), header, {}));
}
