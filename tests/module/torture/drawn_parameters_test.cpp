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

TEST_CASE("each parameter that a drive declares is drawn, or says why it is not") {
  std::set<std::string> drawn;
  RandomStream random(1, "test");
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
    for (int i = 0; i < 4000; ++i)
      for (const std::string& word : draw_parameters(parameters, layer, random)) drawn.insert(path_of(word));
  for (const Parameter& parameter : parameters) {
    if (parameter.kind == ParameterKind::section) continue;
    INFO(parameter.path());
    CHECK(drawn.contains(parameter.path()) == why_undrawn(parameter).empty());
  }
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
