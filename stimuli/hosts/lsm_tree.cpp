#include "stimuli/hosts/lsm_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.hpp"

namespace tessera {

/// Out of line: GCC 12 takes two releases of one file for a use after the first.
[[gnu::noinline]] void intrusive_ptr_release(const LsmFile* file) {
  if (--file->references.count == 0) delete file;
}

LsmKeys::LsmKeys(std::vector<std::uint64_t> keys) : count_(static_cast<std::uint32_t>(keys.size())) {
  if (keys.empty()) return;
  first_ = keys.front();
  if (keys.back() - keys.front() + 1 != keys.size()) keys_ = LsmKeyList(std::move(keys));
}

std::uint32_t LsmKeys::lower_bound(std::uint64_t key) const {
  const std::vector<std::uint64_t>& keys = *keys_;
  if (!keys.empty()) return static_cast<std::uint32_t>(std::ranges::lower_bound(keys, key) - keys.begin());
  if (count_ == 0 || key <= first_) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count_, (key - first_ + distance_ - 1) / distance_));
}

std::optional<std::uint32_t> LsmFile::find(std::uint64_t key) const {
  const std::uint32_t position = keys.lower_bound(key);
  if (position == keys.size() || keys[position] != key) return std::nullopt;
  return position;
}

bool LsmFile::deletes(std::uint64_t key) const { return std::ranges::binary_search(*deleted, key); }

bool LsmFile::lacks(std::uint64_t key) const { return std::ranges::binary_search(*lost, key); }

std::uint64_t LsmFile::sectors() const {
  return std::accumulate(extents.begin(), extents.end(), std::uint64_t{0},
                         [](std::uint64_t sum, LsmExtent extent) { return sum + extent.sectors; });
}

LsmExtent LsmFile::run(std::uint32_t position, std::uint32_t most) const {
  for (const LsmExtent& extent : extents) {
    if (position < extent.sectors) return {extent.place + position, std::min(most, extent.sectors - position)};
    position -= extent.sectors;
  }
  TESSERA_CHECK(false, "a position after the end of a file");
  return {};
}

std::uint32_t LsmFile::position_of(LsmExtent extent) const {
  std::uint32_t position = 0;
  for (const LsmExtent& other : extents) {
    if (other.place == extent.place) return position;
    position += other.sectors;
  }
  TESSERA_CHECK(false, "an extent that its file has not");
  return position;
}

LsmTree::LsmTree(const LsmHostConfig& config, const LsmLayout& layout)
    : level0_files_(config.level0_files),
      ratio_(config.level_ratio),
      base_sectors_(layout.base_sectors),
      levels_(lsm_levels),
      sectors_(lsm_levels) {}

std::uint64_t LsmTree::sectors() const { return std::accumulate(sectors_.begin(), sectors_.end(), std::uint64_t{0}); }

LsmFilePtr LsmTree::file(std::uint64_t id) const {
  const auto at = by_id_.find(id);
  return at == by_id_.end() ? nullptr : *at;
}

LsmFilePtr LsmTree::covering(std::uint32_t level, std::uint64_t key) const {
  const Level& files = levels_[level];
  const auto at = std::ranges::lower_bound(files, key, {}, [](const LsmFilePtr& file) { return file->largest; });
  return at == files.end() || (*at)->smallest > key ? nullptr : *at;
}

LsmTree::Level LsmTree::overlapping(std::uint32_t level, std::uint64_t smallest, std::uint64_t largest) const {
  const Level& files = levels_[level];
  const auto first = std::ranges::lower_bound(files, smallest, {}, [](const LsmFilePtr& file) { return file->largest; });
  const auto end = std::ranges::upper_bound(first, files.end(), largest, {}, [](const LsmFilePtr& file) { return file->smallest; });
  return {first, end};
}

void LsmTree::insert(std::uint32_t level, const LsmFilePtr& file) {
  Level& files = levels_[level];
  const auto newer = [](const LsmFilePtr& a, const LsmFilePtr& b) { return a->id > b->id; };
  const auto before = [](const LsmFilePtr& a, const LsmFilePtr& b) { return a->smallest < b->smallest; };
  const auto at =
      level == 0 ? std::upper_bound(files.begin(), files.end(), file, newer) : std::upper_bound(files.begin(), files.end(), file, before);
  TESSERA_CHECK(
      level == 0 || ((at == files.end() || (*at)->smallest > file->largest) && (at == files.begin() || at[-1]->largest < file->smallest)),
      "files of one level overlap");
  files.insert(at, file);
  sectors_[level] += file->sectors();
  entries_ += file->entries();
  file->level = static_cast<std::uint8_t>(level);
  by_id_.insert(file);
}

