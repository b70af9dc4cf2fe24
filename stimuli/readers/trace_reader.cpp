#include "stimuli/readers/trace_reader.hpp"

#include <limits>

#include "base/address.hpp"
#include "base/error.hpp"

namespace tessera {

bool TraceReader::next(TraceRecord& record) {
  RawRecord raw;
  if (!parse(raw)) {
    if (records_ == 0) throw input_error(path_, 0, "the trace holds no request");
    return false;
  }
  if (records_++ == 0) first_ = latest_ = raw.time;
  if (raw.time < latest_) ++disordered_;
  latest_ = std::max(latest_, raw.time);
  if (latest_ - first_ > Picoseconds::max().value())
    fail("the request arrives more than 213 days after the first one: simulated time does not reach that far (wrong time unit?)");

  if (raw.op == HostOp::flush)
    raw.offset = raw.size = 0;
  else if (raw.size == 0)
    fail("the size is 0; expected at least one sector of 512 bytes");
  if (raw.size > max_request_size.value())
    fail("the size is " + std::to_string(raw.size) + " bytes; a request has at most " + std::to_string(max_request_size.value()));
  if (raw.offset > std::numeric_limits<std::uint64_t>::max() - raw.size) fail("the request ends past 2^64 bytes");

  record = {Picoseconds(static_cast<std::uint64_t>(latest_ - first_)),
            raw.op,
            raw.force_unit_access,
            raw.volume,
            Bytes(raw.offset),
            Bytes(raw.size),
            raw.think ? std::optional(Picoseconds(static_cast<std::uint64_t>(*raw.think))) : std::nullopt};
  return true;
}

std::string TraceReader::volume_name(std::uint32_t volume) const { return volume < volumes_.size() ? volumes_[volume] : "-"; }

std::vector<std::string> TraceReader::notes() const {
  std::vector<std::string> all = fixed_notes_;
  for (const auto& [reason, count] : left_out_) all.push_back(std::to_string(count) + " " + reason);
  if (disordered_ != 0)
    all.push_back(std::to_string(disordered_) + " records out of time order, taken at the time of the latest record before them");
  return all;
}

void TraceReader::fail(const std::string& message) const { throw InputError(position() + ": " + message); }

void TraceReader::check(NumberFault fault, std::string_view field, std::string_view text) const {
  if (fault == NumberFault::none) [[likely]]
    return;
  const std::string subject = std::string(field) + " '" + std::string(text) + "' ";
  if (fault == NumberFault::negative) fail(subject + "is negative");
  if (fault == NumberFault::overflow) fail(subject + "does not fit 64 bits");
  fail(subject + "is not a number");
}

std::uint64_t TraceReader::blocks_to_bytes(std::uint64_t blocks, std::string_view field) const {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(blocks, host_block_bytes, &bytes))
    fail(std::string(field) + " '" + std::to_string(blocks) + "' does not fit 64 bits once in bytes");
  return bytes;
}

std::uint32_t TraceReader::volume(std::string_view name) {
  if (last_volume_ < volumes_.size() && volumes_[last_volume_] == name) return last_volume_;
  const auto known = volume_numbers_.find(name);
  if (known != volume_numbers_.end()) return last_volume_ = known->second;
  last_volume_ = static_cast<std::uint32_t>(volumes_.size());
  volumes_.emplace_back(name);
  volume_numbers_.emplace(name, last_volume_);
  return last_volume_;
}

}  // namespace tessera
