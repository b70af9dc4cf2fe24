#include "stimuli/generators/offset_table.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "chi_square.hpp"
#include "support/message.hpp"

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("recorded offsets come as often as their table says and nowhere else") {
  const test::TemporaryFolder folder;
  const OffsetTable table = OffsetTable::load(folder.write("offsets.csv", "LBA,Frequency\n80,6\n16,3\n9,1\n"), 512_B);
  CHECK(table.rows.size() == 3);
  CHECK(table.highest == 40960_B);
  RecordedAddresses addresses(table, 0_B, 4096_B, RandomStream(1, "offsets"));
  std::map<std::uint64_t, std::uint64_t> counts;
  for (int i = 0; i < 100'000; ++i) ++counts[addresses.next(true, 4096_B).value()];
  REQUIRE(counts.size() == 3);  // block 9 is moved down to byte 4096
  CHECK(test::fits({counts[40960], counts[8192], counts[4096]}, {0.6, 0.3, 0.1}));
}

TEST_CASE("a histogram file that is not one is refused with its line") {
  const test::TemporaryFolder folder;
  const auto message = [&folder](const std::string& text) {
    const std::string file = folder.write("offsets.csv", text);
    const std::string whole = test::message_of([&file] { (void)OffsetTable::load(file, 512_B); });
    return whole.empty() ? "accepted" : whole.substr(file.size());
  };
  CHECK_THAT(message("offset,count\n1,2\n"), Catch::StartsWith(":1: expected the header 'LBA,Frequency'"));
  CHECK_THAT(message("LBA,Frequency\n8,1\n8,x\n"), Catch::StartsWith(":3: expected a start address"));
  CHECK_THAT(message("LBA,Frequency\n8,0\n"), Catch::StartsWith(":2: expected a start address"));
  CHECK_THAT(message("LBA,Frequency\n8,1,1\n"), Catch::StartsWith(":2: expected a start address"));
  CHECK_THAT(message("LBA,Frequency\n"), Catch::Contains("the histogram has no line"));
}
