// What the scoreboard knows of the drive's content, in a stream, so that a later run goes on checking what an earlier one wrote.
#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "base/state_stream.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"
#include "stimuli/scoreboard/version_tag.hpp"

namespace tessera {

namespace {

// Versions beyond the first of their blocks, of all blocks: what a run leaves is thousands, and this is 512 MiB.
constexpr std::uint64_t most_further_versions = std::uint64_t{1} << 26;

/// Groups of blocks whose versions follow each other.
struct GroupRun {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  Tag tag = 0;
};

template <class Map>
std::vector<std::uint64_t> keys_of(const Map& map) {
  std::vector<std::uint64_t> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.push_back(key);
  std::ranges::sort(keys);
  return keys;
}

}  // namespace

/// Runs of whole groups, then the groups in which requests met, then the versions beside the newest, then what was trimmed.
void VersionMap::save_state(StateWriter& out) const {
  std::vector<GroupRun> runs;
  std::vector<std::uint64_t> met;
  for (const std::uint64_t key : keys_of(words_)) {
    const std::uint64_t word = words_.find(key)->second;
    if ((word & exploded_mark) != 0) {
      met.push_back(key);
    } else if (!runs.empty() && runs.back().first + runs.back().count == key && runs.back().tag + runs.back().count * group == word) {
      ++runs.back().count;
    } else {
      runs.push_back({key, 1, word});
    }
  }
  std::uint64_t end = 0;
  out.number(runs.size());
  for (const GroupRun& run : runs) {
    out.number(run.first - end);
    out.number(run.count);
    out.number(run.tag);
    end = run.first + run.count;
  }
  out.number(met.size());
  for (const std::uint64_t key : met) {
    out.number(key);
    for (const Tag tag : exploded_[words_.find(key)->second & ~exploded_mark]) out.number(tag);
  }
  out.number(more_.size());
  for (const std::uint64_t block : keys_of(more_)) {
    out.number(block);
    const std::vector<Tag>& tags = more_.find(block)->second;
    out.number(tags.size());
    for (const Tag tag : tags) out.number(tag);
  }
  out.number(trimmed_.size());
  for (const std::uint64_t key : keys_of(trimmed_)) {
    out.number(key);
    out.number(trimmed_.find(key)->second);
  }
}

void VersionMap::load_state(StateReader& in, HostBlock blocks) {
  const std::uint64_t groups = (blocks.value() + group - 1) / group;
  words_.clear();
  exploded_.clear();
  free_.clear();
  more_.clear();
  trimmed_.clear();
  std::uint64_t end = 0;
  for (std::size_t left = in.count(); left > 0; --left) {
    in.require(end < groups, "a version of a block outside the drive");
    const std::uint64_t first = end + in.number(groups - end);
    const std::uint64_t count = in.number(groups - first + 1);
    const Tag tag = in.number(exploded_mark - count * group + 1);  // the last one's stays below the mark
    for (std::uint64_t i = 0; i < count; ++i) words_[first + i] = tag + i * group;
    end = first + count;
  }
  for (std::size_t left = in.count(groups); left > 0; --left) {
    words_[in.number(groups)] = exploded_mark | exploded_.size();
    for (Tag& tag : exploded_.emplace_back()) tag = in.number();
  }
  std::uint64_t room = most_further_versions;
  for (std::size_t left = in.count(std::min(groups * group, room)); left > 0; --left) {
    std::vector<Tag>& tags = more_[in.number(groups * group)];
    tags.resize(in.count(room));
    room -= tags.size();
    for (Tag& tag : tags) tag = in.number();
  }
  for (std::size_t left = in.count(groups); left > 0; --left) {
    const std::uint64_t key = in.number(groups);
    trimmed_[key] = static_cast<std::uint8_t>(in.number(std::uint64_t{1} << group));
  }
}

void Scoreboard::save_state(StateWriter& out) const {
  TESSERA_CHECK(at_drive_.empty() && reads_.empty() && flushes_.empty() && undurable_.empty(),
                "the state of a scoreboard in the midst of a run");
  out.number(versions_);
  out.flag(undisturbed_);
  out.flag(blank_destroyed_);
  out.sorted(once_destroyed_);
  out.number(untold_.size());
  for (const auto& [position, generation] : untold_) {
    out.number(position);
    out.number(generation);
  }
  out.number(unanswered_.size());
  for (const auto& [sector, write] : unanswered_) {
    out.number(sector);
    out.number(write.blocks.first.value());
    out.number(write.blocks.count);
    out.number(write.first);
  }
  current_.save_state(out);
  out.flag(keeps_undurable());
  if (!keeps_undurable()) return;
  durable_.save_state(out);
  const std::map<std::uint64_t, Tag> at_risk(at_risk_.begin(), at_risk_.end());
  out.number(at_risk.size());
  for (const auto& [block, tag] : at_risk) {
    out.number(block);
    out.number(tag);
  }
  out.flag(losses_untold_);
}

void Scoreboard::load_state(StateReader& in, HostBlock blocks) {
  versions_ = in.number(most_versions);
  undisturbed_ = in.flag();
  blank_destroyed_ = in.flag();
  const std::vector<std::uint64_t> once = in.sorted(blocks.value());
  once_destroyed_ = {once.begin(), once.end()};
  for (std::size_t left = in.count(blocks.value()); left > 0; --left) {
    const std::uint64_t position = in.number();
    untold_.emplace(position, in.number());
  }
  for (std::size_t left = in.count(blocks.value()); left > 0; --left) {
    Unanswered& write = unanswered_[in.number(blocks.value())];
    write.blocks.first = HostBlock(in.number(blocks.value()));
    write.blocks.count = static_cast<std::uint32_t>(in.number(sector_blocks_ + std::uint64_t{1}));
    write.first = in.number();
  }
  current_.load_state(in, blocks);
  in.require(in.flag() == keeps_undurable(), "its promise is another");
  if (!keeps_undurable()) return;
  durable_.load_state(in, blocks);
  for (std::size_t left = in.count(blocks.value()); left > 0; --left) {
    const std::uint64_t block = in.number(blocks.value());
    at_risk_[block] = in.number();
  }
  losses_untold_ = in.flag();
}

}  // namespace tessera
