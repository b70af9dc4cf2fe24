#include "firmware/logs/superblock.hpp"

#include "firmware/logs/header_scan.hpp"

namespace tessera {

Task<Status> Superblock::write(Payload payload) {
  const std::uint64_t generation = generation_ + 1;
  const Status status = co_await put(generation, payload, next_may_follow);
  if (!ok(status)) {
    // What is not written and cannot be read would look, at a boot, like a newer one that was lost.
    if (generation_ != 0) static_cast<void>(co_await put(generation_, payload_, next_was_not_written));
    co_return status;
  }
  generation_ = generation;
  payload_ = payload;
  co_return Status::ok;
}

Task<Status> Superblock::put(std::uint64_t generation, Payload payload, std::uint32_t mark) {
  SectorHeader header = encode({RecordType::superblock, generation, mark, payload});
  MediaChain chain(MediaClass::dependent);
  const std::uint64_t first = generation % 2 * 2;
  const std::uint64_t second_first = unread_[first + 1] ? 1 : 0;
  for (std::uint64_t copy = 0; copy < 2; ++copy) chain.write(places_[first + (copy ^ second_first)], {}, StepHint::position, &header);
  const Status status = co_await media_.run(chain);
  if (ok(status)) unread_[first] = unread_[first + 1] = false;
  co_return status;
}

Task<Status> Superblock::load() {
  HeaderScan scan(media_);
  const std::span<const PhysicalRun> places(places_);
  co_await scan.read(places);
  bool alone = false;
  for (std::uint32_t i = 0; i < sectors; ++i) {
    const std::optional<LogRecord> record = scan.record(i);
    if (!record || record->type != RecordType::superblock || record->sequence < generation_) continue;
    const bool again = record->sequence == generation_;
    copies_ = again ? copies_ + 1 : 1;
    alone = (again && alone) || record->length == next_was_not_written;
    generation_ = record->sequence;
    payload_ = record->payload;
  }
  for (std::uint32_t i = 0; i < sectors; ++i) unread_[i] = scan.unknown(i);
  // The next generation lies where the one before this lay. A cut tears one of its copies at most; where neither can be read, it may have
  // been written whole, and what this one says may be void; unless this one says that the write of the next failed.
  const auto next = static_cast<std::uint32_t>((generation_ + 1) % 2 * 2);
  co_return generation_ == 0 || (!alone && scan.unknown(next) && scan.unknown(next + 1)) ? Status::corrupt : Status::ok;
}

}  // namespace tessera
