#pragma once
// A workload drawn to hurt: what firmware gets wrong lies at borders, in queues that are full, and in what comes between.
#include "base/random.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// Without end, the same for the same seed and drive. Writes of 512 B to more than a small cache holds, half of them not aligned to
/// sectors, across borders of all sizes that a layer may cut its space into, in a few hot places or anywhere; reads, TRIMs, FLUSHes and FUA
/// between them; bursts, and now and then a pause in which background work begins. To be replayed under `queue:N`.
class HurtfulWorkload final : public TraceSource {
 public:
  struct Drive {
    std::uint64_t blocks = 0;         ///< of 512 B that the host can address
    std::uint32_t sector_blocks = 8;  ///< blocks of a drive sector
    std::uint32_t track_sectors = 1;  ///< sectors of a typical track
    std::uint32_t largest = 2048;     ///< blocks of the largest request
    bool barriers = false;            ///< many requests FLUSH, TRIM or write with FUA
  };
  HurtfulWorkload(std::uint64_t seed, const Drive& drive);

  bool next(TraceRecord& record) override;
  [[nodiscard]] std::string position() const override { return "hurtful workload, request " + std::to_string(made_); }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  [[nodiscard]] std::uint64_t size();
  [[nodiscard]] std::uint64_t place(std::uint64_t size);
  [[nodiscard]] Picoseconds pause();

  RandomStream random_;
  Drive drive_;
  std::vector<std::uint64_t> hot_;  // blocks
  Picoseconds now_;
  std::uint64_t made_ = 0;
};

}  // namespace tessera
