#include "platforms/state/state_file.hpp"

#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "support/message.hpp"

using namespace tessera;
using test::message_of;

namespace {

std::string noise(std::size_t size) {
  RandomStream random(1, "noise");
  std::string text(size, '\0');
  for (char& byte : text) byte = static_cast<char>(random.below(256));
  return text;
}

std::string unpacked(const std::string& file) {
  PackedState packed(file, "f");
  std::string state;
  for (std::string_view piece = packed.next(); !piece.empty(); piece = packed.next()) state += piece;
  CHECK(state.size() == packed.bytes());
  return state;
}

std::string refusal(const std::string& file) {
  return message_of([&] { static_cast<void>(unpacked(file)); });
}

}  // namespace

TEST_CASE("a state comes back from its file whole, whatever its length") {
  for (const std::size_t size : {0, 1, 1 << 20, (1 << 20) + 1, 3'000'000}) CHECK(unpacked(packed_state(noise(size))) == noise(size));
  CHECK(packed_state(std::string(10'000'000, '\0')).size() < 2000);
}

TEST_CASE("a file that was cut off anywhere, or has a byte more, is refused") {
  const std::string file = packed_state(noise(500));
  for (std::size_t length = 0; length < file.size(); ++length) REQUIRE(refusal(file.substr(0, length)) != "");
  CHECK(refusal(file.substr(0, file.size() - 1)).starts_with("f: the state of the drive is damaged: "));
  CHECK(refusal(file + "x") == "f: the state of the drive is damaged: something follows its end");
}

TEST_CASE("a file of which any bit is wrong is refused, or is what it was") {
  const std::string state = noise(300);
  const std::string file = packed_state(state);
  std::size_t harmless = 0;
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    if (refusal(damaged).empty()) {
      REQUIRE(unpacked(damaged) == state);
      ++harmless;
    }
  }
  CHECK(harmless <= 2);  // of the frame's header: an unused bit
}

TEST_CASE("what is no state, and one of another schema, is refused in a sentence") {
  CHECK(refusal("PK\x03\x04 something else") == "f: expected the state of a drive that --save-state wrote, found something else");
  CHECK(refusal("tessera drive state 7\n...") == "f: the state has schema 7 and this simulator reads schema 1: save it anew");
  CHECK(refusal("tessera drive state 11\n...") == "f: the state has schema 11 and this simulator reads schema 1: save it anew");
}
