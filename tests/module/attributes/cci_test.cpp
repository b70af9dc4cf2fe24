// The drive's parameters as those of SystemC-CCI.
#include <catch2/catch.hpp>
#include <cstdint>

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

template <class Value>
Value value_of(const std::string& name) {
  return broker().get_param_handle(name).get_cci_value().template get<Value>();
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
  CHECK(broker().get_param_handles().size() == parameters_of(config).size());
  CHECK(value_of<std::uint64_t>("drive.nand.dies") == 3);
  CHECK(value_of<std::uint64_t>("drive.media.rpm") == 5400);
  CHECK(value_of<std::string>("drive.layer") == "cmr");
}

TEST_CASE("each parameter has its type in CCI, and a preset may have it or be text") {
  preset("drive.nand.program_time", cci::cci_value(sc_core::sc_time(1.25, sc_core::SC_MS)));
  preset("drive.nand.read_time", cci::cci_value(std::string("55 us")));
  preset("drive.dram.capacity", cci::cci_value(std::uint64_t{64} << 20));
  preset("drive.nand.dies", cci::cci_value(std::string("2")));
  preset("drive.controller.age_limit", cci::cci_value(sc_core::sc_time(100'000, sc_core::SC_SEC)));
  preset("drive.firmware.zeros_after_trim", cci::cci_value(true));
  const DriveConfig config = load_drive(file, cci_presets("drive"), "cmr");
  CHECK(config.nand.program_time == Picoseconds(1'250'000'000));
  CHECK(config.nand.read_time == Picoseconds(55'000'000));
  CHECK(config.dram.capacity == Bytes(67'108'864));
  CHECK(config.nand.dies == 2);
  DriveModule drive("drive", config, plan_drive(config), ContentMode::none, 1);
  const CciParameters parameters("parameters", drive);
  CHECK(value_of<sc_core::sc_time>("drive.nand.program_time") == sc_core::sc_time(1'250, sc_core::SC_US));
  CHECK(value_of<sc_core::sc_time>("drive.nand.read_time") == sc_core::sc_time(55, sc_core::SC_US));
  CHECK(value_of<sc_core::sc_time>("drive.controller.age_limit") == sc_core::sc_time(100'000, sc_core::SC_SEC));
  CHECK(value_of<std::uint64_t>("drive.dram.capacity") == 67'108'864);
  CHECK(value_of<bool>("drive.firmware.zeros_after_trim"));
  CHECK(value_of<double>("drive.media.shingled_gain") == config.media.shingled_gain);
}

/// A platform of one module.
struct Top : sc_core::sc_module {
  DriveConfig config = load_drive(file, cci_presets("top.drive"), "cmr");
  DriveModule drive{"drive", config, plan_drive(config), ContentMode::none, 1};
  CciParameters parameters{"parameters", drive};
  explicit Top(sc_core::sc_module_name name) : sc_module(name) {}
};

TEST_CASE("a drive inside a module has its presets by the module's name") {
  preset("top.drive.nand.dies", cci::cci_value(4));
  const Top top("top");
  CHECK(top.config.nand.dies == 4);
  CHECK(value_of<std::uint64_t>("top.drive.nand.dies") == 4);
}

TEST_CASE("a number without a unit that is no whole amount is refused as in a description") {
  preset("drive.nand.read_time", cci::cci_value(0.5));
  CHECK_THROWS_WITH(load_drive(file, cci_presets("drive"), "cmr"), Catch::Matchers::Contains("nand.read_time"));
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
