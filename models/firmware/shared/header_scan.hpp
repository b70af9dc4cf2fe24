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

/// On how many sectors of runs a header is that their write put on each of them.
struct Carriers {
  std::uint32_t sectors = 0;
  std::uint32_t with = 0;
  std::uint32_t unreadable = 0;  ///< not counted any further where a sector that can be read is without it

  [[nodiscard]] bool any() const { return with != 0; }
  [[nodiscard]] bool all() const { return with == sectors; }
  /// All, as far as can be seen: of those that cannot be read the cut tore one, which ended the write, or a fault took them later.
  [[nodiscard]] bool perhaps_all() const { return any() && with + unreadable == sectors; }
};

/// Adds the sectors of a run, on one track.
[[nodiscard]] Task<void> count_carriers(MediaPort& media, PhysicalRun run, const SectorHeader& header, Carriers& sum);

}  // namespace tessera
