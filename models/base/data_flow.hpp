#pragma once
// Data that crosses the host link while a device works for it: when each sector of a buffer is there. Sectors follow one another evenly.
#include <algorithm>
#include <cstdint>

#include "base/units.hpp"

namespace tessera {

/// A write's data on its way into a buffer; all zero where all of it is there.
struct WriteFlow {
  Picoseconds first;  ///< the first sector of the buffer is complete
  Picoseconds last;   ///< the last one is

  /// When sector `index` of a buffer of `sectors` is complete.
  [[nodiscard]] Picoseconds complete(std::uint32_t index, std::uint32_t sectors) const {
    if (sectors < 2) return last;
    return last - (last - first) / (sectors - 1) * (sectors - 1 - index);
  }
};

/// A read's data on its way out of a buffer, to a link that may begin before all of it is there.
class ReadFlow {
 public:
  ReadFlow() = default;
  /// For a link that takes `sector_time` for a sector, and does not begin before the first `mark` sectors are there; 0: it waits for all of
  /// them. A sector crosses once `lag` more have come in after it, or the last one has.
  void open(Picoseconds sector_time, std::uint32_t mark = 0, std::uint32_t lag = 0) { *this = ReadFlow(sector_time, mark, lag); }
  [[nodiscard]] bool is_open() const { return sector_time_ != Picoseconds(0); }

  /// Sectors [index, index + count) of the buffer came in, the first at `first` and the last at `last`.
  void arrived(std::uint32_t index, std::uint32_t count, Picoseconds first, Picoseconds last) {
    if (!is_open()) return;
    need(index, first);
    need(index + count - 1, last);
    if (index < lag_ && lag_ < index + count) need(lag_, WriteFlow{first, last}.complete(lag_ - index, count));
    if (index < mark_) {
      const std::uint32_t marked = std::min(count, mark_ - index);
      begin_ = std::max(begin_, WriteFlow{first, last}.complete(marked - 1, count));
    }
    arrived_ += count;
  }

  /// The earliest begin at which a link that does not stop never runs out of data; `done`, the completion of the command, where not every
  /// one of `sectors` was told of.
  [[nodiscard]] Picoseconds begin(std::uint32_t sectors, Picoseconds done) const {
    return is_open() && arrived_ == sectors ? std::min(begin_, done) : done;
  }

 private:
  ReadFlow(Picoseconds sector_time, std::uint32_t mark, std::uint32_t lag) : sector_time_(sector_time), mark_(mark), lag_(lag) {}
  void need(std::uint32_t index, Picoseconds at) {
    const Picoseconds before = sector_time_ * (index - std::min(index, lag_));
    if (at > before) begin_ = std::max(begin_, at - before);
  }

  Picoseconds sector_time_;
  std::uint32_t mark_ = 0;
  std::uint32_t lag_ = 0;
  Picoseconds begin_;
  std::uint32_t arrived_ = 0;
};

}  // namespace tessera
