// How far a write came that put one header on each of its sectors.
#include "firmware/logs/header_scan.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// A track whose sectors have the header ('h'), have none ('.') or cannot be read ('x').
class MarkedTrack final : public MediaPort {
 public:
  MarkedTrack(FakeCpu& cpu, std::string sectors) : cpu_(cpu), sectors_(std::move(sectors)) {}

  void submit(MediaChain& chain) override {
    for (const MediaStep& step : chain.steps()) {
      for (std::uint32_t i = 0; i < step.run.count; ++i) {
        const char sector = sectors_[step.run.first + i];
        if (sector == 'x') chain.status = Status::media_error;
        if (sector == 'h') (step.headers.empty() ? *step.header : step.headers[i]) = mark();
      }
    }
    cpu_.make_ready(chain.wait);
  }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack) const override { return static_cast<std::uint32_t>(sectors_.size()); }
  static SectorHeader mark() { return encode({RecordType::track_move, 7, 1, {}}); }

 private:
  FakeCpu& cpu_;
  std::string sectors_;
};

Task<void> count(MediaPort& media, std::uint32_t sectors, Carriers& found) {
  co_await count_carriers(media, {{0, 0}, 0, sectors}, MarkedTrack::mark(), found);
}

Carriers carriers(const std::string& sectors) {
  FakeCpu cpu;
  MarkedTrack media(cpu, sectors);
  Carriers found;
  cpu.spawn(count(media, static_cast<std::uint32_t>(sectors.size()), found));
  cpu.run();
  CHECK(found.sectors == sectors.size());
  return found;
}

}  // namespace

TEST_CASE("a write came to its end where each sector has its header") {
  CHECK(carriers("hhhh").all());
  CHECK(carriers("hhhh").perhaps_all());
  CHECK_FALSE(carriers("hhh.").all());
  CHECK_FALSE(carriers("hhh.").perhaps_all());
  CHECK_FALSE(carriers("....").any());
}

TEST_CASE("sectors that cannot be read may have been written, but not behind one that can be read and was not") {
  CHECK(carriers("hhxx").perhaps_all());
  CHECK(carriers("xhhh").perhaps_all());
  CHECK_FALSE(carriers("hhxx").all());
  CHECK_FALSE(carriers("h.xx").perhaps_all());
  CHECK(carriers("h.xx").unreadable == 0);
  CHECK_FALSE(carriers("xxxx").perhaps_all());  // nothing says that it was begun
}
