// A description of any bytes is a drive that can be planned, or an InputError.
#include <string>

#include "base/error.hpp"
#include "platforms/description/listing.hpp"
#include "platforms/drive/drive_config.hpp"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    DriveConfig config = load_drive(TomlDocument::parse(text, "drive.toml"), {}, "");
    static_cast<void>(plan_drive(config));
    // What a run writes as drive.toml is read back as the same drive.
    const auto effective = [](DriveConfig& of) {
      ParameterCollector collector;
      of.describe(collector);
      return parameters_as_toml(collector.parameters(), "");
    };
    const std::string written = effective(config);
    DriveConfig again = load_drive(TomlDocument::parse(written, "written.toml"), {}, "");
    TESSERA_CHECK(effective(again) == written, "a description is not read back as it was written");
  } catch (const InputError&) {
  }
  return 0;
}
