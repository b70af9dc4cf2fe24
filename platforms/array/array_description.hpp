#pragma once
// An array's description: a TOML file that names its drives, how they hold the data, and what happens to them.
#include <filesystem>
#include <string>
#include <vector>

#include "platforms/description/search_path.hpp"
#include "platforms/description/toml_document.hpp"
#include "stimuli/arrays/array_config.hpp"

namespace tessera {

/// Drives of one kind: [[drive]].
struct ArrayDriveEntry {
  std::string description;  ///< by name, or the path of its file as seen from the array's
  std::string layer;        ///< "" = the drive's own, or the library's first
  std::string firmware;     ///< shared library with layers, as found from the array's file; "" = none
  std::uint32_t count = 1;
  bool spare = false;
  std::vector<std::string> settings;  ///< `path=value`
  TomlDocument document;              ///< the drive's
  Place place;

  void describe(ParameterVisitor& visitor);
};

/// A drive that fails and answers nothing any more: [[failure]].
struct ArrayFailure {
  std::uint32_t drive = 0;
  Picoseconds at;  ///< since the start of the replay
  Place place;

  void describe(ParameterVisitor& visitor);
};

/// A power cut: [[power_cut]]. Without `drives` it takes all of them, and the host.
struct ArrayPowerCut {
  Picoseconds at;  ///< since the start of the replay
  std::vector<std::uint32_t> drives;
  Place place;

  void describe(ParameterVisitor& visitor);
};

struct ArrayDescription {
  ArrayHostConfig host;
  std::vector<ArrayDriveEntry> drives;
  std::vector<ArrayFailure> failures;
  std::vector<ArrayPowerCut> cuts;
  std::uint32_t first_number = 0;  ///< of the first drive, where one of a larger array is simulated alone
  TomlDocument document;

  /// Drives that hold data, and spares.
  [[nodiscard]] std::uint32_t members() const;
  [[nodiscard]] std::uint32_t spares() const;
};

/// What the description `name`, known by name or the path of a file, says with its overrides (`--set`). InputError with file and line:
/// unknown keys, too few drives for the kind, drives that fail and are not there, more failures than the array survives.
[[nodiscard]] ArrayDescription load_array(const std::string& name, const std::vector<std::string>& overrides, const SearchPath& search);

}  // namespace tessera
