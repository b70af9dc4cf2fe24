#pragma once
// A description of the columns of a text that no format fits, proposed from their names and numbers.
#include <string>

#include "stimuli/readers/probe.hpp"

namespace tessera {

struct GuessedColumns {
  bool complete = false;  ///< there are columns for a time, an offset and a size
  std::string toml;       ///< as read_columns_spec takes it, with the reasons as comments
};

[[nodiscard]] GuessedColumns guess_columns(const Sample& sample);

}  // namespace tessera
