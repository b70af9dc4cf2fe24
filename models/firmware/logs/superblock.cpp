#include "firmware/logs/superblock.hpp"

namespace tessera {

Task<Status> Superblock::write(Payload payload) {
  const std::uint64_t generation = generation_ + 1;
  SectorHeader header = encode({RecordType::superblock, generation, 1, payload});
  MediaChain chain(MediaClass::dependent);
  for (std::uint64_t copy = 0; copy < 2; ++copy) chain.write(places_[generation % 2 * 2 + copy], {}, StepHint::position, &header);
  const Status status = co_await media_.run(chain);
  if (!ok(status)) co_return status;
  generation_ = generation;
  payload_ = payload;
  co_return Status::ok;
}

Task<Status> Superblock::load() {
  std::array<SectorHeader, sectors> headers{};
  MediaChain chain(MediaClass::host, LostSectors::carry);
  for (std::uint32_t i = 0; i < sectors; ++i) chain.read(places_[i], {}, StepHint::position, &headers[i]);
  const Status status = co_await media_.run(chain);
  if (!ok(status)) co_return status;
  for (const SectorHeader& header : headers) {
    const std::optional<LogRecord> record = decode(header);
    if (!record || record->type != RecordType::superblock || record->sequence < generation_) continue;
    copies_ = record->sequence == generation_ ? copies_ + 1 : 1;
    generation_ = record->sequence;
    payload_ = record->payload;
  }
  co_return generation_ == 0 ? Status::corrupt : Status::ok;
}

}  // namespace tessera
