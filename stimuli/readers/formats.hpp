#pragma once
// The readers, one a format; each is described where it is implemented. Use open_trace_file to choose one by name or content.
#include <memory>
#include <string>

#include "stimuli/readers/columns_spec.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<TraceSource> read_msr_csv(const std::string& path);
[[nodiscard]] std::unique_ptr<TraceSource> read_spc(const std::string& path);
/// `version` 1 or 2.
[[nodiscard]] std::unique_ptr<TraceSource> read_vscsi_binary(const std::string& path, int version);
/// version,time,op,size,lbn
[[nodiscard]] std::unique_ptr<TraceSource> read_cloudphysics_scsi_csv(const std::string& path);
/// ts,lba,op,size
[[nodiscard]] std::unique_ptr<TraceSource> read_cloudphysics_csv(const std::string& path);
/// `time_unit_stated`: the user named the unit; otherwise a note says that DiskSim's milliseconds were taken.
[[nodiscard]] std::unique_ptr<TraceSource> read_disksim_ascii(const std::string& path, std::uint64_t ps_per_unit, bool time_unit_stated);
[[nodiscard]] std::unique_ptr<TraceSource> read_disksim_validation(const std::string& path);
[[nodiscard]] std::unique_ptr<TraceSource> read_blkparse(const std::string& path);
[[nodiscard]] std::unique_ptr<TraceSource> read_fio_iolog(const std::string& path, std::uint64_t ps_per_unit);
[[nodiscard]] std::unique_ptr<TraceSource> read_columns(const std::string& path, const ColumnsSpec& spec);

}  // namespace tessera
