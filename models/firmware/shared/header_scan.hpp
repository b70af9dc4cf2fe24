#pragma once
// Reading the out-of-band bytes of every sector of a region at boot. Consecutive sectors go into one chain, so that a track
// costs little more than a turn; one command a sector would miss a revolution each time.
#include <array>
#include <optional>

#include "firmware/ports/media_port.hpp"
#include "firmware/ports/task.hpp"
#include "firmware/shared/log_record.hpp"

namespace tessera {

class HeaderScan {
 public:
  /// Sectors of one chain.
  static constexpr std::uint32_t most = MediaChain::max_steps;

  explicit HeaderScan(MediaPort& media) : media_(media) {}

  /// Reads the headers of `count` sectors (1 to `most`) whose places are in `sectors`.
  Task<void> read(const std::array<PhysicalRun, most>& sectors, std::uint32_t count);
  /// The record in the header of sector `i` of the last read(); nothing where there is none or it cannot be read.
  [[nodiscard]] std::optional<LogRecord> record(std::uint32_t i) const { return decode(headers_[i]); }

 private:
  MediaPort& media_;
  std::array<SectorHeader, most> headers_{};
};

/// Whether nothing of a sector comes back: after a cut that tells what was lost from what was not written. A sector stored as lost has
/// its header.
[[nodiscard]] Task<bool> cannot_be_read(MediaPort& media, PhysicalRun sector);

}  // namespace tessera
