#pragma once
// The victim set of a write-back: which sectors of a zone go back to it, and where their data comes from.
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/zones/buffer_region.hpp"

namespace tessera {

/// A source of victims' data.
class VictimSource {
 public:
  virtual ~VictimSource() = default;
  /// Puts the victims whose offsets lie in [first, first + into.count) into their places in `into`; leaves other sectors of it.
  [[nodiscard]] virtual Task<Status> fetch(std::uint32_t first, DataSpan into) = 0;
};

struct Victim {
  std::uint32_t offset = 0;  ///< in its zone
  std::uint32_t slot = 0;    ///< of the buffer
};

/// Victims in slots of the buffer. A fetch reads them in one sweep over the buffer, a seek for each run of slots (the collection
/// of the Amphisbaena paper's figure 4).
class BufferVictims final : public VictimSource {
 public:
  explicit BufferVictims(BufferRegion& buffer) : buffer_(buffer) {}

  void clear();
  void add(Victim victim) { victims_.push_back(victim); }
  /// To be called when all are added: sorts them by offset.
  void sort();
  [[nodiscard]] bool empty() const { return victims_.empty(); }
  [[nodiscard]] std::span<const Victim> victims() const { return victims_; }
  /// Ascending, as ZoneStore::write_back() wants them.
  [[nodiscard]] std::span<const std::uint32_t> offsets() const { return offsets_; }

  [[nodiscard]] Task<Status> fetch(std::uint32_t first, DataSpan into) override;

 private:
  BufferRegion& buffer_;
  std::vector<Victim> victims_;         // by offset
  std::vector<std::uint32_t> offsets_;  // of victims_
  std::vector<Victim> sweep_;           // of one fetch, by slot
  std::vector<SlotRun> runs_;
};

}  // namespace tessera
