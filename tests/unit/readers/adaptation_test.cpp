// What may be done to a trace on its way to a drive.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "stimuli/readers/address_fold.hpp"
#include "stimuli/readers/looped_trace.hpp"
#include "stimuli/readers/trace_window.hpp"
#include "stimuli/readers/volume_choice.hpp"
#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using All = std::vector<TraceRecord>;
constexpr auto rd = HostOp::read;
constexpr auto wr = HostOp::write;
constexpr auto fl = HostOp::flush;
constexpr auto tr = HostOp::trim;
constexpr Bytes sector{4096};

std::unique_ptr<TraceSource> source(All records) { return std::make_unique<Records>(std::move(records)); }

template <class Adapt>
All adapted(All records, Adapt adapt) {
  return read_all(*adapt(source(std::move(records))));
}

template <class Adapt>
std::string refused(All records, Adapt adapt) {
  const Folder folder;
  return error_of(folder, [&] { adapted(records, adapt); });
}

}  // namespace

TEST_CASE("time scale: exact, to the nearest picosecond, refused past the simulated range") {
  const auto by = [](TimeScale scale) { return [scale](auto inner) { return scale_time(std::move(inner), scale); }; };
  CHECK(adapted({record(7, rd, 0, 512)}, by({2, 1})) == All{record(14, rd, 0, 512)});
  CHECK(adapted({record(7, rd, 0, 512)}, by({1, 3})) == All{record(2, rd, 0, 512)});
  CHECK(adapted({record(8, rd, 0, 512)}, by({1, 3})) == All{record(3, rd, 0, 512)});
  const std::uint64_t half = ~std::uint64_t{0} / 2;
  CHECK(adapted({record(half, rd, 0, 512)}, by({2, 1}))[0].arrival.value() == 2 * half);
  CHECK(adapted({record(half + 1, rd, 0, 512)}, by({2, 1}))[0].time() == LongTime(Picoseconds(half + 1)) * 2);
}

TEST_CASE("an address past the drive's end is refused, the last one is not") {
  const auto bound = [](auto inner) { return bound_addresses(std::move(inner), Bytes(8192)); };
  CHECK(adapted({record(0, rd, 4096, 4096)}, bound).size() == 1);
  CHECK(refused({record(0, rd, 0, 512), record(0, wr, 4608, 4096)}, bound) ==
        "t:2: the request ends at byte 8704, past the drive's end at 8192; --fold wraps addresses round");
}

TEST_CASE("fold: modulo the capacity, split at the end, and noted") {
  const auto fold = [](auto inner) { return fold_addresses(std::move(inner), Bytes(8192)); };
  CHECK(adapted({record(5, rd, 4096, 4096), record(6, wr, 8192 * 3 + 512, 512), record(7, wr, 7680, 1024), record(8, rd, 512, 20480),
                 record(9, fl, 0, 0)},
                fold) == All{record(5, rd, 4096, 4096), record(6, wr, 512, 512), record(7, wr, 7680, 512), record(7, wr, 0, 512),
                             record(8, rd, 512, 7680), record(8, rd, 0, 8192), record(8, rd, 0, 4608), record(9, fl, 0, 0)});
  const auto folded = fold(source({record(0, wr, 7680, 1024), record(0, wr, 0, 512), record(0, wr, 8192, 512)}));
  read_all(*folded);
  CHECK(folded->notes() == std::vector<std::string>{"2 requests folded back from past the drive's end"});
}

TEST_CASE("fold keeps every byte of every request inside the drive") {
  const bool holds = rc::check("sum and bounds", [](const std::vector<std::pair<std::uint32_t, std::uint16_t>>& requests) {
    constexpr std::uint64_t capacity = 10'240;
    All records;
    std::uint64_t bytes = 0;
    for (const auto& [offset, size] : requests) {
      records.push_back(record(0, wr, offset, size + 1u));
      bytes += size + 1u;
    }
    for (const auto& piece : adapted(records, [](auto inner) { return fold_addresses(std::move(inner), Bytes(capacity)); })) {
      RC_ASSERT(piece.size > Bytes(0));
      RC_ASSERT(piece.end() <= Bytes(capacity));
      bytes -= piece.size.value();
    }
    RC_ASSERT(bytes == 0u);
  });
  CHECK(holds);
}

TEST_CASE("window: skip and limit, the clock begins with the first request given") {
  const All five = {record(10, rd, 0, 512), record(11, rd, 512, 512), record(15, rd, 1024, 512), record(16, rd, 0, 512),
                    record(18, rd, 0, 512)};
  const auto cut = [](std::uint64_t skip, std::optional<std::uint64_t> limit) {
    return [=](auto inner) { return window(std::move(inner), skip, limit); };
  };
  CHECK(adapted(five, cut(1, 2)) == All{record(0, rd, 512, 512), record(4, rd, 1024, 512)});
  CHECK(adapted(five, cut(0, std::nullopt)).size() == 5);
  CHECK(adapted(five, cut(4, 9)) == All{record(0, rd, 0, 512)});
  CHECK(refused(five, cut(5, 1)) == "--skip 5: the trace holds only 5 requests");
  CHECK(refused(five, cut(9, 1)) == "--skip 9: the trace holds only 5 requests");
  CHECK(refused(five, cut(0, 0)) == "--limit 0: expected at least 1 request");
}

