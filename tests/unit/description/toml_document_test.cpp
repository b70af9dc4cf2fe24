#include "platforms/description/toml_document.hpp"

#include <catch2/catch.hpp>

#include "support/message.hpp"

using namespace tessera;
using tessera::test::message_of;
using tessera::test::TemporaryFolder;

namespace {

const DescriptionValue& at(const TomlDocument& document, std::initializer_list<std::string_view> path) {
  const DescriptionValue* value = &document.root();
  for (const auto name : path) {
    value = value->find(name);
    REQUIRE(value != nullptr);
  }
  return *value;
}

std::string load_message(const std::filesystem::path& file) {
  return message_of([&] { (void)TomlDocument::load(file); });
}

}  // namespace

TEST_CASE("an extending file replaces single keys and keeps the others, each with its own file and line") {
  TemporaryFolder folder;
  const auto base = folder.write("base.toml", "summary = \"base\"\n[media]\nrpm = \"7200 rpm\"\nheads = 4\ntable = [[1, 2], [3, 4]]\n");
  const auto top = folder.write("top.toml", "extends = \"base\"\n\n[media]\nheads = 8\ntable = [[5, 6]]\n[nand]\ndies = 2\n");
  const TomlDocument document = TomlDocument::load(top);

  CHECK(document.summary() == "base");
  CHECK(document.root().find("extends") == nullptr);
  CHECK(at(document, {"media", "rpm"}).text() == "\"7200 rpm\"");
  CHECK(at(document, {"media", "rpm"}).place.file == base.string());
  CHECK(at(document, {"media", "rpm"}).place.line == 3);
  CHECK(at(document, {"media", "heads"}).text() == "8");
  CHECK(at(document, {"media", "heads"}).place.file == top.string());
  CHECK(at(document, {"media", "heads"}).place.line == 4);
  CHECK(at(document, {"media", "table"}).text() == "[[5, 6]]");
  CHECK(at(document, {"nand", "dies"}).place.line == 7);
  CHECK(document.files() == std::vector<std::filesystem::path>{top, base});
}

TEST_CASE("extends takes a relative path and goes over several files") {
  TemporaryFolder folder;
  folder.write("shared/root.toml", "a = 1\nb = 1\nc = 1\n");
  folder.write("shared/middle.toml", "extends = \"root\"\nb = 2\nc = 2\n");
  const auto top = folder.write("mine/top.toml", "extends = \"../shared/middle.toml\"\nc = 3\n");
  const TomlDocument document = TomlDocument::load(top);
  CHECK(document.root().find("a")->text() == "1");
  CHECK(document.root().find("b")->text() == "2");
  CHECK(document.root().find("c")->text() == "3");
}

TEST_CASE("a circle of extends is shown whole, at the line that closes it") {
  TemporaryFolder folder;
  const auto a = folder.write("a.toml", "extends = \"b\"\n");
  folder.write("b.toml", "# comment\nextends = \"c\"\n");
  const auto c = folder.write("c.toml", "\n\nextends = \"b\"\n");
  CHECK(load_message(a) == c.string() + ":3: extends goes in a circle: b.toml -> c.toml -> b.toml");
  const auto self = folder.write("self.toml", "extends = \"self\"\n");
  CHECK(load_message(self) == self.string() + ":1: extends goes in a circle: self.toml -> self.toml");
}

TEST_CASE("a missing extended file names the line and the nearest file") {
  TemporaryFolder folder;
  folder.write("common.toml", "");
  const auto top = folder.write("top.toml", "summary = \"x\"\nextends = \"comon\"\n");
  CHECK(load_message(top) == top.string() + ":2: extends: there is no file " + folder.path("comon.toml").string() +
                                 "; unknown description 'comon'; did you mean 'common'? known: common");
  const auto number = folder.write("number.toml", "extends = 7\n");
  CHECK(load_message(number) == number.string() + ":1: extends: expected the name of a description, found 7");
}

TEST_CASE("a file that is missing, a folder or not TOML is an error with its name") {
  TemporaryFolder folder;
  CHECK(load_message(folder.path("none.toml")) == folder.path("none.toml").string() + ": no such file");
  CHECK(load_message(folder.path("")) == folder.path("").string() + ": expected a file, found a folder");
  const auto bad = folder.write("bad.toml", "a = 1\nb = = 2\n");
  CHECK_THAT(load_message(bad), Catch::Matchers::StartsWith(bad.string() + ":2: not valid TOML: "));
  const auto twice = folder.write("twice.toml", "a = 1\na = 2\n");
  CHECK_THAT(load_message(twice), Catch::Matchers::StartsWith(twice.string() + ":2: not valid TOML: "));
  const auto date = folder.write("date.toml", "\nd = 2020-01-01\n");
  CHECK(load_message(date) == date.string() + ":2: expected a number, a text, a table or an array, found a date or time");
}

