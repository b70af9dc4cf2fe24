// Records of a drive with several logical units.
#include "stimuli/readers/unit_addresses.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;

namespace {

class Records final : public TraceSource {
 public:
  explicit Records(std::vector<TraceRecord> records) : records_(std::move(records)) {}
  bool next(TraceRecord& record) override {
    if (at_ == records_.size()) return false;
    record = records_[at_++];
    return true;
  }
  [[nodiscard]] std::string position() const override { return "trace:" + std::to_string(at_); }
  [[nodiscard]] std::string volume_name(std::uint32_t volume) const override { return "vol" + std::to_string(volume); }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  std::vector<TraceRecord> records_;
  std::size_t at_ = 0;
};

TraceRecord at(std::uint64_t offset, std::uint64_t size, std::uint32_t volume = 0) {
  TraceRecord record;
  record.offset = Bytes(offset);
  record.size = Bytes(size);
  record.volume = volume;
  return record;
}

const std::vector<Bytes> halves{Bytes(8192), Bytes(16384)};

}  // namespace

TEST_CASE("what goes over the end of a unit becomes two requests") {
  const auto units =
      address_units(std::make_unique<Records>(std::vector{at(0, 8192), at(4096, 8192), at(8192, 4096)}), halves, LunOf::address);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (TraceRecord record; units->next(record);) found.emplace_back(record.offset.value(), record.size.value());
  CHECK(found == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 8192}, {4096, 4096}, {8192, 4096}, {8192, 4096}});
}

TEST_CASE("a volume is a unit, and one for which there is no unit is refused") {
  const auto units =
      address_units(std::make_unique<Records>(std::vector{at(0, 512), at(512, 512, 1), at(0, 512, 2)}), halves, LunOf::volume);
  TraceRecord record;
  REQUIRE(units->next(record));
  CHECK(record.offset == Bytes(0));
  REQUIRE(units->next(record));
  CHECK(record.offset == Bytes(8704));
  CHECK_THROWS_WITH(units->next(record),
                    "trace:3: the request is of volume 2 (vol2), and the drive has LUNs 0 to 1 (host.luns); --volume chooses one volume");
}
