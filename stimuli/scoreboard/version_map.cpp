#include "stimuli/scoreboard/version_map.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "stimuli/scoreboard/version_tag.hpp"

namespace tessera {

bool matches(Tag entry, Tag found, HostBlock block) {
  if (found == entry) return true;
  if (brings_zeros(entry)) return found == never_written;
  if (entry == never_written) return found == (prefill_mark | block.value());
  if (entry == destroyed || (entry & older_mark) == 0) return false;
  if (found == never_written) return true;
  if (entry == nothing || !names_block(found) || block_of(found) != block) return false;
  return found < (entry & ~older_mark) || (found & prefill_mark) != 0;
}

namespace {

/// Calls f(group, first, end) for the blocks of a run, group by group.
template <class F>
void each_group(HostRun blocks, std::uint32_t group, F&& f) {
  for (std::uint64_t block = blocks.first.value(); block < blocks.end().value();) {
    const std::uint64_t key = block / group;
    const std::uint64_t end = std::min<std::uint64_t>(blocks.end().value(), (key + 1) * group);
    f(key, static_cast<std::uint32_t>(block - key * group), static_cast<std::uint32_t>(end - key * group));
    block = end;
  }
}

constexpr std::uint8_t bits(std::uint32_t first, std::uint32_t end) { return static_cast<std::uint8_t>((1U << end) - (1U << first)); }

}  // namespace

void VersionMap::trim(HostRun blocks) {
  each_group(blocks, group, [this](std::uint64_t key, std::uint32_t first, std::uint32_t end) { trimmed_[key] |= bits(first, end); });
}

void VersionMap::forget_trims(HostRun blocks) {
  if (trimmed_.empty()) return;
  each_group(blocks, group, [this](std::uint64_t key, std::uint32_t first, std::uint32_t end) {
    const auto at = trimmed_.find(key);
    if (at == trimmed_.end()) return;
    at->second &= static_cast<std::uint8_t>(~bits(first, end));
    if (at->second == 0) trimmed_.erase(at);
  });
}

void VersionMap::set_run(HostRun blocks, Tag first) {
  if (!more_.empty())
    for (std::uint32_t i = 0; i < blocks.count; ++i) more_.erase(blocks.first.value() + i);
  forget_trims(blocks);
  each_group(blocks, group, [this, &first](std::uint64_t key, std::uint32_t from, std::uint32_t to) {
    if (from == 0 && to == group && (first & exploded_mark) == 0) {
      set_whole_group(key, first);
    } else {
      set_part(key, from, to, first);
    }
    first += to - from;
  });
}

void VersionMap::set_whole_group(std::uint64_t key, Tag first) {
  std::uint64_t& word = words_[key];
  if ((word & exploded_mark) != 0) free_.push_back(word & ~exploded_mark);
  word = first;
}

void VersionMap::set_part(std::uint64_t key, std::uint32_t from, std::uint32_t to, Tag first) {
  Tags& tags = explode(key);
  for (std::uint32_t i = from; i < to; ++i) tags[i] = first + (i - from);
}

VersionMap::Tags& VersionMap::explode(std::uint64_t key) {
  const auto [at, fresh] = words_.try_emplace(key, 0);
  std::uint64_t& word = at->second;
  if ((word & exploded_mark) != 0) return exploded_[word & ~exploded_mark];
  Tags tags{};
  for (std::uint32_t i = 0; i < group; ++i) tags[i] = fresh ? prefilled_.untouched(HostBlock(key * group + i)) : word + i;
  std::uint64_t place = exploded_.size();
  if (free_.empty()) {
    exploded_.push_back(tags);
  } else {
    place = free_.back();
    free_.pop_back();
    exploded_[place] = tags;
  }
  word = exploded_mark | place;
  return exploded_[place];
}

void VersionMap::add(HostBlock block, Tag entry) {
  if (newest(block) == entry) return;
  if (entry == nothing) return trim({block, 1});
  std::vector<Tag>& versions = more_[block.value()];
  if (std::find(versions.begin(), versions.end(), entry) == versions.end()) versions.push_back(entry);
}

Tag VersionMap::newest(HostBlock block) const {
  const auto at = words_.find(block.value() / group);
  if (at == words_.end()) return prefilled_.untouched(block);
  const std::uint64_t offset = block.value() % group;
  return (at->second & exploded_mark) != 0 ? exploded_[at->second & ~exploded_mark][offset] : at->second + offset;
}

std::vector<Tag> VersionMap::versions(HostBlock block) const {
  std::vector<Tag> all{newest(block)};
  if (const auto at = more_.find(block.value()); at != more_.end()) all.insert(all.end(), at->second.begin(), at->second.end());
  if (trimmed(block)) all.push_back(nothing);
  return all;
}

bool VersionMap::allows(HostBlock block, Tag found) const {
  if (matches(newest(block), found, block) || (trimmed(block) && matches(nothing, found, block))) return true;
  if (more_.empty()) return false;
  const auto at = more_.find(block.value());
  return at != more_.end() && std::any_of(at->second.begin(), at->second.end(), [=](Tag entry) { return matches(entry, found, block); });
}

bool VersionMap::trimmed(HostBlock block) const {
  if (trimmed_.empty()) return false;
  const auto at = trimmed_.find(block.value() / group);
  return at != trimmed_.end() && (at->second >> block.value() % group & 1U) != 0;
}

bool VersionMap::allows_older(HostBlock block) const {
  return std::ranges::any_of(versions(block), [](Tag entry) { return entry != nothing && (entry & zeros_mark) == older_mark; });
}

std::vector<HostRun> VersionMap::runs(std::uint32_t longest) const {
  std::vector<std::uint64_t> keys;
  keys.reserve(words_.size() + more_.size() + trimmed_.size());
  for (const auto& [key, word] : words_) keys.push_back(key);
  for (const auto& [block, versions] : more_) keys.push_back(block / group);
  for (const auto& [key, blocks] : trimmed_) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());

  std::vector<HostRun> runs;
  for (const std::uint64_t key : keys) {
    for (std::uint64_t block = key * group; block < (key + 1) * group; ++block) {
      const HostBlock at(block);
      if (newest(at) == never_written && !more_.contains(block) && !trimmed(at)) continue;
      if (!runs.empty() && runs.back().end() == at && runs.back().count < longest) {
        ++runs.back().count;
      } else {
        runs.push_back({at, 1});
      }
    }
  }
  return runs;
}

}  // namespace tessera
