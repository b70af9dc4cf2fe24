#include "platforms/torture/trace_text.hpp"

#include "host/host_request.hpp"

namespace tessera {

namespace {

char letter_of(const TraceRecord& record) {
  switch (record.op) {
    case HostOp::read: return 'r';
    case HostOp::flush: return 'f';
    case HostOp::trim: return 't';
    default: break;
  }
  return record.force_unit_access ? 'u' : 'w';
}

}  // namespace

std::string trace_text(const std::vector<TraceRecord>& records) {
  std::string text;
  for (const TraceRecord& record : records)
    text += std::to_string(record.arrival.value()) + "," + letter_of(record) + "," +
            std::to_string(record.offset / Bytes(host_block_bytes)) + "," + std::to_string(record.size / Bytes(host_block_bytes)) + "\n";
  return text;
}

std::vector<TraceRecord> first_requests(TraceSource& source, std::uint64_t count) {
  std::vector<TraceRecord> records;
  for (TraceRecord record; records.size() < count && source.next(record);) records.push_back(record);
  return records;
}

}  // namespace tessera
