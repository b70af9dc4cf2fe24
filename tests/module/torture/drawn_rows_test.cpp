#include "platforms/torture/drawn_rows.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "platforms/torture/combined_process.hpp"
#include "platforms/torture/combined_report.hpp"

using namespace tessera;

namespace {

const std::filesystem::path torture_drive = std::filesystem::path(TESSERA_DRIVES) / "torture.toml";

CombinedDraw draw_of(const std::string& layer, std::uint64_t draw) {
  return {torture_drive.string(),
          7,
          {layer},
          {},
          [](const auto& set, const std::string& of) { return load_drive(torture_drive, set, of); },
          can_be_made,
          draw};
}

std::vector<Parameter> parameters() {
  DriveConfig drive = load_drive(torture_drive, {}, "mu-rmw");
  ParameterCollector collector;
  drive.describe(collector);
  return collector.parameters();
}

}  // namespace

TEST_CASE("each class of a parameter's values has others than its own, in its range") {
  const std::vector<Parameter> all = parameters();
  RandomStream random(1, "classes");
  std::size_t classes = 0;
  for (const Parameter* parameter : drawn_for(all, "mu-rmw")) {
    std::set<std::string> fixed;
    for (const DrawnClass& one : classes_of(*parameter)) {
      ++classes;
      const std::string word = parameter->path() + "=" + value_of(*parameter, one, random);
      INFO(word << " for " << parameter->value);
      CHECK((one.fixed.empty() || fixed.insert(one.fixed).second));
      CHECK(word != parameter->path() + "=" + parameter->value);
      if (parameter->kind == ParameterKind::real) CHECK(std::stod(word.substr(word.find('=') + 1)) != std::stod(parameter->value));
      try {
        static_cast<void>(load_drive(torture_drive, {word}, "mu-rmw"));
      } catch (const InputError& error) {  // values that contradict each other
        INFO(error.what());
        CHECK(std::string(error.what()).find(parameter->path() + ": expected") == std::string::npos);
      }
    }
    CHECK((parameter->kind == ParameterKind::choice || !classes_of(*parameter).empty()));
  }
  CHECK(classes > 1000);
}

TEST_CASE("a run has what its layer takes of its row, and does not depend on the runs in front of it") {
  CombinedDraw walked = draw_of("mu-rmw", first_draw_of_rows);
  CombinedDraw jumped = draw_of("mu-rmw", first_draw_of_rows);
  const std::vector<std::string> late = jumped.draw(24).run.options.set;
  std::size_t many = 0;
  std::size_t left_out = 0;
  for (std::uint64_t number = 0; number <= 24; ++number) {
    const CombinedRun run = walked.draw(number).run;
    RandomStream values(7, "values");
    const DrawnRows::Asked asked = walked.rows_of("mu-rmw")->asked(number, values);
    std::set<std::string> paths;
    for (const DrawnRows::Word& word : asked.words) paths.insert(word.path());
    for (const std::string& word : run.parameters) CHECK(paths.contains(word.substr(0, word.find('='))));
    for (const std::uint32_t item : run.met) CHECK(item < walked.rows_of("mu-rmw")->rows().items());
    many += run.parameters.size();
    left_out += asked.words.size() - run.parameters.size();
    if (number == 24) CHECK(run.options.set == late);
  }
  CHECK(many > std::size_t{25} * 10);
  CHECK(left_out > 0);
  CHECK(left_out < many / 2);
}

TEST_CASE(
    "kinds of faults, durability, fill and depth that a row asks for are drawn, and a plain run has neither faults nor kinds of them") {
  CombinedDraw disturbed = draw_of("cmr", first_draw_of_rows);
  std::size_t asked_for = 0;
  std::size_t drawn = 0;
  std::size_t had_fill = 0;  // runs
  for (std::uint64_t number = 0; number < 30; ++number) {
    const CombinedRun run = disturbed.draw(number).run;
    RandomStream values(7, "values");
    const DrawnRows::Asked asked = disturbed.rows_of("cmr")->asked(number, values);
    for (const std::string& kind : asked.kinds) drawn += std::ranges::find(run.faults, kind) != run.faults.end() ? 1 : 0;
    asked_for += asked.kinds.size();
    had_fill += !asked.prefill_percent || run.options.prefill_percent == *asked.prefill_percent ? 1 : 0;
  }
  CHECK(had_fill >= 27);
  CHECK(asked_for > 10);
  CHECK(drawn >= asked_for * 9 / 10);  // a kind may exclude what else is drawn
  CombinedDraw plain = draw_of("cmr", plain_draw);
  for (std::uint64_t number = 0; number < 30; ++number) CHECK_FALSE(plain.draw(number).drive.asks_for_faults());
}

TEST_CASE("draws without rows have none") {
  CombinedDraw old = draw_of("cmr", first_draw_of_rows - 1);
  CHECK(old.rows_of("cmr") == nullptr);
  CHECK(old.draw(3).run.met.empty());
}

TEST_CASE("pairs that runs had count once, those of a layer's own apart, and those of refused runs not") {
  CoveringRows rows({{2, true}, {1}, {2}}, RandomStream(1, "rows"));  // items 0, 1; 2; 3, 4
  CombinedReport report;
  const auto had = [&](std::vector<std::uint32_t> items, Finding::Outcome outcome) {
    CombinedResult result;
    result.layer = "cmr";
    result.met = std::move(items);
    result.outcome = outcome;
    report.add(result);
    report.add_pairs(result, rows);
  };
  had({0, 2, 3}, Finding::Outcome::good);
  had({0, 2}, Finding::Outcome::loss);
  had({1, 2, 4}, Finding::Outcome::refused);
  CHECK(report.text().find("pairs met: 3 of 8; of those without a layer's own parameter 1 of 2 on some layer") != std::string::npos);
  CHECK(report.json(1, {}).find(R"("pairs":{"met":3,"of":8,"own_met":2,"own_of":6,"shared_met":1,"shared_of":2)") != std::string::npos);
}
