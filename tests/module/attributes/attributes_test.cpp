// A tool that knows SystemC alone finds the drive's parameters.
#include <catch2/catch.hpp>
#include <map>
#include <systemc>

#include "base/error.hpp"
#include "platforms/description/listing.hpp"
#include "platforms/drive/drive_module.hpp"

namespace tessera {
namespace {

using Catch::Matchers::Equals;

/// A stranger: knows sc_object and sc_attribute, and walks what there is.
class Explorer : public sc_core::sc_module {
 public:
  std::map<std::string, std::string> seen;

  explicit Explorer(sc_core::sc_module_name name) : sc_core::sc_module(name) {}

 private:
  void end_of_elaboration() override { look_at(sc_core::sc_get_top_level_objects()); }
  void look_at(const std::vector<sc_core::sc_object*>& objects) {
    for (sc_core::sc_object* object : objects) {
      for (sc_core::sc_attr_base* attribute : object->attr_cltn())
        if (const auto* text = dynamic_cast<const sc_core::sc_attribute<std::string>*>(attribute))
          seen[std::string(object->name()) + " " + attribute->name()] = text->value;
      look_at(object->get_child_objects());
    }
  }
};

DriveConfig bare() {
  return load_drive(std::string(TESSERA_DRIVES) + "/bare.toml", {"nand.dies=3", "media.rpm=5400 rpm", "layers.imr_rmw.backup_slots=7"},
                    "imr-rmw");
}

TEST_CASE("each parameter of the list is an attribute of the drive, with the value that was set") {
  DriveConfig config = bare();
  DriveModule drive("drive", config, plan_drive(config), ContentMode::none, 1);
  Explorer explorer("explorer");
  drive.power_on(false, [](Status) {});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  ParameterCollector listed;
  config.describe(listed);
  std::size_t found = 0;
  for (const Parameter& parameter : listed.parameters()) {
    if (parameter.kind == ParameterKind::section) continue;
    INFO(parameter.path());
    REQUIRE(explorer.seen.contains("drive " + parameter.path()));
    std::string value = parameter.value;
    if (value.front() == '"') value = value.substr(1, value.size() - 2);
    CHECK(explorer.seen["drive " + parameter.path()] == value);
    ++found;
  }
  CHECK(found > 700);
  CHECK(explorer.seen.size() == found);
  CHECK(explorer.seen["drive nand.dies"] == "3");
  CHECK(explorer.seen["drive media.rpm"] == "5400 rpm");
  CHECK(explorer.seen["drive layers.imr_rmw.backup_slots"] == "7");
}

TEST_CASE("an attribute that is changed before the simulation is refused at its start") {
  const DriveConfig config = bare();
  DriveModule drive("drive", config, plan_drive(config), ContentMode::none, 1);
  drive.power_on(false, [](Status) {});
  dynamic_cast<sc_core::sc_attribute<std::string>&>(*drive.get_attribute("nand.dies")).value = "4";
  CHECK_THROWS_WITH(
      sc_core::sc_start(sc_core::SC_ZERO_TIME),
      Equals("the attribute nand.dies of drive was set to \"4\"; the drive was built with \"3\": give the value to load_drive(), "
             "before the drive is made"));
}

TEST_CASE("a program that walks no objects goes without attributes") {
  const DriveConfig config = bare();
  DriveModule drive("drive", config, plan_drive(config), ContentMode::none, 1, DriveParts::alone());
  CHECK(drive.num_attributes() == 0);
}

}  // namespace
}  // namespace tessera
