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

TEST_CASE("a name without a file beside it is looked up among the known descriptions, one's own name as well") {
  TemporaryFolder folder;
  const auto common = folder.write("drives/common.toml", "a = 1\nb = 1\n");
  const FindDescription find = [&](const std::string& name) {
    return name == "common" ? std::optional<std::filesystem::path>(common) : std::nullopt;
  };
  const auto mine = folder.write("mine/fast.toml", "extends = \"common\"\nb = 2\n");
  CHECK(TomlDocument::load(mine, find).root().text() == "{a = 1, b = 2}");
  const auto same_name = folder.write("mine/common.toml", "extends = \"common\"\nb = 3\n");
  CHECK(TomlDocument::load(same_name, find).root().text() == "{a = 1, b = 3}");
  const auto over_mine = folder.write("mine/faster.toml", "extends = \"./fast.toml\"\nb = 4\n");
  CHECK(TomlDocument::load(over_mine, find).root().text() == "{a = 1, b = 4}");
}

TEST_CASE("at most 64 descriptions extend one another") {
  TemporaryFolder folder;
  folder.write("d0.toml", "a = 1\n");
  for (int i = 1; i <= 64; ++i) folder.write("d" + std::to_string(i) + ".toml", "extends = \"d" + std::to_string(i - 1) + "\"\n");
  CHECK(TomlDocument::load(folder.path("d63.toml")).files().size() == 64);
  CHECK(load_message(folder.path("d64.toml")) == folder.path("d1.toml").string() + ":1: more than 64 descriptions extend one another");
}

TEST_CASE("nesting is bounded, whatever it is made of, and both sides of the bound are known") {
  const auto key = [](std::size_t parts) {
    std::string text = "a";
    for (std::size_t i = 1; i < parts; ++i) text += i % 2 == 0 ? ".a" : ". \"=#.\"";
    return text;
  };
  const auto message = [](const std::string& toml) { return message_of([&] { (void)TomlDocument::parse(toml, "d"); }); };
  const std::string refused = "tables and arrays are nested more than 64 deep";
  CHECK(message("x = 1\n" + key(65) + " = 1\n").empty());
  CHECK(message("x = 1\n" + key(66) + " = 1\n") == "d:2: " + refused);
  CHECK(message("s = \"\"\"\n...\n\"\"\"\n" + key(100'000) + " = 1\n") == "d:4: " + refused);
  CHECK(message("[" + key(100'000) + "]\n") == "d:1: " + refused);
  CHECK(message("x = " + std::string(64, '[') + std::string(64, ']')).empty());
  CHECK(message("x = " + std::string(65, '[') + std::string(65, ']')) == "d:1: " + refused);
  std::string inline_tables = "x = ";
  for (int i = 0; i < 200; ++i) inline_tables += "{" + key(50) + " = ";
  CHECK(message(inline_tables + "1" + std::string(200, '}')) == "d:1: " + refused);
  CHECK(message("text = \"" + std::string(1'000, '.') + "\" # " + std::string(1'000, '.') + "\n").empty());
  auto document = TomlDocument::parse("", "d");
  CHECK_THAT(message_of([&] { document.set(std::string(100'000, '.') + "a=1"); }), Catch::Contains("expected a dotted path"));
  CHECK_THAT(message_of([&] { document.set("a" + std::string(50'000, 'a') + ".b=1"); }), Catch::Equals(""));
  std::string deep = "a";
  for (int i = 0; i < 50'000; ++i) deep += ".a";
  CHECK_THAT(message_of([&] { document.set(deep + "=1"); }), Catch::Contains("a path of at most 64 parts, found 50001"));
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
  CHECK_THAT(load_message(bad), Catch::StartsWith(bad.string() + ":2: not valid TOML: "));
  const auto twice = folder.write("twice.toml", "a = 1\na = 2\n");
  CHECK_THAT(load_message(twice), Catch::StartsWith(twice.string() + ":2: not valid TOML: "));
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

TEST_CASE("a layer's section goes by the name of an earlier release too, and both at once are refused") {
  TemporaryFolder folder;
  const auto old = folder.write("old.toml", "[layers.static_14r23]\npaper = true\nband_tracks = 4\n");
  const auto above = folder.write("above.toml", "extends = \"old\"\n[layers.shingled_in_place_14r23]\npaper = false\n");
  TomlDocument document = TomlDocument::load(above);
  CHECK(at(document, {"layers", "shingled_in_place_14r23", "paper"}).text() == "false");
  CHECK(at(document, {"layers", "shingled_in_place_14r23", "band_tracks"}).text() == "4");
  document.set("layers.static_14r23.band_tracks=3");
  CHECK(at(document, {"layers", "shingled_in_place_14r23", "band_tracks"}).text() == "3");

  const auto both = folder.write("both.toml", "[layers.shingled_in_place_14r23]\npaper = true\n[layers.static_14r23]\npaper = true\n");
  CHECK(load_message(both) ==
        both.string() + ":3: layers.static_14r23 is called layers.shingled_in_place_14r23 today, and line 1 has that too");
}
