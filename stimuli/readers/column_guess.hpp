#pragma once
// A description of the columns of a text that no format fits, proposed from their names and numbers.
#include <string>
#include <vector>

#include "stimuli/readers/probe.hpp"

namespace tessera {

struct GuessedColumns {
  bool complete = false;            ///< nothing is left open
  std::string toml;                 ///< as read_columns_spec takes it, with the reasons as comments
  std::vector<std::string> unsure;  ///< what is left open: "how long a request is: columns 3 and 5 may be sizes"
};

[[nodiscard]] GuessedColumns guess_columns(const Sample& sample);

}  // namespace tessera
