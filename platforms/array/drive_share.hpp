#pragma once
// The part of an array's input that each drive of a jbod serves: one file per drive, so that a process of one drive reads no other's.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// Writes FOLDER/N.csv for each drive, of `drives` bytes: a line per request or part of one, with its place in the input, its arrival and
/// its address on the drive. FLUSHes are of every drive. Reads the input as far as a run of all drives does that ends after `length`: to
/// the first request which comes no earlier. OutputError where that cannot be written.
void write_shares(TraceSource& input, const std::vector<Bytes>& drives, Picoseconds length, const std::filesystem::path& folder);

class DriveShare final : public TraceSource {
 public:
  /// `numbers` gets the place of each record in the array's input. InputError where there is no such file.
  DriveShare(const std::filesystem::path& file, std::vector<std::uint64_t>& numbers);

  bool next(TraceRecord& record) override;
  [[nodiscard]] std::string position() const override { return path_.string() + ":" + std::to_string(numbers_.size()); }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  std::filesystem::path path_;
  std::ifstream file_;
  std::vector<std::uint64_t>& numbers_;
};

}  // namespace tessera
