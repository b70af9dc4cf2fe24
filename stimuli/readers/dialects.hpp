#pragma once
// Published data sets that are text columns: each is a description of its columns and a test of its lines.
#include <span>
#include <vector>

#include "stimuli/readers/probe.hpp"

namespace tessera {

struct Dialect {
  const char* name;
  const char* description;
  const char* columns;  ///< stimuli/readers/columns_spec.hpp
  std::vector<Evidence> (*score)(const Sample&);
  std::uint64_t sort_records = 0;  ///< window in which its records are sorted unless another one is named; 0: they come in order
};

[[nodiscard]] std::span<const Dialect> dialects();

}  // namespace tessera
