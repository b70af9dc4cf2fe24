#include <unistd.h>

#include <catch2/catch.hpp>
#include <set>

#include "base/error.hpp"
#include "platforms/output/apart.hpp"
#include "platforms/output/event_log.hpp"
#include "platforms/output/output_file.hpp"
#include "platforms/output/run_folder.hpp"
#include "scratch.hpp"

using namespace tessera;
using namespace tessera::literals;
using Catch::Contains;

TEST_CASE("a file holds what was appended, streamed and overwritten, across its buffer") {
  const test::Scratch scratch;
  OutputFile file(scratch / "a");
  file.append("head");
  const std::string long_text(200'000, 'x');
  file.append(long_text);
  file.stream() << "tail" << 42;
  file.overwrite(1, "EA");
  file.close();
  CHECK(test::contents(scratch / "a") == "hEAd" + long_text + "tail42");
}

TEST_CASE("a full disk is reported with path and cause when the file is closed, and seen by failed() before") {
  OutputFile file("/dev/full");
  file.append(std::string(200'000, 'x'));
  CHECK(file.failed());
  CHECK_THROWS_WITH(file.close(), "cannot write '/dev/full': No space left on device");
}

TEST_CASE("a full disk is reported even if the last bytes meet it") {
  OutputFile file("/dev/full");
  file.append("x");
  CHECK_FALSE(file.failed());
  CHECK_THROWS_AS(file.close(), OutputError);
}

TEST_CASE("a file that cannot be created names path and cause") {
  const test::Scratch scratch;
  CHECK_THROWS_WITH(OutputFile(scratch / "missing" / "a"),
                    Contains("cannot create '") && Contains("missing/a': No such file or directory"));
}

TEST_CASE("a run folder is made with its parents and left empty") {
  const test::Scratch scratch;
  {
    RunFolder folder(scratch / "a" / "b");
    folder.begin();
    folder.write("note.txt", "hello\n", Keep::record);
    CHECK(test::contents(folder.file("note.txt")) == "hello\n");
    std::filesystem::remove(folder.file("note.txt"));
  }
  CHECK(std::filesystem::is_empty(scratch / "a" / "b"));  // without the lock, too
}

TEST_CASE("of a run that never began nothing stays but what was there before") {
  const test::Scratch scratch;
  { RunFolder(scratch / "new" / "a").write("run.json", "{}", Keep::record); }
  CHECK_FALSE(std::filesystem::exists(scratch / "new" / "a"));
  std::filesystem::create_directory(scratch / "old");
  test::write(scratch / "old" / "drive.toml", "mine");
  {
    const RunFolder folder(scratch / "old");
    folder.write("run.toml", "[]", Keep::record);
  }
  CHECK(test::contents(scratch / "old" / "drive.toml") == "mine");
  CHECK(std::distance(std::filesystem::directory_iterator(scratch / "old"), {}) == 1);
}

TEST_CASE("a run folder belongs to one writer at a time, and its lock to a writer that lives") {
  const test::Scratch scratch;
  {
    const RunFolder folder(scratch / "a");
    CHECK_THROWS_WITH(RunFolder(scratch / "a"),
                      Contains("a: process " + std::to_string(::getpid()) + " on ") && Contains(" writes its results into this folder"));
    CHECK(std::filesystem::exists(scratch / "a" / ".lock"));
  }
  test::write(scratch / "a" / ".lock", "7 on a machine that lost its power\n");
  CHECK_NOTHROW(RunFolder(scratch / "a"));
}

TEST_CASE("a file has one writer at a time") {
  const test::Scratch scratch;
  OutputFile first(scratch / "a");
  first.append("first");
  CHECK_THROWS_WITH(OutputFile(scratch / "a"), Contains("a: another process is writing this file"));
  first.close();
  OutputFile second(scratch / "a");
  CHECK(test::contents(scratch / "a") == "first");
  second.append("second");
  second.close();
  CHECK(test::contents(scratch / "a") == "second");
}

TEST_CASE("a file behind a symbolic link is replaced, and the link stays") {
  const test::Scratch scratch;
  test::write(scratch / "target", "old");
  std::filesystem::create_symlink("target", scratch / "link");
  OutputFile file(scratch / "link");
  file.append("new");
  CHECK(test::contents(scratch / "target") == "old");
  file.close();
  CHECK(std::filesystem::is_symlink(scratch / "link"));
  CHECK(test::contents(scratch / "target") == "new");
}

TEST_CASE("what standard output goes to is never replaced, file or not") {
  for (const char* name : {"/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/2", "/dev/./stdout"}) CHECK_FALSE(replaceable(name));
  CHECK_FALSE(replaceable("/dev/null"));
}

TEST_CASE("two outputs that are one file are refused, by path and by what is there") {
  const test::Scratch scratch;
  test::write(scratch / "t", "trace");
  std::filesystem::create_hard_link(scratch / "t", scratch / "hard");
  std::filesystem::create_symlink("t", scratch / "soft");
  std::filesystem::create_directory(scratch / "sub");
  const auto apart = [&](const std::string& a, const std::string& b) { require_apart({{"--a", scratch / a}, {"--b", scratch / b}}, {}); };
  const auto keeps = [&](const std::string& output) { require_apart({{"--a", scratch / output}}, {{"the trace", scratch / "t"}}); };
  CHECK_NOTHROW(apart("x", "y"));
  CHECK_THROWS_WITH(apart("x", "x"),
                    Contains("--b ") && Contains("x and --a ") && Contains("x are one file: give each output a file of its own"));
  CHECK_THROWS_AS(apart("x", "sub/../x"), InputError);
  CHECK_THROWS_AS(apart("x", "x.partial"), InputError);
  CHECK_THROWS_AS(apart("t", "hard"), InputError);
  CHECK_NOTHROW(keeps("x"));
  for (const char* name : {"t", "./sub/../t", "hard", "soft"})
    CHECK_THROWS_WITH(keeps(name), Contains("--a ") && Contains(" would overwrite the trace "));
  CHECK_NOTHROW(require_apart({{"--a", "/dev/null"}, {"--b", "/dev/null"}}, {{"the trace", "/dev/null"}}));
}

TEST_CASE("a run folder that exists already is used again") {
  const test::Scratch scratch;
  RunFolder(scratch / "a").write("x", "1", Keep::result);
  RunFolder(scratch / "a").write("x", "2", Keep::result);
  CHECK(test::contents(scratch / "a" / "x") == "2");
}

TEST_CASE("a file has its name only once it is closed") {
  const test::Scratch scratch;
  OutputFile file(scratch / "a");
  file.append("x");
  CHECK_FALSE(std::filesystem::exists(scratch / "a"));
  file.close();
  CHECK(test::contents(scratch / "a") == "x");
  CHECK_FALSE(std::filesystem::exists(partial_name(scratch / "a")));
}

TEST_CASE("a run folder forgets the results of an earlier run, whole or not, and nothing else") {
  const test::Scratch scratch;
  for (const char* name : {"summary.json", "requests.npy", "events.csv.partial", "drive.toml", "notes of the user"})
    test::write(scratch / name, "1");
  RunFolder(scratch / ".");
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(scratch / ".")) left.insert(entry.path().filename().string());
  CHECK(left == std::set<std::string>{"drive.toml", "notes of the user"});
}

TEST_CASE("an output folder that cannot be made or written to is an error with path and cause") {
  const test::Scratch scratch;
  OutputFile(scratch / "file").close();
  CHECK_THROWS_WITH(RunFolder(scratch / "file" / "run"), Contains("cannot create folder '") && Contains("Not a directory"));
  // Not even the super-user writes to /proc, where a folder's mode would not stop it.
  CHECK_THROWS_WITH(RunFolder("/proc"), Contains("cannot create '/proc/.lock'"));
}

TEST_CASE("events are lines of time, kind, edge, subject and amount") {
  const test::Scratch scratch;
  EventLog log(scratch / "events.csv");
  log.record(5_ns, {"rmw", FirmwareEvent::Edge::begin, 17, 8});
  log.record(9_us, {"rmw", FirmwareEvent::Edge::end, 17, 8});
  log.record(1_ms, {"cut", FirmwareEvent::Edge::instant, 0, 0});
  log.close();
  CHECK(test::contents(scratch / "events.csv") ==
        "time_ps,kind,edge,subject,amount\n5000,rmw,begin,17,8\n9000000,rmw,end,17,8\n1000000000,cut,instant,0,0\n");
}
