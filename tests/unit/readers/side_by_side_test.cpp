// Several volumes on one drive never share a sector: each has a part of the address space, the same whatever part of the trace is played.
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include <thread>

#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using All = std::vector<TraceRecord>;
constexpr auto rd = HostOp::read, wr = HostOp::write, fl = HostOp::flush;
constexpr std::uint64_t tick = 100'000, mib = std::uint64_t{1} << 20;

/// web_0 reaches to 1 MiB and a sector, src_3 to 4 KiB, web_1 to 2 MiB.
constexpr const char* three =
    "1,web,0,Read,0,512,1\n2,src,3,Write,0,4096,1\n3,web,1,Read,1048576,1048576,1\n4,web,0,Read,1048576,512,1\n5,src,3,Read,512,512,1\n";

struct Played {
  All records;
  std::vector<std::string> notes;
};

Played play(const Folder& folder, const std::string& text, std::uint64_t capacity, const std::function<void(TraceOptions&)>& set = {}) {
  TraceOptions options;
  options.path = folder.write("t", text);
  if (set) set(options);
  const auto source = open_trace(options, Bytes(capacity), Bytes(512));
  Played played{read_all(*source), {}};
  played.notes = source->notes();
  return played;
}

}  // namespace

TEST_CASE("volumes lie side by side at whole MiB in the order in which they appear, and a note says so") {
  const Folder folder;
  const auto played = play(folder, three, 5 * mib);
  CHECK(played.records == All{record(0, rd, 0, 512), record(tick, wr, 2 * mib, 4096, 1), record(2 * tick, rd, 4 * mib, mib, 2),
                              record(3 * tick, rd, mib, 512), record(4 * tick, rd, 2 * mib + 512, 512, 1)});
  CHECK(std::ranges::count(played.notes, "3 volumes lie side by side on the drive, 5242880 B in all; --volume chooses one") == 1);
}

TEST_CASE("one volume lies where it says, chosen or alone, without a note") {
  const Folder folder;
  const auto chosen = play(folder, three, 2 * mib, [](TraceOptions& options) { options.volume = "web_1"; });
  CHECK(chosen.records == All{record(0, rd, mib, mib, 2)});
  const auto alone = play(folder, "1,web,0,Read,0,512,1\n", 512);
  for (const auto* played : {&chosen, &alone})
    CHECK(std::ranges::none_of(played->notes, [](const std::string& note) { return note.find("side by side") != std::string::npos; }));
}

TEST_CASE("a part of a trace lies where it lies in the whole, and so does each pass") {
  const Folder folder;
  const auto skipped = play(folder, three, 5 * mib, [](TraceOptions& options) { options.skip = 1, options.limit = 2; });
  CHECK(skipped.records == All{record(0, wr, 2 * mib, 4096, 1), record(tick, rd, 4 * mib, mib, 2)});
  const auto passes = play(folder, three, 5 * mib, [](TraceOptions& options) { options.passes = 2; });
  REQUIRE(passes.records.size() == 10);
  for (std::size_t i = 0; i < 5; ++i) CHECK(passes.records[i].offset == passes.records[i + 5].offset);
}

TEST_CASE("flushes stay without a place, and zones begin at zones") {
  const Folder folder;
  const std::string text = "fio version 3 iolog\n1 a write 0 512\n2 b write 0 512\n3 b sync 0 0\n";
  const auto played = play(folder, text, 512 * mib, [](TraceOptions& options) { options.zones = Bytes(256 * mib); });
  CHECK(played.records == All{record(0, wr, 0, 512), record(1'000'000, wr, 256 * mib, 512, 1), record(2'000'000, fl, 0, 0, 1)});
}

TEST_CASE("volumes that do not fit are refused with what they take and what there is, and folded they wrap round") {
  const Folder folder;
  CHECK(error_of(folder, [&] { play(folder, three, 5 * mib - 512); }) ==
        "t:2: the trace's 3 volumes take 5242880 B side by side, and the drive holds 5242368 B; --volume chooses one, --fold wraps "
        "addresses round, 'tessera trace merge --over' lays all over one another");
  const auto folded = play(folder, three, 3 * mib, [](TraceOptions& options) { options.fold = true; });
  CHECK(folded.records[1].offset == Bytes(2 * mib));
  CHECK(folded.records[2].offset == Bytes(mib));  // 4 MiB
}

TEST_CASE("what is wrong far behind a part that is played does not end it") {
  const Folder folder;
  const auto played = play(folder, std::string(three) + "nonsense\n", 5 * mib, [](TraceOptions& options) { options.limit = 5; });
  CHECK(played.records.size() == 5);
}

TEST_CASE("a pipe with several volumes is refused, for it can be read only once") {
  const Folder folder;
  const auto pipe = folder.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << three; });
  TraceOptions options;
  options.path = pipe;
  const auto error = error_of(folder, [&] { read_all(*open_trace(options, Bytes(5 * mib), Bytes(512))); });
  writer.join();
  CHECK(error ==
        "pipe: it has several volumes, and can be read only once, so that they cannot be laid side by side; --volume chooses one, 'tessera "
        "trace merge' makes one of all");
}
