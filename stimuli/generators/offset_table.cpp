#include "stimuli/generators/offset_table.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "stimuli/readers/decimal.hpp"
#include "stimuli/readers/fields.hpp"
#include "stimuli/readers/line_reader.hpp"

namespace tessera {

namespace {

constexpr std::uint64_t largest_number = std::uint64_t{1} << 43;  // times the largest unit still inside 64 bits

}  // namespace

OffsetTable OffsetTable::load(const std::string& path, Bytes unit) {
  LineReader lines(path);
  std::string_view line;
  if (!lines.next(line) || trimmed(line) != "LBA,Frequency")
    throw input_error(path, 1, "expected the header 'LBA,Frequency' of a histogram of start addresses");
  OffsetTable table;
  Fields fields(',');
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    fields.split(line);
    std::uint64_t start = 0;
    std::uint64_t count = 0;
    if (fields.size() != 2 || parse_unsigned(fields[0], start) != NumberFault::none ||
        parse_unsigned(fields[1], count) != NumberFault::none || start > largest_number || count == 0 || count > largest_number)
      throw input_error(path, lines.number(), "expected a start address and a count above 0, as in '123456,78'");
    table.rows.push_back({unit * start, count});
    table.highest = std::max(table.highest, table.rows.back().start);
  }
  if (table.rows.empty()) throw input_error(path, lines.number(), "the histogram has no line; expected 'LBA,Frequency' pairs");
  return table;
}

RecordedAddresses::RecordedAddresses(const OffsetTable& table, Bytes first, Bytes alignment, RandomStream random) : random_(random) {
  std::uint64_t sum = 0;
  for (const OffsetTable::Row& row : table.rows) {
    starts_.push_back(first + alignment * (row.start / alignment));
    upper_.push_back(sum += row.count);
  }
}

Bytes RecordedAddresses::next(bool, Bytes) {
  const auto found = std::upper_bound(upper_.begin(), upper_.end(), random_.below(upper_.back()));
  return starts_[static_cast<std::size_t>(found - upper_.begin())];
}

}  // namespace tessera
