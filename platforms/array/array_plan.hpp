#pragma once
// What an array's file says, without a run: whether it is one, how the array is made, and what such a file may say.
#include <filesystem>
#include <string>
#include <vector>

#include "platforms/array/array_description.hpp"
#include "platforms/cli/options.hpp"

namespace tessera {

/// How an array is made.
struct ArrayPlan {
  std::string text;                ///< drives, capacity and what it survives, in a few lines
  std::vector<std::string> notes;  ///< a sentence each
  Bytes capacity;                  ///< that the host can address
  std::vector<Bytes> drives;       ///< what it uses of each drive that holds data, of a jbod
  Bytes sector;                    ///< of the drives
  Picoseconds window;              ///< after which all is measured; 0: when all is done
  std::string shares;              ///< where each drive's part of the input goes; "": nowhere
};

/// Whether this is the name of an array's description or a file of one, which no drive is called.
[[nodiscard]] bool describes_array(const std::string& name, const SearchPath& search);

/// Powers on one drive after the other, so that all that a run would refuse is refused here. Throws InputError.
[[nodiscard]] ArrayPlan plan_array(const std::string& name, const std::vector<std::string>& overrides, const SearchPath& search);

/// What an array's file may say, in one of the forms of `list parameters`; with the values of `array` where that is given.
[[nodiscard]] std::string array_parameters(cli::ListFormat format, const ArrayDescription* array);

}  // namespace tessera
