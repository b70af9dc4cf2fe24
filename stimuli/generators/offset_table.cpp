#include "stimuli/generators/offset_table.hpp"

#include <algorithm>

#include "base/address.hpp"
#include "base/error.hpp"
#include "stimuli/readers/decimal.hpp"
#include "stimuli/readers/fields.hpp"
#include "stimuli/readers/line_reader.hpp"

namespace tessera {

namespace {

constexpr std::uint64_t highest_block = std::uint64_t{1} << 50;  // no drive has so many; keeps bytes inside 64 bits

}  // namespace

OffsetTable OffsetTable::load(const std::string& path) {
  LineReader lines(path);
  std::string_view line;
  if (!lines.next(line) || trimmed(line) != "LBA,Frequency")
    throw input_error(path, 1, "expected the header 'LBA,Frequency' of a histogram of start addresses");
  OffsetTable table;
  Fields fields(',');
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    fields.split(line);
    std::uint64_t block = 0;
    std::uint64_t count = 0;
    if (fields.size() != 2 || parse_unsigned(fields[0], block) != NumberFault::none ||
        parse_unsigned(fields[1], count) != NumberFault::none || block > highest_block || count == 0 || count > highest_block)
      throw input_error(path, lines.number(), "expected a start address in 512 B blocks and a count above 0, as in '123456,78'");
    table.rows.push_back({Bytes(block * host_block_bytes), count});
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
