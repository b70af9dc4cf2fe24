#pragma once
// Which versions each host block may hold: one as a rule, several where writes met or a power cut left it open.
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "base/address.hpp"
#include "base/content.hpp"
#include "base/state_stream.hpp"
#include "stimuli/scoreboard/prefilled_blocks.hpp"

namespace tessera {

/// An entry with this bit stands for all that is older: the block may read as never written or as any tag of its own below the entry's.
inline constexpr Tag older_mark = Tag{1} << 62;
/// What a TRIM may leave: the block reads as never written, and not as its prefill mark.
inline constexpr Tag nothing = older_mark;
/// An entry with these bits is the version of a TRIM that brings zeros: the block reads as never written, and as nothing else.
inline constexpr Tag zeros_mark = prefill_mark | older_mark;
[[nodiscard]] constexpr bool brings_zeros(Tag entry) { return entry != destroyed && (entry & zeros_mark) == zeros_mark; }

/// Whether a block whose version is `entry` may read as `found`. Never written: also as the block's own prefill mark.
[[nodiscard]] bool matches(Tag entry, Tag found, HostBlock block);

/// Sparse: 16 B an aligned 4 KiB (8 blocks) that one request wrote or trimmed, 64 B more where writes met inside it. Entries stay below
/// 2^63 but for `destroyed`, which only add() takes, the prefill marks of single blocks, and zeros.
class VersionMap {
 public:
  explicit VersionMap(const PrefilledBlocks& prefilled = {}) : prefilled_(prefilled) {}

  /// The block's version is `entry` alone.
  void set(HostBlock block, Tag entry) { set_run({block, 1}, entry); }
  /// As set() for each block of a run, with entries that ascend by one from `first`.
  void set_run(HostRun blocks, Tag first);
  /// The block may hold `entry` as well.
  void add(HostBlock block, Tag entry);
  /// Each block of a run may hold nothing as well, as add() with `nothing`.
  void trim(HostRun blocks);
  /// Whether the block was trimmed since the last set().
  [[nodiscard]] bool trimmed(HostBlock block) const;
  /// Whether the block may hold all that is older than one of its entries.
  [[nodiscard]] bool allows_older(HostBlock block) const;
  /// The version that was set last; if none was, what the block held before: its prefill mark, or never_written.
  [[nodiscard]] Tag newest(HostBlock block) const;
  /// All that the block may hold, newest() first.
  [[nodiscard]] std::vector<Tag> versions(HostBlock block) const;
  /// Whether the block may read as `found`.
  [[nodiscard]] bool allows(HostBlock block, Tag found) const;

  /// Blocks with a version (or several) or a TRIM, and prefilled ones beside them in their group, in maximal ascending runs of at most
  /// `longest` blocks.
  [[nodiscard]] std::vector<HostRun> runs(std::uint32_t longest) const;

  /// All versions, in a stream (scoreboard_state.cpp).
  void save_state(StateWriter& out) const;
  /// In place of all that there are, of a drive of so many blocks.
  void load_state(StateReader& in, HostBlock blocks);

 private:
  static constexpr std::uint32_t group = 8;                               // blocks a word of the map
  static constexpr std::uint64_t exploded_mark = std::uint64_t{1} << 63;  // the word is a place in exploded_
  using Tags = std::array<Tag, group>;
  static_assert(PrefilledBlocks::stretch % group == 0);

  void set_whole_group(std::uint64_t key, Tag first);
  void set_part(std::uint64_t key, std::uint32_t from, std::uint32_t to, Tag first);
  Tags& explode(std::uint64_t key);
  void forget_trims(HostRun blocks);

  PrefilledBlocks prefilled_;
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> words_;  // group -> version of its first block, or place
  std::vector<Tags> exploded_;
  std::vector<std::uint64_t> free_;                                  // places of exploded_ that became whole again
  boost::unordered_flat_map<std::uint64_t, std::vector<Tag>> more_;  // block -> versions beside the newest
  boost::unordered_flat_map<std::uint64_t, std::uint8_t> trimmed_;   // group -> a bit a block
};

}  // namespace tessera
