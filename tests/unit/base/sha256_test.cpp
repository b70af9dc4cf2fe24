// SHA-256 against the vectors of FIPS 180-2 and NIST's examples, in plain C++ and through the processor's instructions.
#include "base/sha256.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tessera {
namespace {

std::string digest(std::string_view text) {
  Sha256 hash;
  hash.add(std::as_bytes(std::span(text)));
  return hash.text();
}

TEST_CASE("SHA-256 gives the published digests") {
  CHECK(digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(digest(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on the pieces in which bytes come") {
  std::string text;
  for (std::size_t i = 0; i < 300; ++i) text += static_cast<char>(i * 37 % 251);
  for (std::size_t first = 0; first <= text.size(); ++first) {
    Sha256 hash;
    hash.add(std::as_bytes(std::span(text).first(first)));
    static_cast<void>(hash.text());  // looks and changes nothing
    hash.add(std::as_bytes(std::span(text).subspan(first)));
    REQUIRE(hash.text() == digest(text));
    REQUIRE(hash.bytes() == text.size());
  }
}

TEST_CASE("SHA-256 in plain C++ and through instructions is the same") {
  const sha256::Compress fast = sha256::by_instructions();
  if (fast == nullptr) return;  // this processor has no SHA instructions
  std::vector<std::byte> blocks(5 * Sha256::block_bytes);
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<std::byte>(i * 131 % 256);
  Sha256::State plain{1, 2, 3, 4, 5, 6, 7, 0xffffffff};
  Sha256::State quick = plain;
  sha256::compress_plainly(plain, blocks);
  fast(quick, blocks);
  CHECK(plain == quick);
}

}  // namespace
}  // namespace tessera
