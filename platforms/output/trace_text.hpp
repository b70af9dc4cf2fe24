#pragma once
// A trace as text that other programs read: fio, blkparse's readers, those of MSR traces, and the form that loses nothing.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platforms/output/output_file.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

enum class TraceText : std::uint8_t {
  fio_3,     ///< fio version 3 iolog: microseconds
  fio_2,     ///< fio version 2 iolog: waits in microseconds
  blkparse,  ///< blkparse's default layout, queue events: nanoseconds, blocks of 512 B
  msr,       ///< MSR CSV: 100 ns, reads and writes
  columns    ///< time,volume,op,offset,size in picoseconds and bytes, and FILE.columns.toml that says so
};

struct WrittenTrace {
  std::uint64_t records = 0;
  std::vector<std::string> notes;  ///< what the form could not hold
};

/// Writes every record of `source` that the form can hold. Throws InputError for a bad trace or one that the form cannot hold at all, and
/// OutputError for a file that cannot be written.
[[nodiscard]] WrittenTrace write_trace_text(TraceSource& source, const std::filesystem::path& file, TraceText form);

/// What is written besides `file`; "" for all forms but columns.
[[nodiscard]] std::filesystem::path columns_beside(const std::filesystem::path& file, TraceText form);

}  // namespace tessera
