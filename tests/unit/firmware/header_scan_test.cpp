// How far a write came that put one header on each of its sectors.
#include "firmware/logs/header_scan.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "firmware/logs/superblock.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// A track whose sectors have the header ('h'), have none ('.'), cannot be read ('x'), have the header after so many reads that fail
/// ('1' to '9'), or hold the superblock of generation 1 to 4 ('a' to 'd').
class MarkedTrack final : public MediaPort {
 public:
  MarkedTrack(FakeCpu& cpu, std::string sectors) : cpu_(cpu), sectors_(std::move(sectors)) {}

  void submit(MediaChain& chain) override {
    for (const MediaStep& step : chain.steps()) {
      for (std::uint32_t i = 0; i < step.run.count; ++i)
        if (!read(sectors_.at(step.run.first < sectors_.size() ? (step.run.first + i) % sectors_.size() : std::string::npos),
                  step.headers.empty() ? *step.header : step.headers[i]))
          chain.status = Status::media_error;
      if (!ok(chain.status)) break;
      ++chain.steps_done;
    }
    cpu_.make_ready(chain.wait);
  }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack) const override { return static_cast<std::uint32_t>(sectors_.size()); }
  static SectorHeader mark() { return encode({RecordType::track_move, 7, 1, {}}); }

 private:
  static bool read(char& sector, SectorHeader& header) {
    if (sector == 'x') return false;
    if (sector == 'h') header = mark();
    if (sector >= 'a' && sector <= 'd') header = encode({RecordType::superblock, static_cast<std::uint64_t>(sector - 'a' + 1), 1, {}});
    if (sector < '1' || sector > '9') return true;
    sector = sector == '1' ? 'h' : static_cast<char>(sector - 1);
    return false;
  }

  FakeCpu& cpu_;
  std::string sectors_;
};

Task<void> count(MediaPort& media, PhysicalRun run, Carriers& found) { co_await count_carriers(media, run, MarkedTrack::mark(), found); }

/// Of the whole track, read from sector `first` on.
Carriers carriers(const std::string& sectors, std::uint32_t first = 0) {
  FakeCpu cpu;
  MarkedTrack media(cpu, sectors);
  Carriers found;
  cpu.spawn(count(media, {{0, 0}, first, static_cast<std::uint32_t>(sectors.size())}, found));
  cpu.run();
  CHECK(found.sectors == sectors.size());
  return found;
}

Task<void> read(MediaPort& media, std::vector<SectorHeader>& headers, std::vector<bool>& unknown) {
  MediaStep step;
  step.run = {{0, 0}, 0, static_cast<std::uint32_t>(headers.size())};
  step.headers = headers;
  co_await read_headers(media, step, unknown);
}

/// What a boot makes of each sector: has the header ('h'), has none ('.'), cannot be known ('?').
std::string answers(const std::string& sectors) {
  FakeCpu cpu;
  MarkedTrack media(cpu, sectors);
  std::vector<SectorHeader> headers(sectors.size());
  std::vector<bool> unknown;
  cpu.spawn(read(media, headers, unknown));
  cpu.run();
  std::string result;
  for (std::size_t i = 0; i < sectors.size(); ++i) result += headers[i] == MarkedTrack::mark() ? 'h' : unknown[i] ? '?' : '.';
  return result;
}

Task<void> load(Superblock& superblock, Status& status) { status = co_await superblock.load(); }

/// The generation that a boot takes for the newest; 0 where it cannot be known.
std::uint64_t generation(const std::string& sectors) {
  FakeCpu cpu;
  MarkedTrack media(cpu, sectors);
  Superblock superblock(media,
                        {PhysicalRun{{0, 0}, 0, 1}, PhysicalRun{{0, 0}, 1, 1}, PhysicalRun{{0, 0}, 2, 1}, PhysicalRun{{0, 0}, 3, 1}});
  Status status = Status::aborted;
  cpu.spawn(load(superblock, status));
  cpu.run();
  return ok(status) ? superblock.generation() : 0;
}

}  // namespace

TEST_CASE("a superblock is not taken for the newest where both copies of the next one cannot be read") {
  CHECK(generation("bbaa") == 2);
  CHECK(generation("bbcc") == 3);
  CHECK(generation("bbcx") == 3);
  CHECK(generation("bbxa") == 2);  // the next one was not written whole
  CHECK(generation("bbxx") == 0);
  CHECK(generation("xxcc") == 0);
  CHECK(generation("..aa") == 1);
  CHECK(generation("....") == 0);
}

TEST_CASE("a scan says of each sector whether it has a header, has none, or cannot be known") {
  CHECK(answers("hh..") == "hh..");
  CHECK(answers("h.x.h...") == "h.?.h...");
  CHECK(answers("x") == "?");
  CHECK(answers("xx.xhxxx") == "??.?h???");
}

TEST_CASE("a sector that a scan reads only later is what that read brought, and never one without a header") {
  CHECK(answers("h1..") == "hh..");
  CHECK(answers(".h.1.2.3") == ".h.h.h.h");
  CHECK(answers("h..9...h") == "h..?...h");
}

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

TEST_CASE("header scan: a run that wraps around its track is read by halves where a sector fails") {
  const std::uint32_t first = GENERATE(range(0U, 8U));
  CAPTURE(first);
  const Carriers found = carriers("hhhhhxhh", first);
  CHECK(found.with == 7);
  CHECK(carriers("hh1hhhhh", first).all());
}
