#include "stimuli/generators/update_addresses.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

UpdateAddresses::UpdateAddresses(const UpdatesConfig& config, Footprint footprint, std::uint64_t slots_per_chunk, RandomStream random,
                                 RandomStream places_random)
    : config_(config),
      footprint_(std::move(footprint)),
      slots_per_chunk_(slots_per_chunk),
      recency_(config.window, config.exponent),
      chunks_(footprint_.slots() / slots_per_chunk, places_random),
      written_(config.window),
      taken_(config.set),
      random_(random) {}

Bytes UpdateAddresses::next(bool write, Bytes size) {
  if (!write) return footprint_.address(reach_ == 0 && config_.set == 0 ? random_.below(footprint_.slots()) : written_slot());
  if (config_.phase_writes != 0 && writes_ % config_.phase_writes == 0) reach_ = 0;
  const double share = size >= config_.large ? config_.large_share : config_.share;
  const bool update = random_.unit() < share && (reach_ != 0 || config_.set != 0);
  const std::uint64_t slot = update ? written_slot() : new_slot();
  ++writes_;
  remember(slot);
  return footprint_.address(slot);
}

std::uint64_t UpdateAddresses::new_slot() { return slot_of(taken_++); }

/// The addresses in the order in which they are taken, the set's first.
std::uint64_t UpdateAddresses::slot_of(std::uint64_t index) const {
  const std::uint64_t chunk = chunks_(index / config_.chunk_starts % chunks_.size());
  return chunk * slots_per_chunk_ + index % config_.chunk_starts;
}

std::uint64_t UpdateAddresses::written_slot() {
  if (config_.set != 0 && (random_.unit() < config_.set_share || reach_ == 0)) return slot_of(random_.below(config_.set));
  std::uint64_t rank = recency_(random_);
  if (rank > reach_) rank = 1 + random_.below(reach_);  // the window is not full yet
  return written_[(newest_ + written_.size() - (rank - 1)) % written_.size()];
}

void UpdateAddresses::remember(std::uint64_t slot) {
  newest_ = (newest_ + 1) % written_.size();
  written_[newest_] = slot;
  reach_ = std::min<std::uint64_t>(reach_ + 1, written_.size());
}

}  // namespace tessera