TEST_CASE("volume: by name or number, unknown and unclear ones are refused") {
  const std::string text = "1,web,0,Read,0,512,1\n2,src,3,Read,512,512,1\n3,web,3,Read,1024,512,1\n5,web,0,Read,1536,512,1\n";
  const Folder folder;
  const auto path = folder.write("t", text);
  const auto chosen = [&](const std::string& volume) {
    TraceOptions options;
    options.path = path;
    options.volume = volume;
    return read_all(*open_trace(options));
  };
  CHECK(chosen("web_0") == All{record(0, rd, 0, 512), record(400'000, rd, 1536, 512)});
  CHECK(chosen("0") == chosen("web_0"));
  CHECK(chosen("src_3") == All{record(0, rd, 512, 512, 1)});
  CHECK(error_of(folder, [&] { chosen("3"); }) == "--volume 3: may be src_3 or web_3; name it in full");
  CHECK(error_of(folder, [&] { chosen("web_9"); }) == "--volume: unknown volume 'web_9'; did you mean 'web_0'? known: web_0, src_3, web_3");
}

TEST_CASE("sectors as they are: parts of a block are refused") {
  const auto none = [](auto inner) { return adapt_sectors(std::move(inner), SectorAdaptation::none, sector, Bytes(1 << 20)); };
  CHECK(adapted({record(0, rd, 512, 1024), record(0, fl, 0, 0)}, none).size() == 2);
  CHECK(refused({record(0, rd, 0, 512), record(0, rd, 512, 1000)}, none) ==
        "t:2: the size of 1000 bytes is not a multiple of the sector of 512 bytes; --adapt align rounds outwards");
  CHECK(refused({record(0, rd, 100, 512)}, none) ==
        "t:1: the offset of 100 bytes is not a multiple of the sector of 512 bytes; --adapt align rounds outwards");
}

TEST_CASE("align: outwards to the drive's sector, not past its end, trims inwards") {
  const auto align = [](auto inner) { return adapt_sectors(std::move(inner), SectorAdaptation::align, sector, Bytes(20'992)); };
  CHECK(adapted({record(0, rd, 4096, 4096), record(0, wr, 4095, 2), record(0, wr, 5000, 1), record(0, wr, 20'480, 512), record(0, fl, 0, 0),
                 record(0, tr, 100, 8192), record(0, tr, 0, 8192)},
                align) == All{record(0, rd, 4096, 4096), record(0, wr, 0, 8192), record(0, wr, 4096, 4096), record(0, wr, 20'480, 512),
                              record(0, fl, 0, 0), record(0, tr, 4096, 4096), record(0, tr, 0, 8192)});
  const auto source_of_trim = align(source({record(0, tr, 100, 4096), record(0, rd, 0, 512)}));
  CHECK(read_all(*source_of_trim) == All{record(0, rd, 0, 4096)});
  CHECK(source_of_trim->notes() == std::vector<std::string>{"1 trims of less than a sector left out"});
}

TEST_CASE("one sector: the one at the start, whatever the size") {
  const auto one = [](auto inner) { return adapt_sectors(std::move(inner), SectorAdaptation::one_sector, sector, Bytes(1 << 20)); };
  CHECK(adapted({record(0, wr, 4608, 65'536), record(0, rd, 0, 512), record(0, fl, 0, 0)}, one) ==
        All{record(0, wr, 4096, 4096), record(0, rd, 0, 4096), record(0, fl, 0, 0)});
  CHECK(sector_adaptation("one-sector") == SectorAdaptation::one_sector);
  CHECK_THROWS_WITH(sector_adaptation("allign"),
                    "--adapt: unknown adaptation 'allign'; did you mean 'align'? known: none, align, one-sector");
}

TEST_CASE("loop: passes follow one mean gap after each other, addresses drift, flushes do not") {
  const auto open = [] { return source({record(0, wr, 0, 512), record(10, rd, 512, 512), record(30, fl, 0, 0)}); };
  CHECK(read_all(*loop(open, 2, Bytes(4096))) == All{record(0, wr, 0, 512), record(10, rd, 512, 512), record(30, fl, 0, 0),
                                                     record(45, wr, 4096, 512), record(55, rd, 4608, 512), record(75, fl, 0, 0)});
  CHECK(read_all(*loop(open, 1, Bytes(4096))).size() == 3);
  CHECK(read_all(*loop(open, 100, Bytes(0))).back().arrival == Picoseconds(99 * 45 + 30));
}

TEST_CASE("loop: past 2^64 bytes is refused") {
  const Folder folder;
  const auto open = [] { return source({record(0, wr, ~std::uint64_t{0} - 1023, 512)}); };
  CHECK(read_all(*loop(open, 2, Bytes(511))).size() == 2);
  CHECK(error_of(folder, [&] { read_all(*loop(open, 2, Bytes(512))); }) == "t:1: the request ends past 2^64 bytes in pass 2 of the trace");
}

TEST_CASE("all together: what a drive gets is inside it, in whole blocks, from time 0") {
  const Folder folder;
  TraceOptions options;
  options.path =
      folder.write("t", "100,h,0,Read,0,512,1\n110,h,1,Write,1048576,700,1\n120,h,0,Write,512,512,1\n130,h,1,Read,1044480,8192,1\n");
  options.volume = "h_1";
  options.time_scale = parse_time_scale("0.5");
  options.fold = true;
  options.adapt = SectorAdaptation::align;
  const auto trace = open_trace(options, Bytes(1 << 20), sector);
  const auto records = read_all(*trace);
  CHECK(records == All{record(0, wr, 0, 4096, 1), record(1'000'000, rd, 1'044'480, 4096, 1), record(1'000'000, rd, 0, 4096, 1)});
  CHECK(host_run(records[1]) == HostRun{HostBlock(2040), 8});
  CHECK(trace->position() == options.path + ":4");

  options.fold = false;
  CHECK(error_of(folder, [&] { read_all(*open_trace(options, Bytes(1 << 20), sector)); }) ==
        "t:2: the request ends at byte 1049276, past the drive's end at 1048576; --fold wraps addresses round");
}
