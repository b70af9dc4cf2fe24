// The drive's parameters as those of SystemC-CCI.
#include <catch2/catch.hpp>

#include "platforms/drive/cci_parameters_module.hpp"

namespace tessera {
namespace {

const std::string file = std::string(TESSERA_DRIVES) + "/bare.toml";

void preset(const std::string& name, const cci::cci_value& value) {
  cci::cci_get_global_broker(cci::cci_originator("test")).set_preset_cci_value(name, value);
}

TEST_CASE("presets of a broker reach the drive, and its parameters show them") {
  preset("drive.nand.dies", cci::cci_value(3));
  preset("drive.media.rpm", cci::cci_value(std::string("5400 rpm")));
  preset("other.nand.dies", cci::cci_value(5));
  const DriveConfig config = load_drive(file, cci_presets("drive"), "cmr");
  CHECK(config.nand.dies == 3);
  DriveModule drive("drive", config, plan_drive(config), ContentMode::none, 1);
  const CciParameters parameters("parameters", drive);
  CHECK(cci_presets("drive").empty());
#ifndef CCI_VERSION_ORIGINATOR
  CHECK(cci::stub::parameters.size() == parameters_of(config).size());
  CHECK(cci::stub::parameters.at("drive.nand.dies") == "3");
  CHECK(cci::stub::parameters.at("drive.media.rpm") == "5400 rpm");
  CHECK(cci::stub::parameters.at("drive.layer") == "cmr");
#endif
}

TEST_CASE("a preset that was not given to the drive is refused") {
  const DriveConfig config = load_drive(file, {}, "cmr");
  preset("drive.media.rpm", cci::cci_value(std::string("5400 rpm")));
  DriveModule drive("drive", config, plan_drive(config), ContentMode::none, 1);
  CHECK_THROWS_WITH(CciParameters("parameters", drive),
                    Catch::Matchers::Equals("the preset of drive.media.rpm is \"5400 rpm\"; the drive was built with \"7200 rpm\": give "
                                            "cci_presets(\"drive\") to load_drive()"));
}

TEST_CASE("a preset that is no parameter of the drive is refused with the nearest name") {
  preset("drive.nand.dice", cci::cci_value(3));
  CHECK_THROWS_WITH(load_drive(file, cci_presets("drive"), "cmr"), Catch::Matchers::Contains("nand.dies"));
}

}  // namespace
}  // namespace tessera
