#pragma once
// A trace as a NumPy file: what every reader makes of its format, in one form that programs read.
#include <cstdint>
#include <filesystem>

#include "platforms/output/output_file.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// Fields (little-endian): arrival u8 (ps since the first record), offset u8 and size u8 (bytes), volume u4 (numbered as they first
/// appear), op u2 (HostOp), flags u2 (1: force unit access).
struct TraceRow {
  std::uint64_t arrival;
  std::uint64_t offset;
  std::uint64_t size;
  std::uint32_t volume;
  std::uint16_t op;
  std::uint16_t flags;
};
static_assert(sizeof(TraceRow) == 32, "the record has no padding");

/// Writes every record of `source`; returns how many. Throws InputError for a bad trace, OutputError for a file that cannot be written.
std::uint64_t write_trace_table(TraceSource& source, const std::filesystem::path& file);

}  // namespace tessera
