#include "platforms/torture/drawn_parameters.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "platforms/drive/drive_config.hpp"

using namespace tessera;

namespace {

const std::filesystem::path torture_drive = std::filesystem::path(TESSERA_DRIVES) / "torture.toml";

std::vector<Parameter> parameters_of(const std::string& layer) {
  DriveConfig drive = load_drive(torture_drive, {}, layer);
  ParameterCollector collector;
  drive.describe(collector);
  return collector.parameters();
}

std::string path_of(const std::string& word) { return word.substr(0, word.find('=')); }

}  // namespace

TEST_CASE("each parameter that a drive declares is drawn on some layer, or says why it is not") {
  std::set<std::string> drawn;
  const std::vector<Parameter> parameters = parameters_of("cmr");
  std::vector<std::string> layers{"zoned:log", "zoned:lsm", "zoned:dmz"};
  for (const Parameter& parameter : parameters)
    if (parameter.kind == ParameterKind::section && parameter.section == "layers") {
      std::string name = parameter.name;
      std::ranges::replace(name, '_', '-');
      layers.push_back(name);
    }
  REQUIRE(layers.size() > 20);
  for (const std::string& layer : layers)
    for (const Parameter* parameter : drawn_for(parameters, layer)) drawn.insert(parameter->path());
  for (const Parameter& parameter : parameters) {
    if (parameter.kind == ParameterKind::section) continue;
    INFO(parameter.path());
    CHECK(drawn.contains(parameter.path()) == why_undrawn(parameter).empty());
  }
  CHECK(drawn.contains("layers.imr_rmw.top_ratio"));
  CHECK(drawn.contains("layers.mu_rmw.checkpoint_every"));
  CHECK(drawn.contains("media.track_spares"));
}

TEST_CASE("a layer draws its own parameters, what all share, and those of its host") {
  const std::vector<Parameter> parameters = parameters_of("cmr");
  const auto draws = [&](const std::string& layer, const std::string& path) {
    return std::ranges::any_of(drawn_for(parameters, layer), [&](const Parameter* parameter) { return parameter->path() == path; });
  };
  CHECK(draws("mu-rmw", "layers.mu_rmw.bands"));
  CHECK_FALSE(draws("mu-rmw", "layers.pore.bands"));
  CHECK(draws("mu-rmw", "media.rpm"));
  CHECK(draws("zoned:log", "layers.zoned.zone"));
  CHECK_FALSE(draws("zoned:log", "hosts.lsm.memtable"));
  CHECK(draws("zoned:log-cost-benefit", "hosts.log.over_provisioning"));
  CHECK_FALSE(draws("zoned:log-cost-benefit", "hosts.lsm.memtable"));
}

TEST_CASE("no row has a value that takes a promise away") {
  for (const Parameter& parameter : parameters_of("cmr"))
    if (parameter.path() == "layers.mu_rmw.checkpoint")
      for (const DrawnClass& one : classes_of(parameter)) CHECK(one.fixed != "0 B");
  Parameter other;
  other.section = "firmware";
  other.name = "checkpoint";
  other.kind = ParameterKind::quantity;
  other.dimension = Dimension::size;
  other.value = "\"4 KiB\"";
  CHECK(std::ranges::any_of(classes_of(other), [](const DrawnClass& one) { return one.fixed == "0 B"; }));
}

TEST_CASE("what is drawn is within the range of its parameter, and concerns the layer") {
  RandomStream random(2, "test");
  const std::vector<Parameter> parameters = parameters_of("cmr");
  for (int i = 0; i < 1000; ++i)
    for (const std::string& word : draw_parameters(parameters, "mu-rmw", random)) {
      INFO(word);
      CHECK((!word.starts_with("layers.") || word.starts_with("layers.mu_rmw.")));
      try {
        static_cast<void>(load_drive(torture_drive, {word}, "mu-rmw"));
      } catch (const InputError& error) {  // values that contradict each other
        INFO(error.what());
        CHECK(std::string(error.what()).find(path_of(word) + ": expected") == std::string::npos);
      }
    }
}
