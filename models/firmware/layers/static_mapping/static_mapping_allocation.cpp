#include "firmware/layers/static_mapping/static_mapping_allocation.hpp"

#include <algorithm>

namespace tessera::static_mapping {

Allocation::Allocation(const Ports& ports, std::uint64_t tracks, Usage usage, std::optional<Superblock::Places> record)
    : used_(ports.memory, MemoryCategory::metadata, tracks, "tracks that hold data"),
      usage_(usage),
      group_tracks_((tracks + groups - 1) / groups),
      turns_(ports.cpu),
      used_gauge_(ports.cpu, {"tracks.used", "1", "data tracks that hold data, or count as if they did"}, 0) {
  if (record) record_.emplace(ports.media, *record);
}

Task<Status> Allocation::claim(std::uint64_t track) {
  const bool held = holds(track);
  if (record_ && !on_record(group_of(track))) {
    const Status status = co_await put_on_record(group_of(track));
    if (!ok(status)) co_return status;
  }
  if (held) co_return Status::ok;
  if (usage_ == Usage::tracks) {
    publish(track);
    used_.set(track);
  } else {
    for (; used_below_ <= track; ++used_below_) {
      publish(used_below_);
      used_.set(used_below_);
    }
  }
  co_return Status::ok;
}

/// The track is about to be used.
void Allocation::publish(std::uint64_t track) {
  if (!used_.peek(track)) used_gauge_.rise(1);
}

Task<Status> Allocation::put_on_record(std::uint64_t group) {
  auto turn = turns_.exclusive({});
  co_await turn;
  if (on_record(group)) co_return Status::ok;
  if (record_lost_) co_return co_await put_all_on_record();
  Superblock::Payload payload = record_->payload();
  payload[group / 64] |= std::uint64_t{1} << (group % 64);
  ++record_writes_;
  co_return co_await record_->write(payload);
}

/// What the record says that the boot could not read is lost with the first write over it; over both superblocks, so that none comes back
/// that knows fewer groups.
Task<Status> Allocation::put_all_on_record() {
  Superblock::Payload payload;
  payload.fill(~std::uint64_t{0});
  for (std::uint32_t written = 0; written < 2; ++written) {
    ++record_writes_;
    const Status status = co_await record_->write(payload);
    if (!ok(status)) co_return status;
  }
  record_lost_ = false;
  co_return Status::ok;
}

void Allocation::prefill(std::uint64_t tracks) {
  used_.set_below(tracks);
  used_below_ = tracks;
  used_gauge_.set(tracks);
}

Task<Status> Allocation::format() {
  if (!record_) co_return Status::ok;
  Superblock::Payload payload{};
  for (std::uint64_t group = 0; group * group_tracks_ < used_below_; ++group) payload[group / 64] |= std::uint64_t{1} << (group % 64);
  co_return co_await record_->write(payload);
}

Task<Status> Allocation::recover() {
  Status found = Status::corrupt;
  if (record_) found = co_await record_->load();
  if (!ok(found)) {  // no record: to take every track for used is dear, but safe
    record_lost_ = true;
    prefill(used_.size());
    co_return Status::ok;
  }
  for (std::uint64_t track = 0; track < used_.size(); ++track) {
    if (!on_record(group_of(track))) continue;
    publish(track);
    used_.set_uncharged(track);
  }
  co_return Status::ok;
}

}  // namespace tessera::static_mapping
