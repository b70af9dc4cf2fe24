#include "stimuli/scoreboard/verification_source.hpp"

namespace tessera {

bool VerificationSource::next(TraceRecord& record) {
  if (next_ == runs_.size()) return false;
  const HostRun& run = runs_[next_++];
  record = TraceRecord{};
  record.op = HostOp::read;
  record.offset = Bytes(run.first.value() * host_block_bytes);
  record.size = Bytes(run.count * host_block_bytes);
  return true;
}

}  // namespace tessera
