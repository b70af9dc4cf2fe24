// The drive's parameters as those of SystemC-CCI.
#include <catch2/catch.hpp>

#include "platforms/drive/cci_parameters_module.hpp"

namespace tessera {
namespace {

const std::string file = std::string(TESSERA_DRIVES) + "/bare.toml";

/// Registered with the first call.
cci::cci_broker_handle broker() {
  static cci_utils::consuming_broker global("global");
  static const cci::cci_broker_handle registered = cci::cci_register_broker(global);
  return registered;
}

void preset(const std::string& name, const cci::cci_value& value) { broker().set_preset_cci_value(name, value); }

std::string value_of(const std::string& name) { return broker().get_cci_value(name).get_string().c_str(); }

TEST_CASE("presets of a broker reach the drive, and its parameters show them") {
  preset("drive.nand.dies", cci::cci_value(3));
  preset("drive.media.rpm", cci::cci_value(std::string("5400 rpm")));
  preset("other.nand.dies", cci::cci_value(5));
  const DriveConfig config = load_drive(file, cci_presets("drive"), "cmr");
  CHECK(config.nand.dies == 3);
  DriveModule drive("drive", config, plan_drive(config), ContentMode::none, 1);
  const CciParameters parameters("parameters", drive);
  CHECK(cci_presets("drive").empty());
  CHECK(broker().get_param_handles().size() == parameters_of(config).size());
  CHECK(value_of("drive.nand.dies") == "3");
  CHECK(value_of("drive.media.rpm") == "5400 rpm");
  CHECK(value_of("drive.layer") == "cmr");
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