LsmFilePtr LsmTree::take(std::uint64_t id) {
  const auto at = by_id_.find(id);
  LsmFilePtr file = *at;
  Level& files = levels_[file->level];
  files.erase(std::ranges::find(files, file));
  sectors_[file->level] -= file->sectors();
  entries_ -= file->entries();
  by_id_.erase(at);
  return file;
}

std::vector<LsmExtent> LsmTree::apply(const LsmChange& change) {
  using Kind = LsmChange::Kind;
  if (change.kind == Kind::add) {
    insert(change.level, change.file);
    return {};
  }
  const auto at = by_id_.find(change.id);
  if (at == by_id_.end()) return change.to;
  const std::uint32_t level = (*at)->level;
  const LsmFilePtr old = take(change.id);
  if (change.kind == Kind::remove) return {old->extents.begin(), old->extents.end()};
  const auto file = make_lsm_file(*old);
  std::vector<LsmExtent> freed;
  if (change.kind == Kind::trim) file->smallest = change.key + 1;
  if (change.kind == Kind::relocate) {
    const auto moved = std::ranges::find_if(file->extents, [&](LsmExtent extent) { return extent.place == change.from.place; });
    TESSERA_CHECK(moved != file->extents.end() && moved->sectors == change.from.sectors, "an extent was relocated that its file has not");
    freed.push_back(change.from);
    const auto gap = file->extents.erase(moved);
    file->extents.insert(gap, change.to.begin(), change.to.end());
    std::vector<std::uint64_t> lost = *file->lost;
    lost.insert(lost.end(), change.lost.begin(), change.lost.end());
    std::ranges::sort(lost);
    file->lost = std::move(lost);
  }
  insert(change.kind == Kind::move ? change.level : level, file);
  return freed;
}

std::uint32_t LsmTree::base_level() const {
  std::uint32_t first = lsm_levels - 1;
  for (std::uint32_t level = lsm_levels - 1; level > 0; --level)
    if (!levels_[level].empty()) first = level;
  std::uint64_t size = *std::max_element(sectors_.begin() + 1, sectors_.end());
  for (std::uint32_t level = lsm_levels - 1; level > first; --level) size /= ratio_;
  for (; first > 1 && size > base_sectors_; --first) size /= ratio_;
  return first;
}

std::vector<std::uint64_t> LsmTree::targets() const {
  const std::uint32_t base = base_level();
  std::uint64_t size = *std::max_element(sectors_.begin() + 1, sectors_.end());
  for (std::uint32_t level = lsm_levels - 1; level > base; --level) size /= ratio_;
  size = std::clamp<std::uint64_t>(size, base_sectors_ / ratio_ + 1, base_sectors_);
  std::vector<std::uint64_t> targets(lsm_levels);
  for (std::uint32_t level = base; level < lsm_levels; ++level, size *= ratio_) targets[level] = size;
  return targets;
}

LsmChoice LsmTree::choice_of(std::uint32_t level, std::uint32_t into) const {
  LsmChoice choice{level, into, {}, {}};
  if (level == 0) {
    choice.files = levels_[0];
    std::uint64_t smallest = choice.files.front()->smallest;
    std::uint64_t largest = choice.files.front()->largest;
    for (const LsmFilePtr& file : choice.files) {
      smallest = std::min(smallest, file->smallest);
      largest = std::max(largest, file->largest);
    }
    choice.overlap = overlapping(into, smallest, largest);
    return choice;
  }
  double least = 0;
  for (const LsmFilePtr& file : levels_[level]) {
    Level overlap = overlapping(into, file->smallest, file->largest);
    double ratio = 0;
    for (const LsmFilePtr& other : overlap) ratio += static_cast<double>(other->sectors());
    ratio /= static_cast<double>(file->sectors());
    if (!choice.files.empty() && ratio >= least) continue;
    least = ratio;
    choice.files = {file};
    choice.overlap = std::move(overlap);
  }
  return choice;
}

std::optional<LsmChoice> LsmTree::choose(bool any) const {
  const std::vector<std::uint64_t> sizes = targets();
  const std::uint32_t base = base_level();
  double best = 0;
  std::optional<std::uint32_t> found;
  for (std::uint32_t level = 0; level + 1 < lsm_levels; ++level) {
    if (levels_[level].empty()) continue;
    const double score = level == 0 ? static_cast<double>(levels_[0].size()) / level0_files_
                                    : static_cast<double>(sectors_[level]) / static_cast<double>(std::max<std::uint64_t>(1, sizes[level]));
    if ((!any && score < 1) || (found && score <= best)) continue;
    best = score;
    found = level;
  }
  if (!found) return std::nullopt;
  return choice_of(*found, *found == 0 ? base : *found + 1);
}

}  // namespace tessera
