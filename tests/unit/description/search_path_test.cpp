#include "platforms/description/search_path.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>

#include "support/message.hpp"

using namespace tessera;
using tessera::test::message_of;
using tessera::test::TemporaryFolder;

TEST_CASE("a name is looked up in the roots in order, in both layouts") {
  TemporaryFolder folder;
  const auto mine = folder.write("home/drives/common.toml", "summary = \"mine\"");
  folder.write("source/platforms/drives/common.toml", "summary = \"theirs\"");
  const auto p000 = folder.write("source/platforms/drives/p000.toml", "summary = \"zeroth\"");
  folder.write("source/platforms/drives/notes.txt", "");
  const auto web = folder.write("source/stimuli/workloads/web.toml", "");
  const SearchPath search({folder.path("home"), folder.path("nowhere"), folder.path("source")});

  CHECK(search.find(DescriptionFile::drive, "common") == mine);
  CHECK(search.find(DescriptionFile::drive, "p000") == p000);
  CHECK(search.find(DescriptionFile::workload, "web") == web);

  const auto drives = search.list(DescriptionFile::drive);
  REQUIRE(drives.size() == 2);
  CHECK(drives[0].name == "common");
  CHECK(drives[0].summary == "mine");
  CHECK(drives[1].name == "p000");
  CHECK(drives[1].summary == "zeroth");
}

TEST_CASE("a slash or .toml makes a path of it") {
  TemporaryFolder folder;
  const auto file = folder.write("own.toml", "");
  const SearchPath search({});
  CHECK(search.find(DescriptionFile::drive, file.string()) == file);
  CHECK(message_of([&] { (void)search.find(DescriptionFile::drive, "./absent"); }) == "./absent: no such drive file");
  CHECK(message_of([&] { (void)search.find(DescriptionFile::workload, "absent.toml"); }) == "absent.toml: no such workload file");
}

TEST_CASE("a workload of a paper has that in its name, and is found without it where no other has the rest") {
  TemporaryFolder folder;
  const auto web = folder.write("workloads/papers/web.toml", "");
  const auto more = folder.write("workloads/papers/more.toml", "extends = \"web\"");
  const SearchPath search({folder.path("")});
  const auto listed = search.list(DescriptionFile::workload);
  REQUIRE(listed.size() == 2);
  CHECK(listed[1].name == "papers/web");
  CHECK(search.find(DescriptionFile::workload, "papers/web") == web);
  CHECK(search.find(DescriptionFile::workload, "web") == web);
  CHECK(search.find(DescriptionFile::workload, "more") == more);
  const auto own = folder.write("workloads/web.toml", "");
  CHECK(search.find(DescriptionFile::workload, "web") == own);
  CHECK(search.find(DescriptionFile::workload, "papers/web") == web);
  CHECK(message_of([&] { (void)search.find(DescriptionFile::workload, "papers/absent"); }) == "papers/absent: no such workload file");
}

TEST_CASE("names of earlier releases are found, and a hyphen is an underscore") {
  TemporaryFolder folder;
  const auto paper = folder.write("drives/mu-rmw-paper.toml", "");
  const auto large = folder.write("drives/imr-20tb.toml", "");
  const auto own = folder.write("drives/mine.toml", "extends = \"p000\"");
  const SearchPath search({folder.path("")});
  CHECK(search.find(DescriptionFile::drive, "p000") == paper);
  CHECK(search.find(DescriptionFile::drive, "imr_20tb") == large);
  CHECK(search.load(DescriptionFile::drive, "mine").files() == std::vector<std::filesystem::path>{own, paper});
  const auto exact = folder.write("drives/p000.toml", "");
  CHECK(search.find(DescriptionFile::drive, "p000") == exact);
}

TEST_CASE("an unknown name says the nearest one and where it was looked for") {
  TemporaryFolder folder;
  folder.write("drives/common.toml", "not = = toml");  // looking up another name does not read it
  const SearchPath search({folder.path("")});
  CHECK(message_of([&] { (void)search.find(DescriptionFile::drive, "comon"); }) ==
        "unknown drive 'comon'; did you mean 'common'? known: common; searched: " + folder.path("drives").string());
}

TEST_CASE("a summary is found through extends") {
  TemporaryFolder folder;
  folder.write("drives/a.toml", "summary = \"of a\"");
  folder.write("drives/b.toml", "extends = \"a\"");
  CHECK(SearchPath({folder.path("")}).list(DescriptionFile::drive).at(1).summary == "of a");
}

TEST_CASE("TESSERA_HOME comes before the installation beside the executable") {
  TemporaryFolder folder;
  const auto executable = folder.write("prefix/bin/tessera-sim", "");
  const auto installed = folder.write("prefix/share/tessera/drives/unusual.toml", "");
  const auto home = folder.write("home/drives/unusual.toml", "");
  unsetenv("TESSERA_HOME");
  CHECK(SearchPath::standard(executable).find(DescriptionFile::drive, "unusual") == installed);
  setenv("TESSERA_HOME", folder.path("home").c_str(), 1);
  CHECK(SearchPath::standard(executable).find(DescriptionFile::drive, "unusual") == home);
  unsetenv("TESSERA_HOME");
}
