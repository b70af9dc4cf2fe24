#pragma once
// The tables of the dm-zoned-like host: which zones hold each chunk, and which sectors of each zone are valid. With them the image of the
// tables that the drive holds: what changes marks its block of metadata as changed, and a flush carries these blocks over.
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "stimuli/hosts/dmz_layout.hpp"

namespace tessera {

inline constexpr std::uint32_t no_zone = ~std::uint32_t{0};

struct DmzChunk {
  std::uint32_t data = no_zone;    ///< zone that holds it
  std::uint32_t buffer = no_zone;  ///< conventional zone for what cannot be written there
};

enum class DmzUse : std::uint8_t {
  metadata,
  free,
  taken,  ///< a chunk's, or being filled for one
  freed   ///< what is on the drive may still name it
};

struct DmzZone {
  DmzUse use = DmzUse::free;
  std::uint32_t chunk = 0;    ///< of a taken zone, the chunk that has it
  std::uint32_t pointer = 0;  ///< of a sequential zone: sectors written or on their way
  std::uint32_t valid = 0;    ///< sectors
  std::uint32_t reads = 0;    ///< on their way
  std::uint64_t touched = 0;  ///< order of the last use
};

struct DmzRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Blocks of metadata as they were at one instant.
struct DmzSnapshot {
  struct Block {
    std::uint32_t number = 0;
    std::vector<std::uint64_t> words;
  };
  std::vector<Block> blocks;  ///< in ascending order, without the superblock
  std::set<std::uint64_t> lost;
};

class DmzTables {
 public:
  explicit DmzTables(const DmzLayout& layout);

  [[nodiscard]] const DmzChunk& chunk(std::uint32_t chunk) const { return chunks_[chunk]; }
  [[nodiscard]] const DmzZone& zone(std::uint32_t zone) const { return zones_[zone]; }
  [[nodiscard]] DmzZone& zone(std::uint32_t zone) { return zones_[zone]; }
  [[nodiscard]] bool random(std::uint32_t zone) const { return zone < layout_.conventional; }
  void map(std::uint32_t chunk, DmzChunk zones);

  [[nodiscard]] bool valid(std::uint32_t zone, std::uint32_t sector) const {
    const Bitmap& words = bits_[zone];
    return words != nullptr && ((*words)[sector / 64] >> sector % 64 & 1) != 0;
  }
  void set_valid(std::uint32_t zone, DmzRun run) { set(zone, run, true); }
  void set_invalid(std::uint32_t zone, DmzRun run) { set(zone, run, false); }
  /// The first run of valid sectors from `from` on, of no more than so many; a count of 0: there is none.
  [[nodiscard]] DmzRun next_valid(std::uint32_t zone, std::uint32_t from, std::uint32_t most) const;
  /// The zone in which the newest data of a chunk's sector is; no_zone: there is none.
  [[nodiscard]] std::uint32_t place(std::uint32_t chunk, std::uint32_t sector) const;

  /// The next free zone, taken from now on; zones take turns.
  [[nodiscard]] std::optional<std::uint32_t> take(bool random);
  /// No chunk's any more; it holds nothing valid, and is to be released once the drive's metadata says so.
  void set_freed(std::uint32_t zone);
  /// It may be taken again.
  void release(std::uint32_t zone);
  [[nodiscard]] std::uint32_t free_random() const { return free_random_; }
  [[nodiscard]] std::uint32_t free_sequential() const { return free_sequential_; }
  void touch(std::uint32_t zone) { zones_[zone].touched = ++touches_; }

  /// Sectors of the application that a move could not read: they cannot be read until they are written.
  [[nodiscard]] bool lost(std::uint64_t sector) const { return !lost_.empty() && lost_.contains(sector); }
  void lose(std::uint64_t sector) { lost_.insert(sector); }
  void find(std::uint64_t first, std::uint32_t count) {
    if (!lost_.empty()) lost_.erase(lost_.lower_bound(first), lost_.lower_bound(first + count));
  }

  // Metadata.
  [[nodiscard]] bool changed() const { return !changed_.empty(); }
  /// What changed since the last one.
  [[nodiscard]] DmzSnapshot take_changes();
  /// The drive holds it.
  void store(const DmzSnapshot& snapshot);
  /// As mkfs and use leave them, the drive's image too.
  void prefill(std::uint64_t sectors, std::uint32_t random_chunks);
  /// From the drive's image, with the write pointers that the drive reported. Zones that no chunk has are free, but those with a pointer,
  /// which are freed; gives these.
  [[nodiscard]] std::vector<std::uint32_t> restore(const std::vector<std::uint32_t>& pointers);

 private:
  using Words = std::vector<std::uint64_t>;
  /// Shared until it changes; null: nothing is valid.
  using Bitmap = std::shared_ptr<Words>;
  void set(std::uint32_t zone, DmzRun run, bool valid);
  [[nodiscard]] Words& words_of(std::vector<Bitmap>& bits, std::uint32_t zone) const;
  [[nodiscard]] std::uint32_t bitmap_block(std::uint32_t zone, std::uint32_t sector) const;
  [[nodiscard]] DmzRun words_in(std::uint32_t bitmap_block) const;
  [[nodiscard]] std::uint32_t entries_in_block() const { return (layout_.zones + layout_.map_blocks - 1) / layout_.map_blocks; }
  void count_free();

  DmzLayout layout_;
  std::uint32_t block_words_;
  std::vector<DmzChunk> chunks_;
  std::vector<DmzZone> zones_;
  std::vector<Bitmap> bits_;  // by zone
  std::set<std::uint64_t> lost_;
  std::set<std::uint32_t> changed_;  // blocks
  std::uint32_t free_random_ = 0;
  std::uint32_t free_sequential_ = 0;
  std::uint32_t next_random_ = 0;  // where the search for a free one begins
  std::uint32_t next_sequential_ = 0;
  std::uint64_t touches_ = 0;

  struct Image {
    std::vector<DmzChunk> chunks;
    std::vector<Bitmap> bits;
    std::set<std::uint64_t> lost;
  };
  Image image_;
};

}  // namespace tessera
