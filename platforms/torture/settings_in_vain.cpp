#include "platforms/torture/settings_in_vain.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "platforms/drive/drive_image.hpp"
#include "platforms/torture/torture_durability.hpp"

namespace tessera {

namespace {

using Sentences = std::vector<std::string>;

Sentences in_vain(const cli::TortureOptions& options, const SearchPath& search, const std::string& layer,
                  cli::TortureDurability durability) {
  const TomlDocument file = search.load(DescriptionFile::drive, options.run.drive);
  const FirmwareLibrary firmware{options.run.firmware.file, options.run.firmware.patience};
  DriveConfig plain = load_drive(file, options.run.set, layer, firmware);
  Sentences set = options.run.set;
  for (std::string& word : durability_settings(plain, layer, durability)) set.push_back(std::move(word));
  DriveConfig drive = load_drive(file, set, layer, firmware);
  load_image(drive, options.run.firmware.image, layer);
  drive.prefill_overridden = "torture says how much of the drive holds data (--prefill)";
  drive.caches_overridden = "torture begins with empty caches";
  return set_in_vain(drive, plan_drive(drive));
}

}  // namespace

Sentences settings_in_vain(const cli::TortureOptions& options, const SearchPath& search, const Sentences& layers) {
  std::optional<Sentences> common;
  for (const std::string& layer : layers) {
    for (const cli::TortureDurability durability : options.durability) {
      try {
        const Sentences here = in_vain(options, search, layer, durability);
        if (!common) common = here;
        std::erase_if(*common, [&here](const std::string& sentence) { return std::ranges::find(here, sentence) == here.end(); });
        if (common->empty()) return {};
      } catch (const InputError&) {
        continue;
      }
    }
  }
  return common.value_or(Sentences());
}

}  // namespace tessera
