#include "base/state_stream.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <utility>

#include "support/message.hpp"

using namespace tessera;
using test::message_of;

namespace {

StateReader reader(const std::string& state) { return {state, "f"}; }

}  // namespace

TEST_CASE("numbers take seven bits a byte and come back whole, at both sides of each length") {
  for (const auto& [value, size] : std::vector<std::pair<std::uint64_t, std::size_t>>{
           {0, 1}, {127, 1}, {128, 2}, {16383, 2}, {16384, 3}, {std::uint64_t{1} << 63, 10}, {~std::uint64_t{0}, 10}}) {
    StateWriter out;
    out.number(value);
    CHECK(out.state().size() == size);
    StateReader in = reader(out.state());
    CHECK(in.number() == value);
    CHECK(in.left() == 0);
  }
}

TEST_CASE("a number is below its end, or the state is damaged") {
  StateWriter out;
  out.number(9);
  StateReader in = reader(out.state());
  CHECK(StateReader(in).number(10) == 9);
  CHECK(message_of([&] { static_cast<void>(in.number(9)); }) == "f: the state of the drive is damaged: a number is out of its range");
}

TEST_CASE("a number that breaks off or leaves 64 bits is damaged") {
  const std::string endless(11, '\xff');
  StateReader in = reader(endless);
  CHECK(message_of([&] { static_cast<void>(in.number()); }) == "f: the state of the drive is damaged: a number is too large");
  const std::string cut("\x80");
  StateReader half = reader(cut);
  CHECK(message_of([&] { static_cast<void>(half.number()); }) == "f: the state of the drive is damaged: a number breaks off");
}

TEST_CASE("lists are in order whatever the order they are given in, and each entry is below the end") {
  StateWriter out;
  out.sorted(std::vector<std::uint64_t>{70, 3, 9});
  const StateReader in = reader(out.state());
  CHECK(StateReader(in).sorted(71) == std::vector<std::uint64_t>{3, 9, 70});
  CHECK(message_of([&] { static_cast<void>(StateReader(in).sorted(70)); }) ==
        "f: the state of the drive is damaged: a number of a list is out of its range");
}

TEST_CASE("texts and bytes come back, and one that promises more than there is left is damaged") {
  StateWriter out;
  out.text("fluid-loop");
  const std::array<std::byte, 2> bytes{std::byte{1}, std::byte{2}};
  out.bytes(bytes);
  StateReader in = reader(out.state());
  CHECK(in.text() == "fluid-loop");
  std::array<std::byte, 2> back{};
  CHECK(StateReader(in).left() == 2);
  in.bytes(back);
  CHECK(back == bytes);
  const std::string promise(
      "\x05"
      "abcd");
  StateReader four = reader(promise);
  CHECK(message_of([&] { static_cast<void>(four.text()); }) == "f: the state of the drive is damaged: it breaks off");
}

TEST_CASE("a state that comes in pieces of any size reads as one that is there as a whole") {
  StateWriter out;
  out.number(1'000'000);
  out.text("fluid-loop");
  out.sorted(std::vector<std::uint64_t>{3, 300, 30'000});
  out.number(7);
  for (std::size_t piece = 1; piece <= out.state().size(); ++piece) {
    std::string_view rest = out.state();
    StateReader in(
        rest.size(), [&rest, piece] { return std::exchange(rest, rest.substr(std::min(piece, rest.size()))).substr(0, piece); }, "f");
    CHECK(in.number() == 1'000'000);
    CHECK(in.text() == "fluid-loop");
    CHECK(in.sorted(30'001) == std::vector<std::uint64_t>{3, 300, 30'000});
    CHECK(in.left() == 1);
    CHECK(in.number() == 7);
    CHECK(in.left() == 0);
  }
}

TEST_CASE("a list is no longer than there is room for, whatever follows") {
  StateWriter out;
  out.number(5);
  for (int i = 0; i < 5; ++i) out.number(1);
  const StateReader in = reader(out.state());
  CHECK(StateReader(in).count(5) == 5);
  const std::string refused = "f: the state of the drive is damaged: a list is longer than the drive has room for";
  CHECK(message_of([&] { static_cast<void>(StateReader(in).count(4)); }) == refused);
  CHECK(message_of([&] { static_cast<void>(StateReader(in).sorted(4)); }) == refused);
  CHECK(message_of([&] { static_cast<void>(StateReader(in).text(4)); }) == refused);
}

TEST_CASE("a state that promises more than comes breaks off") {
  StateReader in(
      1000, [] { return std::string_view(); }, "f");
  CHECK(message_of([&] { static_cast<void>(in.number()); }) == "f: the state of the drive is damaged: it breaks off");
}
