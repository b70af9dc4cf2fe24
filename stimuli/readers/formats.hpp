#pragma once
// The readers, one a format; each is described where it is implemented. Use open_trace_file to choose one by name or content.
#include <memory>
#include <optional>
#include <string>

#include "stimuli/readers/byte_stream.hpp"
#include "stimuli/readers/columns_spec.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<TraceSource> read_msr_csv(TraceFile file);
[[nodiscard]] std::unique_ptr<TraceSource> read_spc(TraceFile file);
/// `version` 1 or 2.
[[nodiscard]] std::unique_ptr<TraceSource> read_vscsi_binary(TraceFile file, int version);
/// version,time,op,size,lbn
[[nodiscard]] std::unique_ptr<TraceSource> read_cloudphysics_scsi_csv(TraceFile file);
/// ts,lba,op,size
[[nodiscard]] std::unique_ptr<TraceSource> read_cloudphysics_csv(TraceFile file);
/// `time_unit_stated`: the user named the unit; otherwise a note says that DiskSim's milliseconds were taken.
[[nodiscard]] std::unique_ptr<TraceSource> read_disksim_ascii(TraceFile file, std::uint64_t ps_per_unit, bool time_unit_stated);
/// What the last column of DiskSim's validation format holds: think times after the line's completion, as DiskSim has it; or gaps before
/// the line's arrival, as papers have replayed these traces.
enum class ValidationTimes : std::uint8_t { think, gaps };
[[nodiscard]] std::unique_ptr<TraceSource> read_disksim_validation(TraceFile file, ValidationTimes times = ValidationTimes::think);
/// The event to read (queue, issue, complete), the layout as blkparse -f takes it, or both with a comma between; the head decides where
/// there is none.
[[nodiscard]] std::unique_ptr<TraceSource> read_blkparse(TraceFile file, const std::string& argument);
/// The event to read, likewise.
[[nodiscard]] std::unique_ptr<TraceSource> read_blktrace(TraceFile file, const std::string& argument);
/// The event to read, likewise, or nvme[,BYTES of a block] or scsi[,BYTES].
[[nodiscard]] std::unique_ptr<TraceSource> read_ftrace(TraceFile file, const std::string& argument);
[[nodiscard]] std::unique_ptr<TraceSource> read_biosnoop(TraceFile file);
[[nodiscard]] std::unique_ptr<TraceSource> read_baleen(TraceFile file);
/// What objects are: blocks (also if empty) or bytes.
[[nodiscard]] std::unique_ptr<TraceSource> read_oracle_general(TraceFile file, const std::string& argument);
/// Bytes of a sector: 512 (also if empty) or 1024.
[[nodiscard]] std::unique_ptr<TraceSource> read_srt_binary(TraceFile file, const std::string& argument);
/// How the times of fio's log are counted.
struct FioTimes {
  std::optional<std::uint64_t> ps_per_unit = std::nullopt;  ///< none: that of the log's version
  bool relative = false;                                    ///< of version 2: each wait after the one before it
};
[[nodiscard]] std::unique_ptr<TraceSource> read_fio_iolog(TraceFile file, const FioTimes& times);
[[nodiscard]] std::unique_ptr<TraceSource> read_columns(TraceFile file, const ColumnsSpec& spec);

}  // namespace tessera