TEST_CASE("an empty file is a description that says nothing") {
  TemporaryFolder folder;
  const TomlDocument document = TomlDocument::load(folder.write("empty.toml", ""));
  CHECK(document.root().text() == "{}");
  CHECK(document.summary().empty());
}

TEST_CASE("a summary that is no text is refused") {
  const auto document = TomlDocument::parse("\nsummary = 7", "drive.toml");
  CHECK(message_of([&] { (void)document.summary(); }) == "drive.toml:2: summary: expected one line of text, found 7");
}

TEST_CASE("CRLF line ends and a missing last newline change nothing") {
  const auto document = TomlDocument::parse("a = 1\r\n[s]\r\nb = \"x\"", "crlf.toml");
  CHECK(at(document, {"s", "b"}).text() == "\"x\"");
  CHECK(at(document, {"s", "b"}).place.line == 3);
}

TEST_CASE("an override takes TOML values, bare words and bare quantities") {
  auto document = TomlDocument::parse("[nand]\nread = \"50 us\"\ndies = 4\n", "drive.toml");
  document.set("nand.read=0.1 ms");
  document.set("nand.dies=16");
  document.set("media.timing=expected");
  document.set("media.cache=true");
  document.set("media.skew=0.5");
  document.set("media.name=\"7\"");
  document.set("media.table=[[0, 1.5], [10, 2]]");
  document.set("media.odd=1 # 2");
  document.set("media.day=2020-01-01");
  CHECK(at(document, {"nand", "read"}).text() == "\"0.1 ms\"");
  CHECK(at(document, {"nand", "dies"}).text() == "16");
  CHECK(at(document, {"media", "timing"}).text() == "\"expected\"");
  CHECK(at(document, {"media", "cache"}).text() == "true");
  CHECK(at(document, {"media", "skew"}).text() == "0.5");
  CHECK(at(document, {"media", "name"}).text() == "\"7\"");
  CHECK(at(document, {"media", "table"}).text() == "[[0, 1.5], [10, 2]]");
  CHECK(at(document, {"media", "odd"}).text() == "\"1 # 2\"");
  CHECK(at(document, {"media", "day"}).text() == "\"2020-01-01\"");
  CHECK(at(document, {"nand", "read"}).place.file == "--set nand.read=0.1 ms");
  CHECK(at(document, {"nand", "read"}).place.line == 0);
  document.set("nand.read=7 us");
  CHECK(at(document, {"nand", "read"}).text() == "\"7 us\"");
}

TEST_CASE("a bad override names the option") {
  auto document = TomlDocument::parse("[media]\nrpm = \"7200 rpm\"\n", "drive.toml");
  const auto set = [&](std::string_view text) { return message_of([&] { document.set(text); }); };
  CHECK(set("media.rpm") == "--set media.rpm: expected path=value, such as media.rpm=\"7200 rpm\"");
  CHECK(set("media.rpm=") == "--set media.rpm=: expected a value after the '='");
  CHECK(set("=7") == "--set =7: expected a dotted path such as media.rpm before the '=', found ''");
  CHECK(set("media..rpm=7") == "--set media..rpm=7: expected a dotted path such as media.rpm before the '=', found 'media..rpm'");
  CHECK(set("media.=7") == "--set media.=7: expected a dotted path such as media.rpm before the '=', found 'media.'");
  CHECK(set("media.table=[1, 2") ==
        "--set media.table=[1, 2: expected a value in TOML, such as \"text\" or [[0, 1.5], [100, 3.0]], found [1, 2");
  CHECK(set("media.rpm.fast=1") == "--set media.rpm.fast=1: 'fast' cannot be set inside \"7200 rpm\", which is no section (drive.toml:2)");
  CHECK(set("extends=other") == "--set extends=other: expected a parameter, but extends belongs to the file");
}

TEST_CASE("text is quoted so that TOML reads it back") {
  const std::string odd = "a \"quoted\" back\\slash\ttab\nline \x7f \u00b5";
  const auto document = TomlDocument::parse("a = " + toml_quoted(odd), "quoted.toml");
  CHECK(std::get<std::string>(document.root().find("a")->data) == odd);
}
