#pragma once
// Requests as a text trace that `tessera-sim run` reads back to the same requests.
#include <string>
#include <vector>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// For --columns: picoseconds, operation (u: a write with FUA), first block of 512 B, blocks.
inline constexpr const char* trace_columns = "time=1:ps,op=2:r=r,w=w,f=f,t=t,u=u,offset=3:512,size=4:512";

[[nodiscard]] std::string trace_text(const std::vector<TraceRecord>& records);

/// The next `count` requests of the source, or those that it still has.
[[nodiscard]] std::vector<TraceRecord> first_requests(TraceSource& source, std::uint64_t count);

}  // namespace tessera
