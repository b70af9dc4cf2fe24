#include "bus/ftr_writer.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "support/ftr_reader.hpp"

using namespace tessera;
using When = FtrWriter::When;

TEST_CASE("ftr: a file without transactions is a self-described array with scale and date") {
  std::ostringstream out;
  FtrWriter(out).finish();
  CHECK(out.str() == std::string("\xd9\xd9\xf7\x9f"
                                 "\xc6\x44\x82\x2b\xc1\x00"  // 10^-12 s, date 0
                                 "\xc8\x43\xa1\x00\x60"      // the empty name
                                 "\xff",
                                 16));
}

TEST_CASE("ftr: transactions come back with their stream, kind, times and attributes, over many chunks") {
  std::ostringstream out;
  constexpr std::uint64_t count = 5000;
  {
    FtrWriter writer(out);
    const std::uint64_t bus = writer.stream("bus", "TLM-2.0");
    const std::uint64_t read = writer.generator("read", bus), write = writer.generator("write", bus);
    for (std::uint64_t i = 0; i < count; ++i) {
      const FtrWriter::Attribute attributes[] = {
          {When::begin, "address", i << 30U}, {When::between, "accepted", i * 256}, {When::end, "response", i % 3 == 0 ? "ok" : "error"}};
      writer.transaction(bus, i % 2 == 0 ? read : write, Picoseconds(i * 1000), Picoseconds(i * 1000 + 70'000), attributes);
    }
    const std::uint64_t late = writer.stream("late", "TLM-2.0");  // after chunks were written
    writer.transaction(late, writer.generator("read", late), Picoseconds(5), Picoseconds(6), {});
  }
  const auto found = test::read_ftr(out.str());
  REQUIRE(found.size() == count + 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    CHECK(found[i].stream == "bus");
    CHECK(found[i].generator == (i % 2 == 0 ? "read" : "write"));
    CHECK(found[i].begin == i * 1000);
    CHECK(found[i].end == i * 1000 + 70'000);
    CHECK(found[i].numbers.at("address") == i << 30U);
    CHECK(found[i].numbers.at("accepted") == i * 256);
    CHECK(found[i].texts.at("response") == (i % 3 == 0 ? "ok" : "error"));
  }
  CHECK(found.back().stream == "late");
  CHECK(found.back().numbers.empty());
}
