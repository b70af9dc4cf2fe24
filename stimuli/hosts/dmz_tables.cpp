#include "stimuli/hosts/dmz_tables.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t word_bits = 64;

std::uint64_t packed(const DmzChunk& chunk) { return chunk.data | std::uint64_t{chunk.buffer} << 32; }
DmzChunk unpacked(std::uint64_t word) { return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)}; }

}  // namespace

DmzTables::DmzTables(const DmzLayout& layout)
    : layout_(layout), block_words_(0), chunks_(layout.chunks), zones_(layout.zones), bits_(layout.zones), image_{chunks_, bits_, {}} {
  const std::uint32_t words = (layout.zone_sectors + word_bits - 1) / word_bits;
  block_words_ = (words + layout.bitmap_blocks - 1) / layout.bitmap_blocks;
  for (std::uint32_t zone = 0; zone < layout.first_random(); ++zone) zones_[zone].use = DmzUse::metadata;
  count_free();
}

void DmzTables::count_free() {
  free_random_ = free_sequential_ = 0;
  next_random_ = layout_.first_random();
  next_sequential_ = layout_.conventional;
  for (std::uint32_t zone = 0; zone < layout_.zones; ++zone)
    if (zones_[zone].use == DmzUse::free) ++(random(zone) ? free_random_ : free_sequential_);
}

DmzTables::Words& DmzTables::words_of(std::vector<Bitmap>& bits, std::uint32_t zone) const {
  Bitmap& words = bits[zone];
  if (words == nullptr)
    words = std::make_shared<Words>((layout_.zone_sectors + word_bits - 1) / word_bits, 0);
  else if (words.use_count() > 1)
    words = std::make_shared<Words>(*words);
  return *words;
}

std::uint32_t DmzTables::bitmap_block(std::uint32_t zone, std::uint32_t sector) const {
  return 1 + layout_.map_blocks + zone * layout_.bitmap_blocks + sector / word_bits / block_words_;
}

/// Words of the zone's bitmap that the block holds.
DmzRun DmzTables::words_in(std::uint32_t bitmap_block) const {
  const std::uint32_t all = (layout_.zone_sectors + word_bits - 1) / word_bits;
  const std::uint32_t first = bitmap_block % layout_.bitmap_blocks * block_words_;
  return {first, std::min(block_words_, all - std::min(all, first))};
}

void DmzTables::map(std::uint32_t chunk, DmzChunk zones) {
  chunks_[chunk] = zones;
  for (const std::uint32_t zone : {zones.data, zones.buffer})
    if (zone != no_zone) zones_[zone].chunk = chunk;
  const std::uint32_t in_block = entries_in_block();
  changed_.insert(1 + chunk / in_block);
}

