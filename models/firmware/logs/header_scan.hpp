#pragma once
// Reading the out-of-band bytes of every sector of a region at boot. What lies on a track is read with one step, so that it takes a turn;
// one command a sector would miss a revolution each time. Scattered sectors go into one chain. The headers lie in memory that takes the
// host's data later: no request is in hand while firmware boots.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "firmware/layout/conventional_layout.hpp"
#include "firmware/logs/log_record.hpp"
#include "firmware/ports/media_port.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

/// Reads a step with a header for each of its sectors, and says of each sector whether it could be read: `unknown[i]` is set where no
/// read brought sector `i`. A sector that is neither unknown nor has a header was read and has none.
///
/// One answer a boot: a sector that fails now may come back with the next read, so a second read must not decide what the first one
/// left open, unless its header is taken, too. Headers and bytes that an earlier read brought stay.
Task<void> read_headers(MediaPort& media, const MediaStep& step, std::vector<bool>& unknown);

class HeaderScan {
 public:
  /// Scattered sectors of one chain.
  static constexpr std::uint32_t most = MediaChain::max_steps;
  /// Further reads of single sectors in one boot: a few seconds.
  static constexpr std::uint32_t most_looks_again = 400;
  /// Sectors of one step: 64 KiB of headers.
  static constexpr std::uint32_t longest = 1024;

  explicit HeaderScan(MediaPort& media) : media_(media) {}

  /// Reads the headers of sectors (1 to `most`) that lie anywhere.
  Task<void> read(std::span<const PhysicalRun> sectors);
  /// Reads the headers of consecutive sectors of `layout`: of [first, end) as many as lie on one track, at most `longest`; gives
  /// their number.
  Task<std::uint32_t> read(const ConventionalLayout& layout, std::uint64_t first, std::uint64_t end);
  /// Reads the header of one sector until it comes, as often as a sector may need, and takes the reads from `budget`. The sectors of the
  /// last read() are gone from here.
  Task<std::optional<LogRecord>> look_again(PhysicalRun sector, std::uint32_t& budget);
  /// The record in the header of sector `i` of the last read(); nothing where there is none or it cannot be read.
  [[nodiscard]] std::optional<LogRecord> record(std::uint32_t i) const { return decode(headers_[i]); }
  /// Whether sector `i` of the last read() could not be read, so that it may hold a record. A sector stored as lost has its header.
  [[nodiscard]] bool unknown(std::uint32_t i) const { return unknown_[i]; }

 private:
  MediaPort& media_;
  std::vector<SectorHeader> headers_;
  std::vector<bool> unknown_;
};

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
