// The real traces beside the source tree: `describe` gives the figures that are published with them, to the printed digit.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "stimuli/readers/open_trace.hpp"
#include "stimuli/readers/trace_format.hpp"
#include "stimuli/readers/trace_summary.hpp"

using namespace tessera;

namespace {

std::string folder() {
  const char* named = std::getenv("TESSERA_TRACES");
  return named != nullptr ? named : TESSERA_TRACES;
}

struct Published {
  const char* file;
  const char* format;  ///< to be recognised; empty where two readings fit
  const char* named;   ///< as given on the command line; empty where content decides
  std::uint64_t requests;
  double duration;                    ///< s
  double writes;                      ///< %
  double written, read;               ///< GB
  double footprint, write_footprint;  ///< GiB
  double any, all, block;             ///< %
  double range;                       ///< zones
  double write_sectors, write_sectors_aligned;
};

// The table of the README of the traces.
const Published table[] = {
    {"msr/web_3.csv.xz", "msr", "", 31'380, 594'376, 67.97, .4549, .7707, .590, .420, 85.2, 4.1, 17.2, 678.3, 41.7, 49.8},
    {"msr/rsrch_1.csv.xz", "msr", "", 13'780, 576'558, 99.70, .1712, .0006, .110, .110, 68.6, 68.5, 31.9, 713.5, 24.3, 24.6},
    {"msr/web_0_first100k.csv.xz", "msr", "", 100'000, 13'818, 38.45, .3681, 2.1314, 1.957, .183, 91.7, 77.8, 62.4, 135.6, 18.7, 26.5},
    {"msr/src1_0_first10k.csv.xz", "msr", "", 10'000, 8'055, 100.0, .0698, 0, .048, .048, 15.5, 14.0, 25.7, 1093.8, 13.6, 13.6},
    {"msr/hm_0_1k.csv.xz", "msr", "", 1'000, 127, 49.20, .0036, .0061, .007, .002, 62.6, 60.4, 49.3, 50.6, 14.2, 15.2},
    {"msr/hm_0_cut105_10k.bms.xz", "bms:ms", "", 10'000, 243, 79.80, .0510, .0038, .028, .022, 81.0, 79.0, 59.2, 50.6, 12.5, 14.3},
    {"msr/hm_0_cut1370_10k.bms.xz", "bms:ms", "", 10'000, 86, 59.46, .0293, .0195, .034, .016, 79.6, 76.1, 56.2, 55.3, 9.6, 13.2},
    {"cloudphysics/sample_2h.vscsi.xz", "vscsi1", "", 113'872, 7'200, 58.75, 2.4086, 1.7974, 1.027, .796, 95.7, 74.5, 68.2, 125.1, 70.3,
     78.5},
    {"cloudphysics/sample_2h.csv.xz", "cpcsv", "", 113'872, 7'200, 58.75, 2.4086, 1.7974, 1.027, .796, 95.7, 74.5, 68.2, 125.1, 70.3, 78.5},
    {"hp/hp_c2247a.trace.xz", "hpval", "hpval:gaps", 9'999, 142, 48.84, .0415, .0430, .097, .049, 29.1, 7.0, 11.1, 3.9, 16.6, 23.6},
    {"hp/cello2003_1h.csv.xz", "msr", "", 43'000, 3'699, 75.42, .5487, .1335, .431, .407, 62.6, 61.4, 23.7, 65.6, 33.0, 34.5},
    {"spc/Financial1_first10k.spc.xz", "spc", "", 10'000, 260, 59.23, .0298, .0254, .028, .014, 91.0, 68.1, 69.9, 1.9, 9.8, 16.8},
    {"msps/dtrs_5min.ascii.xz", "", "ascii:us", 127'043, 300, 10.96, .7608, 6.4370, 4.853, .702, 8.3, 7.9, .9, 612.8, 106.8, 106.8},
};

/// Equal when printed with `decimals` decimals.
void agrees(const char* what, double value, double published, int decimals) {
  CAPTURE(what, value, published);
  CHECK(std::abs(value - published) <= 0.5 * std::pow(10, -decimals) * (1 + 1e-6));
}

TraceSummary summary_of(const char* file, const char* format) {
  TraceOptions options;
  options.path = folder() + "/" + file;
  options.format = format;
  return describe(*open_trace(options));
}

double gib(std::uint64_t blocks) { return static_cast<double>(blocks) * 4096 / (1 << 30); }

}  // namespace

TEST_CASE("every real trace is recognised, read to its end and described as published") {
  if (!std::filesystem::exists(folder())) {
    WARN("no folder " << folder() << ": the real traces are not checked; TESSERA_TRACES names their folder");
    return;
  }
  for (const auto& row : table) {
    CAPTURE(row.file);
    if (*row.format == '\0')
      CHECK_THROWS_WITH(recognise_format(folder() + "/" + row.file),
                        Catch::Contains("readings fit") && Catch::Contains("--format ascii:us"));  // ms or ns: they are us
    else
      CHECK(recognise_format(folder() + "/" + row.file) == row.format);
    const auto s = summary_of(row.file, row.named);
    CHECK(s.requests == row.requests);
    CHECK(s.notes.size() == (*row.named == '\0' ? 1 : 0));  // how it was read; in time order, nothing left out
    CHECK(s.split_sectors == 0);
    agrees("duration", static_cast<double>(s.duration.value()) / 1e12, row.duration, 0);
    agrees("writes", 100 * *s.write_share(), row.writes, 2);
    agrees("GB written", static_cast<double>(s.bytes_written.value()) / 1e9, row.written, 4);
    agrees("GB read", static_cast<double>(s.bytes_read.value()) / 1e9, row.read, 4);
    agrees("footprint", gib(s.touched_blocks), row.footprint, 3);
    agrees("write footprint", gib(s.written_blocks), row.write_footprint, 3);
    agrees("updates, any", 100 * *s.update_any_share(), row.any, 1);
    agrees("updates, all", 100 * *s.update_all_share(), row.all, 1);
    agrees("updates, blocks", 100 * *s.update_block_share(), row.block, 1);
    agrees("range", static_cast<double>(s.highest_written.value()) / TraceSummary::zone_bytes, row.range, 1);
    agrees("mean write", *s.mean_write_sectors(), row.write_sectors, 1);
    agrees("mean write, aligned", *s.mean_write_sectors_aligned(), row.write_sectors_aligned, 1);
  }
}

TEST_CASE("hp_c2247a: the figures of the paper that used it") {
  if (!std::filesystem::exists(folder())) {
    WARN("no folder " << folder() << ": the real traces are not checked; TESSERA_TRACES names their folder");
    return;
  }
  // "Novel address mappings", Table 1; its inter-arrival and seek distance count the first request from time and address 0.
  const auto s = summary_of("hp/hp_c2247a.trace.xz", "hpval:gaps");
  CHECK(*s.write_share() == Approx(0.488449).margin(5e-7));
  CHECK(s.largest_request == Bytes(134 * 512));
  CHECK((static_cast<double>(s.duration.value()) / 1e9 + 13.87627) / 9'999 == Approx(14.19225897).margin(5e-9));
  CHECK((static_cast<double>(s.seek_bytes) / 512 + 564'347) / 9'999 == Approx(273730.0428).margin(5e-5));
  // What it calls inter-arrival is the mean think time; that of the last line is followed by no request.
  const auto thinking = summary_of("hp/hp_c2247a.trace.xz", "");
  CHECK(thinking.thinks == 9'998);
  CHECK((static_cast<double>(thinking.think_time.value()) / 1e9 + 19.19657) / 9'999 == Approx(14.19225897).margin(5e-9));
}

TEST_CASE("the two disks of the HP server with most requests, by volume") {
  if (!std::filesystem::exists(folder())) {
    WARN("no folder " << folder() << ": the real traces are not checked; TESSERA_TRACES names their folder");
    return;
  }
  for (const auto& [volume, requests] : {std::pair("cello_0", 9'879u), std::pair("1", 7'409u)}) {
    TraceOptions options;
    options.path = folder() + "/hp/cello2003_1h.csv.xz";
    options.volume = volume;
    CAPTURE(volume);
    CHECK(describe(*open_trace(options)).requests == requests);
  }
}
