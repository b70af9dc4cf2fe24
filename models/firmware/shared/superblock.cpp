#include "firmware/shared/superblock.hpp"

namespace tessera {

Task<Status> Superblock::write(Payload payload) {
  const std::uint64_t generation = generation_ + 1;
  SectorHeader header = encode({RecordType::superblock, generation, 1, payload});
  MediaChain chain(MediaClass::dependent);
  chain.write(places_[generation % 2], {}, StepHint::position, &header);
  const Status status = co_await media_.run(chain);
  if (!ok(status)) co_return status;
  generation_ = generation;
  payload_ = payload;
  co_return Status::ok;
}

Task<Status> Superblock::load() {
  generation_ = 0;
  for (const PhysicalRun& place : places_) {
    SectorHeader header{};
    MediaChain chain(MediaClass::host);
    chain.read(place, {}, StepHint::position, &header);
    // An unreadable superblock is one that a cut has torn: the other one counts.
    const Status status = co_await media_.run(chain);
    const std::optional<LogRecord> record = decode(header);
    if (!ok(status) || !record || record->type != RecordType::superblock || record->sequence <= generation_) continue;
    generation_ = record->sequence;
    payload_ = record->payload;
  }
  co_return generation_ == 0 ? Status::corrupt : Status::ok;
}

}  // namespace tessera
