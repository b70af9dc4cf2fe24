#pragma once
// The write pattern that zone buffers live on: updates of what was written a while ago, and new data in clusters.
#include <cstdint>
#include <vector>

#include "stimuli/generators/address_law.hpp"
#include "stimuli/generators/workload_config.hpp"

namespace tessera {

/// A write goes to a start address that was written before (an update) with probability `share`, or `large_share` when it has at
/// least `large` bytes; which one is chosen by recency: the r-th newest of the last `window` writes with a probability
/// proportional to r^-exponent, no further back than the start of the phase. With probability `set_share` it is instead any of
/// `set` addresses that were written before the run, all alike: their update periods do not end with the window. Any other write
/// takes the next address that was never written: `chunk_starts` side by side, then on in another chunk of the footprint. Reads
/// go to written addresses alike.
class UpdateAddresses final : public AddressSource {
 public:
  /// The footprint has at least one chunk: the caller has checked.
  UpdateAddresses(const UpdatesConfig& config, Footprint footprint, std::uint64_t slots_per_chunk, RandomStream random,
                  RandomStream places_random);
  Bytes next(bool write, Bytes size) override;

 private:
  [[nodiscard]] std::uint64_t new_slot();
  [[nodiscard]] std::uint64_t slot_of(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t written_slot();
  void remember(std::uint64_t slot);

  UpdatesConfig config_;
  Footprint footprint_;
  std::uint64_t slots_per_chunk_;
  ZipfDistribution recency_;
  Permutation chunks_;
  std::vector<std::uint64_t> written_;  // a ring of the last `window` writes
  std::uint64_t newest_ = 0;            // index in the ring
  std::uint64_t reach_ = 0;             // writes of this phase that the ring holds
  std::uint64_t writes_ = 0;
  std::uint64_t taken_;  // addresses of the set, and new ones so far
  RandomStream random_;
};

}  // namespace tessera