void DmzTables::set(std::uint32_t number, DmzRun run, bool valid) {
  if (run.count == 0 || (!valid && bits_[number] == nullptr)) return;
  Words& words = words_of(bits_, number);
  DmzZone& zone = zones_[number];
  std::optional<std::uint32_t> marked;
  for (std::uint32_t sector = run.first; sector < run.first + run.count;) {
    const std::uint32_t bit = sector % word_bits;
    const std::uint32_t count = std::min(word_bits - bit, run.first + run.count - sector);
    const std::uint64_t mask = (count == word_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << bit;
    std::uint64_t& word = words[sector / word_bits];
    const std::uint64_t changes = (valid ? ~word : word) & mask;
    if (changes != 0) {
      word ^= changes;
      const auto changed = static_cast<std::uint32_t>(std::popcount(changes));
      zone.valid = valid ? zone.valid + changed : zone.valid - changed;
      if (const std::uint32_t block = bitmap_block(number, sector); block != marked) changed_.insert(*(marked = block));
    }
    sector += count;
  }
}

DmzRun DmzTables::next_valid(std::uint32_t zone, std::uint32_t from, std::uint32_t most) const {
  if (bits_[zone] == nullptr) return {};
  const Words& words = *bits_[zone];
  std::uint32_t first = from;
  while (first < layout_.zone_sectors && !valid(zone, first)) {
    const std::uint64_t rest = words[first / word_bits] >> first % word_bits;
    first += rest == 0 ? word_bits - first % word_bits : static_cast<std::uint32_t>(std::countr_zero(rest));
  }
  if (first >= layout_.zone_sectors) return {};
  std::uint32_t end = first;
  while (end < layout_.zone_sectors && end - first < most && valid(zone, end)) ++end;
  return {first, end - first};
}

std::uint32_t DmzTables::place(std::uint32_t chunk, std::uint32_t sector) const {
  const DmzChunk& zones = chunks_[chunk];
  if (zones.data != no_zone && valid(zones.data, sector)) return zones.data;
  if (zones.buffer != no_zone && valid(zones.buffer, sector)) return zones.buffer;
  return no_zone;
}

std::optional<std::uint32_t> DmzTables::take(bool of_random) {
  std::uint32_t& left = of_random ? free_random_ : free_sequential_;
  if (left == 0) return std::nullopt;
  std::uint32_t& zone = of_random ? next_random_ : next_sequential_;
  while (zones_[zone].use != DmzUse::free)
    if (++zone == (of_random ? layout_.conventional : layout_.zones)) zone = of_random ? layout_.first_random() : layout_.conventional;
  zones_[zone].use = DmzUse::taken;
  touch(zone);
  --left;
  return zone;
}

void DmzTables::set_freed(std::uint32_t zone) {
  TESSERA_CHECK(zones_[zone].valid == 0, "a zone with valid sectors was freed");
  zones_[zone].use = DmzUse::freed;
}

void DmzTables::release(std::uint32_t zone) {
  zones_[zone].use = DmzUse::free;
  zones_[zone].pointer = 0;
  ++(random(zone) ? free_random_ : free_sequential_);
}

DmzSnapshot DmzTables::take_changes() {
  DmzSnapshot snapshot;
  const std::uint32_t in_block = entries_in_block();
  for (const std::uint32_t number : changed_) {
    DmzSnapshot::Block& block = snapshot.blocks.emplace_back();
    block.number = number;
    if (number <= layout_.map_blocks) {
      const std::uint32_t first = (number - 1) * in_block;
      for (std::uint32_t chunk = first; chunk < std::min(first + in_block, layout_.chunks); ++chunk)
        block.words.push_back(packed(chunks_[chunk]));
      continue;
    }
    const std::uint32_t of_bitmaps = number - 1 - layout_.map_blocks;
    const DmzRun run = words_in(of_bitmaps);
    const auto first = words_of(bits_, of_bitmaps / layout_.bitmap_blocks).begin() + run.first;
    block.words.assign(first, first + run.count);
  }
  changed_.clear();
  snapshot.lost = lost_;
  return snapshot;
}

void DmzTables::store(const DmzSnapshot& snapshot) {
  const std::uint32_t in_block = entries_in_block();
  for (const DmzSnapshot::Block& block : snapshot.blocks) {
    if (block.number <= layout_.map_blocks) {
      std::ranges::transform(block.words, image_.chunks.begin() + (block.number - 1) * in_block, unpacked);
      continue;
    }
    const std::uint32_t of_bitmaps = block.number - 1 - layout_.map_blocks;
    std::ranges::copy(block.words, words_of(image_.bits, of_bitmaps / layout_.bitmap_blocks).begin() + words_in(of_bitmaps).first);
  }
  image_.lost = snapshot.lost;
}

/// Chunks lie in their order in the first sequential zones, but for some evenly chosen ones that are still in random zones.
void DmzTables::prefill(std::uint64_t sectors, std::uint32_t random_chunks) {
  const auto written = static_cast<std::uint32_t>((sectors + layout_.zone_sectors - 1) / layout_.zone_sectors);
  std::uint32_t full = no_zone;
  for (std::uint32_t chunk = 0; chunk < written; ++chunk) {
    const bool in_random = std::uint64_t{chunk + 1} * random_chunks / written != std::uint64_t{chunk} * random_chunks / written;
    const std::uint32_t zone = take(in_random).value();
    if (!in_random) zones_[zone].pointer = layout_.zone_sectors;
    map(chunk, {zone, no_zone});
    const std::uint64_t left = sectors - std::uint64_t{chunk} * layout_.zone_sectors;
    if (left >= layout_.zone_sectors && full != no_zone) {  // they share one bitmap: 2 GB less at 32 TB
      bits_[zone] = bits_[full];
      zones_[zone].valid = layout_.zone_sectors;
      continue;
    }
    set_valid(zone, {0, static_cast<std::uint32_t>(std::min<std::uint64_t>(layout_.zone_sectors, left))});
    if (left >= layout_.zone_sectors) full = zone;
  }
  changed_.clear();
  image_ = {chunks_, bits_, {}};
}

std::vector<std::uint32_t> DmzTables::restore(const std::vector<std::uint32_t>& pointers) {
  chunks_ = image_.chunks;
  bits_ = image_.bits;
  lost_ = image_.lost;
  changed_.clear();
  std::vector<std::uint32_t> freed;
  for (std::uint32_t number = layout_.first_random(); number < layout_.zones; ++number) {
    DmzZone& zone = zones_[number];
    zone = {};
    zone.pointer = pointers[number];
    if (bits_[number] != nullptr)
      for (const std::uint64_t word : *bits_[number]) zone.valid += static_cast<std::uint32_t>(std::popcount(word));
    TESSERA_CHECK(random(number) || next_valid(number, zone.pointer, 1).count == 0, "the drive lost sectors that metadata names");
  }
  for (std::uint32_t chunk = 0; chunk < layout_.chunks; ++chunk)
    for (const std::uint32_t zone : {chunks_[chunk].data, chunks_[chunk].buffer})
      if (zone != no_zone) {
        zones_[zone].use = DmzUse::taken;
        zones_[zone].chunk = chunk;
      }
  for (std::uint32_t number = layout_.conventional; number < layout_.zones; ++number)
    if (zones_[number].use == DmzUse::free && zones_[number].pointer != 0) {
      zones_[number].use = DmzUse::freed;
      freed.push_back(number);
    }
  count_free();
  return freed;
}

}  // namespace tessera
