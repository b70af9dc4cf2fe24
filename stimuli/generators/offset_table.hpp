#pragma once
// A recorded histogram of start addresses as an address law: where a volume's requests fall, though not their order.
#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/generators/address_law.hpp"

namespace tessera {

/// Start addresses with their counts.
struct OffsetTable {
  struct Row {
    Bytes start;
    std::uint64_t count = 0;
  };
  std::vector<Row> rows;
  Bytes highest;

  /// A text file, plain or compressed, with the header `LBA,Frequency` and lines of a start address in multiples of
  /// `unit` and the number of requests that start there. InputError with file and line where it is anything else, or holds no
  /// request.
  [[nodiscard]] static OffsetTable load(const std::string& path, Bytes unit);
};

/// Each start address as often as the table says, in random order; moved down to a multiple of `alignment`.
class RecordedAddresses final : public AddressSource {
 public:
  RecordedAddresses(const OffsetTable& table, Bytes first, Bytes alignment, RandomStream random);
  Bytes next(bool write, Bytes size) override;

 private:
  std::vector<Bytes> starts_;
  std::vector<std::uint64_t> upper_;  // running sums of the counts
  RandomStream random_;
};

}  // namespace tessera
