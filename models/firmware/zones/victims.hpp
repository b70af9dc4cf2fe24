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
  /// Offsets of the victims in their zone, ascending; at least one. A fetch may drop some, from the end.
  [[nodiscard]] virtual std::span<const std::uint32_t> offsets() const = 0;
  /// Puts the victims whose offsets lie in [first, first + into.count) into their places in `into`; leaves other sectors of it.
  [[nodiscard]] virtual Task<Status> fetch(std::uint32_t first, DataSpan into) = 0;
  /// When all are fetched: what is to be durable with the write-back, for the layer's ZoneNotes.
  [[nodiscard]] virtual std::span<const std::byte> note() { return {}; }
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

  [[nodiscard]] std::span<const std::uint32_t> offsets() const override { return offsets_; }
  [[nodiscard]] Task<Status> fetch(std::uint32_t first, DataSpan into) override;

 private:
  BufferRegion& buffer_;
  std::vector<Victim> victims_;         // by offset
  std::vector<std::uint32_t> offsets_;  // of victims_
  std::vector<Victim> sweep_;           // of one fetch, by slot
  std::vector<SlotRun> runs_;
};

}  // namespace tessera
