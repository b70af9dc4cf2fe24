#include "platforms/cli/options.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::cli;
using namespace tessera::literals;

namespace {

ParsedCommand parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "tessera-sim");
  return parse(static_cast<int>(arguments.size()), arguments.data());
}

template <class Options>
Options parsed_as(std::vector<const char*> arguments) {
  const ParsedCommand command = parsed(std::move(arguments));
  REQUIRE(std::holds_alternative<Options>(command));
  return std::get<Options>(command);
}

std::string message(std::vector<const char*> arguments) {
  try {
    (void)parsed(std::move(arguments));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A run that is complete but for `more`.
std::vector<const char*> run_with(std::vector<const char*> more) {
  std::vector<const char*> arguments{"run", "common", "--trace", "t.csv", "--out", "results"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("run: everything left out has its documented default") {
  const auto run = parsed_as<RunOptions>(run_with({}));
  CHECK(run.drive == "common");
  CHECK(run.layer.empty());
  REQUIRE(run.trace);
  CHECK(run.trace->file == "t.csv");
  CHECK(run.trace->format.empty());
  CHECK(run.workload.empty());
  CHECK(run.replay.mode == ReplayMode::by_input);
  CHECK(run.time_scale.numerator == 1);
  CHECK(run.time_scale.denominator == 1);
  CHECK_FALSE(run.fold);
  CHECK(run.adapt == AdaptOption::none);
  CHECK(run.skip == 0);
  CHECK_FALSE(run.limit);
  CHECK(run.warmup == 0);
  CHECK(run.prefill_percent == 0);
  CHECK(run.set.empty());
  CHECK_FALSE(run.check);
  CHECK(run.content == ContentOption::none);
  CHECK(run.cut_at.empty());
  CHECK_FALSE(run.requests);
  CHECK_FALSE(run.intervals);
  CHECK_FALSE(run.events);
  CHECK_FALSE(run.record);
  CHECK(run.seed == 1);
  CHECK(run.out == "results");
}

TEST_CASE("run: every option reaches its field") {
  const auto run = parsed_as<RunOptions>(run_with({"--layer",
                                                   "imr-rmw",
                                                   "--format",
                                                   "columns",
                                                   "--volume",
                                                   "web_0",
                                                   "--columns",
                                                   "time,op",
                                                   "--replay",
                                                   "queue:64",
                                                   "--time-scale",
                                                   "2",
                                                   "--time-unit",
                                                   "us",
                                                   "--fold",
                                                   "--adapt",
                                                   "one-sector",
                                                   "--skip",
                                                   "5",
                                                   "--limit",
                                                   "100",
                                                   "--warmup",
                                                   "10",
                                                   "--prefill",
                                                   "75",
                                                   "--set",
                                                   "a.b=1",
                                                   "--set",
                                                   "c.table=[[1,2],[3,4]]",
                                                   "--check",
                                                   "--content",
                                                   "bytes",
                                                   "--cut-at",
                                                   "2 s",
                                                   "--cut-at",
                                                   "1.5s",
                                                   "--requests",
                                                   "--intervals",
                                                   "1 s",
                                                   "--events",
                                                   "--vcd",
                                                   "w.vcd",
                                                   "--record-window",
                                                   "10ms:20ms",
                                                   "--seed",
                                                   "0"}));
  CHECK(run.layer == "imr-rmw");
  CHECK(run.trace->format == "columns");
  CHECK(run.trace->volume == "web_0");
  CHECK(run.trace->columns == "time,op");
  CHECK(run.trace->time_unit == "us");
  CHECK(run.trace->limit == 100u);
  CHECK(run.replay.mode == ReplayMode::queue);
  CHECK(run.replay.depth == 64);
  CHECK(run.time_scale.numerator == 2);
  CHECK(run.fold);
  CHECK(run.adapt == AdaptOption::one_sector);
  CHECK(run.skip == 5);
  CHECK(run.limit == 100u);
  CHECK(run.warmup == 10);
  CHECK(run.prefill_percent == 75);
  CHECK(run.set == std::vector<std::string>{"a.b=1", "c.table=[[1,2],[3,4]]"});
  CHECK(run.check);
  CHECK(run.content == ContentOption::bytes);
  CHECK(run.cut_at == std::vector<Picoseconds>{1500_ms, 2_s});
  CHECK(run.requests);
  CHECK(run.intervals->time == 1_s);
  CHECK(run.events);
  CHECK(run.record->vcd == "w.vcd");
  CHECK(run.record->windows == std::vector{std::pair(10_ms, 20_ms)});
  CHECK(run.record->trigger.empty());
  CHECK(run.seed == 0);
}

TEST_CASE("run: a repeated option takes one value each time, and no positional after it") {
  const auto run = parsed_as<RunOptions>({"run", "--set", "a=1", "common", "--cut-at", "1s", "--workload", "web_server", "--out", "o"});
  CHECK(run.drive == "common");
  CHECK(run.set == std::vector<std::string>{"a=1"});
  CHECK(run.workload == "web_server");
  CHECK_FALSE(run.trace);
}

TEST_CASE("run: a waveform trigger has its default margins, and takes others") {
  const auto whole = parsed_as<RunOptions>(run_with({"--fst", "w.fst", "--timeline", "t.json", "--signals", "media.*,queue",
                                                     "--record-window", "5ms:6ms", "--record-window", "1ms:2ms"}));
  CHECK(whole.record->fst == "w.fst");
  CHECK(whole.record->timeline == "t.json");
  CHECK(whole.record->signals == std::vector<std::string>{"media.*", "queue"});
  CHECK(whole.record->windows == std::vector{std::pair(1_ms, 2_ms), std::pair(5_ms, 6_ms)});
  const auto plain = parsed_as<RunOptions>(run_with({"--vcd", "w.vcd", "--record-trigger", "merge"}));
  CHECK(plain.record->trigger == "merge");
  CHECK(plain.record->windows.empty());
  CHECK(plain.record->before == 1_ms);
  CHECK(plain.record->after == 10_ms);
  const auto wide =
      parsed_as<RunOptions>(run_with({"--vcd", "w", "--record-trigger", "merge", "--record-before", "0 s", "--record-after", "3ms"}));
  CHECK(wide.record->before == 0_ps);
  CHECK(wide.record->after == 3_ms);
}

TEST_CASE("run: --check stores tags where no content is named") {
  CHECK(parsed_as<RunOptions>(run_with({"--check"})).content == ContentOption::tags);
  CHECK(parsed_as<RunOptions>(run_with({"--check", "--content", "bytes"})).content == ContentOption::bytes);
  CHECK(message(run_with({"--check", "--content", "none"})) == "tessera-sim run: --check needs --content tags or bytes");
}

TEST_CASE("a cut at boot+TIME counts from power-on, one at TIME from the start of the replay") {
  const auto run = parsed_as<RunOptions>(
      {"run", "common", "--workload", "w", "--out", "o", "--cut-at", "boot+3ms", "--cut-at", "1s", "--cut-at", "boot+2 ms"});
  CHECK(run.cut_at == std::vector<Picoseconds>{1_s});
  CHECK(run.boot_cuts == std::vector<Picoseconds>{2_ms, 3_ms});
  CHECK(message(run_with({"--cut-at", "boot+5"})).starts_with("--cut-at: expected a time"));
}

TEST_CASE("torture: options that say nothing of the cuts and requests that there are are refused") {
  CHECK(message({"torture", "torture", "--cut-at", "1s", "--cuts", "10"}) ==
        "tessera-sim torture: --cut-at and --cuts exclude each other: give one of them");
  CHECK(message({"torture", "torture", "--limit", "20"}) ==
        "tessera-sim torture: --limit needs --trace or --workload; --operations says how long the workload is that is drawn");
}

TEST_CASE("run: options that do not go together are refused with a sentence") {
  CHECK(message({"run", "common", "--out", "o"}) == "tessera-sim run: expected --trace FILE or --workload NAME");
  CHECK(message(run_with({"--workload", "web"})) == "tessera-sim run: --trace and --workload exclude each other: give one of them");
  CHECK(message({"run", "common", "--workload", "web", "--format", "msr", "--out", "o"}) == "tessera-sim run: --format needs --trace");
  CHECK(message({"run", "common", "--workload", "web", "--volume", "v", "--out", "o"}) == "tessera-sim run: --volume needs --trace");
  CHECK(message(run_with({"--time-scale", "2", "--replay", "closed:4"})) ==
        "tessera-sim run: --time-scale has no times to stretch: --replay closed:N ignores those of the input");
  CHECK(message(run_with({"--vcd", "w", "--record-window", "1ms:2ms", "--record-window", "2ms:3ms"})) ==
        "tessera-sim run: --record-window: two windows touch or overlap");
  CHECK(message(run_with({"--signals", "media.*"})) == "tessera-sim run: --signals needs --vcd, --fst or --timeline");
  CHECK(message(run_with({"--record-window", "1ms:2ms"})) == "tessera-sim run: --record-window needs --vcd, --fst or --timeline");
  CHECK(message(run_with({"--record-trigger", "merge"})) == "tessera-sim run: --record-trigger needs --vcd, --fst or --timeline");
  CHECK(message(run_with({"--vcd", "w", "--record-window", "1ms:2ms", "--record-trigger", "merge"})) ==
        "tessera-sim run: --record-window and --record-trigger exclude each other: give one of them");
  CHECK(message(run_with({"--vcd", "w", "--record-window", "1ms:2ms", "--record-before", "1ms"})) ==
        "tessera-sim run: --record-before needs --record-trigger");
  CHECK(message(run_with({"--cut-at", "1s", "--cut-at", "1000 ms"})) == "tessera-sim run: --cut-at: two cuts at the same time");
}

TEST_CASE("run: what is missing is named") {
  CHECK(message({"run", "--trace", "t", "--out", "o"}) == "tessera-sim run: expected a DRIVE; 'tessera-sim list drives' shows their names");
  CHECK(message({"run", "common", "--trace", "t"}) == "tessera-sim run: expected --out DIR, the folder for the results");
  CHECK(message(run_with({"--layer"})) == "tessera-sim: --layer: expected a value after it");
  CHECK(message(run_with({"--layer", "--check"})) == "tessera-sim run: --layer: expected a value after it, found the option '--check'");
}

TEST_CASE("run: a bad value names its option and what was expected") {
  CHECK(message(run_with({"--prefill", "101"})) == "--prefill: expected a whole number from 0 to 100, found '101'");
  CHECK(message(run_with({"--limit", "0"})) == "--limit: expected a whole number of at least 1, found '0'");
  CHECK(message(run_with({"--adapt", "alig"})) == "--adapt: unknown value 'alig'; did you mean 'align'? known: none, align, one-sector");
  CHECK(message(run_with({"--content", "tag"})) == "--content: unknown value 'tag'; did you mean 'tags'? known: none, tags, bytes");
  CHECK(message(run_with({"--time-unit", "sec"})) == "--time-unit: unknown value 'sec'; did you mean 's'? known: s, ms, us, ns");
  CHECK(message(run_with({"--cut-at", "5"})) == "--cut-at: expected a time such as \"1.3 ms\", found \"5\": the unit is missing");
  CHECK(message(run_with({"--limit", "-5"})) == "--limit: expected a whole number of at least 1, found '-5'");
  CHECK(message(run_with({"--limit", "1", "--limit", "2"})) == "tessera-sim run: --limit was given 2 times, expected once");
  CHECK(message(run_with({"--fold=3"})) == "tessera-sim: --fold takes no value");
}

TEST_CASE("a warm-up that is to be found is the business of two runs") {
  CHECK(message(run_with({"--warmup", "auto"})) ==
        "tessera-sim run: --warmup auto takes two runs, of which the first finds the warm-up (host.steady.from): 'tessera run' makes both");
  CHECK(message(run_with({"--warmup", "20"})).empty());
}

TEST_CASE("a loaded state takes the place of the prefill, and says how much of the drive is prefilled") {
  CHECK(message(run_with({"--load-state", "s", "--prefill", "100"})) ==
        "tessera-sim run: --load-state and --prefill exclude each other: give one of them");
  CHECK(message(run_with({"--load-state", "s", "--fold-prefilled"})).empty());
}

TEST_CASE("addresses fold at a size that the user names, with and without the filled share") {
  CHECK(parsed_as<RunOptions>(run_with({"--fold-at", "58 GiB"})).fold_at == Bytes(std::uint64_t{58} << 30));
  CHECK(parsed_as<RunOptions>(run_with({"--fold-at", "58 GiB"})).fold);
  CHECK(parsed_as<RunOptions>(run_with({"--fold-at", "58 GiB", "--fold-prefilled"})).fold_prefilled);
  CHECK_FALSE(parsed_as<RunOptions>(run_with({"--fold"})).fold_at);
  CHECK(message(run_with({"--fold-at", "0 B"})) == "--fold-at: expected a size above 0, found '0 B'");
  CHECK_THAT(message(run_with({"--fold-at", "2 s"})), Catch::StartsWith("--fold-at: "));
}

TEST_CASE("a misspelt option or command names the nearest one") {
  CHECK(message(run_with({"--workloadd", "web"})) == "tessera-sim run: unknown option '--workloadd'; did you mean '--workload'?");
  CHECK(message(run_with({"--time-scal=2"})) == "tessera-sim run: unknown option '--time-scal'; did you mean '--time-scale'?");
  CHECK(
      message({"check", "common", "--layr", "cmr"}) ==
      "tessera-sim check: unknown option '--layr'; did you mean '--layer'? known: --help, --layer, --firmware, --firmware-patience, --elf, "
      "--firmware-digest, --set, --capacity, --load-state, --trace, --format, --event, --volume, --columns, --time-unit, --sort, --spread, "
      "--arrival, --limit");
  CHECK(message({"rnu", "common"}) ==
        "tessera-sim: unknown command 'rnu'; did you mean 'run'? known: run, torture, array, serve, explain, describe, probe, "
        "convert, "
        "list, "
        "check");
  CHECK(message({"--versoin"}) == "tessera-sim: unknown option '--versoin'; did you mean '--version'? known: --help, --version");
  CHECK(message(run_with({"surplus"})) == "tessera-sim run: unexpected argument 'surplus'");
}

TEST_CASE("an unknown word in front of a command is refused as a command") {
  CHECK_THAT(message({"xplain", "check"}), Catch::StartsWith("tessera-sim: unknown command 'xplain'"));
}

TEST_CASE("explain takes a run and the number of a request") {
  const auto explain = parsed_as<ExplainOptions>({"explain", "run", "1207"});  // a folder may have a command's name
  CHECK(explain.run == "run");
  CHECK(explain.request == 1207);
  CHECK(message({"explain", "results"}) == "tessera-sim explain: expected N, the number of a request");
  CHECK(message({"explain", "results", "x"}) == "N: expected a whole number of at least 0, found 'x'");
}

TEST_CASE("describe takes what tells how a trace is read") {
  const auto plain = parsed_as<DescribeOptions>({"describe", "web_3.csv.xz"});
  CHECK(plain.trace.file == "web_3.csv.xz");
  CHECK_FALSE(plain.json);
  CHECK_FALSE(plain.trace.limit);
  const auto full = parsed_as<DescribeOptions>(
      {"describe", "t", "--format", "columns", "--volume", "v", "--columns", "time,op", "--time-unit", "us", "--limit", "7", "--json"});
  CHECK(full.trace.format == "columns");
  CHECK(full.trace.volume == "v");
  CHECK(full.trace.columns == "time,op");
  CHECK(full.trace.time_unit == "us");
  CHECK(full.trace.limit == 7u);
  CHECK(full.json);
  CHECK(message({"describe"}) == "tessera-sim describe: expected TRACE, the file of a block trace");
}

TEST_CASE("probe takes a trace, and --sort the whole of one") {
  CHECK(parsed_as<ProbeOptions>({"probe", "t.csv"}).file == "t.csv");
  CHECK(message({"probe"}) == "tessera-sim probe: expected TRACE, the file of a block trace");
  CHECK(parsed_as<DescribeOptions>({"describe", "t", "--sort", "all"}).trace.sort_all);
  CHECK(message({"describe", "t", "--sort", "0 s"}) ==
        "tessera-sim describe: --sort 0: expected a time or a number of records above 0, or all");
}

TEST_CASE("percentiles are numbers between 0 and 100, in any order and each once") {
  const auto run = parsed_as<RunOptions>({"run", "common", "--workload", "w", "--out", "o", "--percentiles", "99.90,50,99.99,0.5"});
  CHECK(run.percentiles == std::vector<Percentile>{{"0.5", 0.005}, {"50", 0.5}, {"99.9", 0.999}, {"99.99", 0.9999}});
  CHECK(run.percentiles[0].suffix() == "p0_5");
  CHECK(run.percentiles[1].suffix() == "p50");
  CHECK(run.percentiles[2].suffix() == "p999");
  CHECK(run.percentiles[3].suffix() == "p99_99");
  const auto refused = [](const char* list) { return message({"run", "common", "--workload", "w", "--out", "o", "--percentiles", list}); };
  for (const char* wrong : {"100", "0", "-1", "x", "50,,99", "50,", "1e1", "100.5", "99.", "050"})
    CHECK_THAT(
        refused(wrong),
        Catch::StartsWith("--percentiles: expected numbers above 0 and below 100 with commas between them, such as 50,99,99.99, found '"));
  CHECK(refused("99,50,99.0") == "--percentiles: 99 is named twice");
  CHECK(message({"serve", "common", "--nbd", "1", "--percentiles", "50"}) == "tessera-sim serve: --percentiles needs --out");
}

TEST_CASE("convert takes a trace as describe does and the file to write") {
  const auto convert = parsed_as<ConvertOptions>({"convert", "t.csv", "--volume", "v", "--out", "t.npy"});
  CHECK(convert.trace.file == "t.csv");
  CHECK(convert.trace.volume == "v");
  CHECK(convert.out == "t.npy");
  CHECK(message({"convert", "t.csv"}) == "tessera-sim convert: expected --out FILE, the file to write");
  CHECK(convert.to == ConvertForm::npy);
  CHECK(parsed_as<ConvertOptions>({"convert", "t.csv", "--out", "t.fio", "--to", "fio2"}).to == ConvertForm::fio2);
}

TEST_CASE("list knows its subjects and which options belong to which") {
  CHECK(parsed_as<ListOptions>({"list", "drives"}).subject == ListSubject::drives);
  CHECK(parsed_as<ListOptions>({"list", "formats", "--json"}).format == ListFormat::json);
  const auto parameters = parsed_as<ListOptions>({"list", "parameters", "common", "--schema"});
  CHECK(parameters.subject == ListSubject::parameters);
  CHECK(parameters.drive == "common");
  CHECK(parameters.format == ListFormat::schema);
  CHECK(parsed_as<ListOptions>({"list", "parameters", "--markdown"}).format == ListFormat::markdown);
  CHECK(parsed_as<ListOptions>({"list", "parameters", "--arrays"}).arrays);
  CHECK(message({"list", "arrays", "--arrays"}) == "tessera-sim list: --arrays belongs to 'list parameters'");
  CHECK(message({"list"}) == "tessera-sim list: expected one of drives, layers, workloads, arrays, formats, parameters");
  CHECK(message({"list", "drive"}) ==
        "WHAT: unknown value 'drive'; did you mean 'drives'? known: drives, layers, workloads, arrays, formats, parameters");
  CHECK(message({"list", "drives", "common"}) == "tessera-sim list: DRIVE belongs to 'list parameters'");
  CHECK(message({"list", "layers", "--schema"}) == "tessera-sim list: --schema belongs to 'list parameters'");
  CHECK(message({"list", "parameters", "--json", "--schema"}) ==
        "tessera-sim list: --json and --schema exclude each other: give one of them");
}

TEST_CASE("check takes a drive, a layer and overrides") {
  const auto check = parsed_as<CheckOptions>({"check", "./mine.toml", "--layer", "cmr", "--set", "a=1", "--set", "b=2"});
  CHECK(check.drive == "./mine.toml");
  CHECK(check.layer == "cmr");
  CHECK(check.set == std::vector<std::string>{"a=1", "b=2"});
  CHECK_FALSE(check.capacity);
  CHECK(parsed_as<CheckOptions>({"check", "common", "--capacity"}).capacity);
  CHECK(message({"check", "common", "--capacity", "--load-state", "s"}) ==
        "tessera-sim check: --capacity and --load-state exclude each other: give one of them");
  CHECK_FALSE(check.trace);
  CHECK(parsed_as<CheckOptions>({"check", "common", "--trace", "t.csv", "--format", "msr"}).trace->format == "msr");
  const auto format = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"describe", "t"});
    return parsed_as<DescribeOptions>(words).trace.format;
  };
  CHECK(format({"--event", "issue"}) == ":issue");
  CHECK(format({"--event", "issue", "--format", "blkparse"}) == "blkparse:issue");
  CHECK(format({"--event", "issue", "--format", "blkparse:%a %T.%t %S %n"}) == "blkparse:issue,%a %T.%t %S %n");
  CHECK(message({"describe", "t", "--event", "issue", "--format", "ftrace:queue"}) ==
        "tessera-sim describe: --event issue and --format ftrace:queue both say what to read");
  CHECK(message({"check", "common", "--format", "msr"}) == "tessera-sim check: --format needs --trace");
  CHECK(message({"check"}) == "tessera-sim check: expected a DRIVE; 'tessera-sim list drives' shows their names");
}

TEST_CASE("help and version go to standard output, help without a command is an error") {
  const auto help = parsed_as<PrintText>({"--help"});
  CHECK(help.status == 0);
  for (const char* command : {"run", "explain", "describe", "convert", "list", "check"}) {
    CHECK_THAT(help.text, Catch::Contains(command));
    const auto of_command = parsed_as<PrintText>({command, "--help"});
    CHECK(of_command.status == 0);
    CHECK_THAT(of_command.text, Catch::Contains("Example"));
    CHECK_THAT(of_command.text, Catch::Contains(std::string("Usage: tessera-sim ") + command + " "));
  }
  const auto version = parsed_as<PrintText>({"--version"});
  CHECK(version.status == 0);
  CHECK(version.text == "tessera-sim " TESSERA_VERSION "\n");
  const auto nothing = parsed_as<PrintText>({});
  CHECK(nothing.status == 2);
  CHECK(nothing.text == help.text);
}
