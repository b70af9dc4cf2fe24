#include "stimuli/generators/size_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace tessera {

WeightedChoice::WeightedChoice(const std::vector<NumberRow>& rows, std::size_t column) {
  double total = 0;
  for (const NumberRow& row : rows) total += row.at(column);
  double sum = 0;
  for (const NumberRow& row : rows) upper_.push_back((sum += row.at(column)) / total);
  if (upper_.empty()) upper_.push_back(1);
  upper_.back() = 1;
}

std::size_t WeightedChoice::operator()(RandomStream& random) const {
  const double u = random.unit();
  std::size_t index = 0;
  while (u >= upper_[index]) ++index;  // a few rows: a search would not be faster
  return index;
}

SizeTable::SizeTable(const std::vector<NumberRow>& rows, std::string_view workload, const std::string& key) : choice_(rows, 1) {
  if (rows.empty()) sizes_.push_back(Bytes(4096));
  for (const NumberRow& row : rows) {
    const double bytes = row.at(0);
    if (!(bytes >= 512 && bytes <= 0x1p30) || std::fmod(bytes, 512) != 0)
      throw input_error(workload, 0, key + ": a size of " + std::to_string(bytes) + " B; expected a multiple of 512 B up to 1 GiB");
    if (!(row.at(1) > 0)) throw input_error(workload, 0, key + ": a weight of " + std::to_string(row.at(1)) + "; expected one above 0");
    sizes_.push_back(Bytes(static_cast<std::uint64_t>(bytes)));
  }
}

Bytes SizeTable::largest() const { return *std::max_element(sizes_.begin(), sizes_.end()); }

}  // namespace tessera
