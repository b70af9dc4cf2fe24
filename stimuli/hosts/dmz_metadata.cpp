// The dm-zoned-like host: metadata goes to the drive. The blocks that changed go to the second set, are flushed with all data that they
// name, and the set's superblock makes them count by its generation; then the same in the first set. So one set is whole at any instant.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/dmz_host.hpp"

namespace tessera {

void DmzHost::flush_if_asked() {
  const bool zones_needed = !freed_.empty() && !parts_.empty();
  if (flush_.running || (!flush_wanted_ && wait_for_flush_.empty() && !zones_needed)) return;
  flush_wanted_ = false;
  flush_ = {};
  flush_.running = true;
  flush_.of_reclaim = reclaim_.flushing;
  flush_.tags.swap(wait_for_flush_);
  flush_.freed.swap(freed_);
  flush_.changes = tables_.take_changes();
  ++counts_.flushes;
  if (flush_.changes.blocks.empty())
    return commands_.send(HostOp::flush, {}, CommandPriority::foreground, [this](HostRequest& command) { end_flush(command.life); });
  const std::uint64_t generation = std::max(sets_[0].generation, sets_[1].generation) + 1;
  write_changes(1, generation, [this, generation](HostRequest&) {
    tables_.store(flush_.changes);
    stored_ = generation;
    write_changes(0, generation, [this](HostRequest& command) { end_flush(command.life); });
  });
}

/// So many sectors of a set from `from` on as one command may write.
std::uint32_t DmzHost::piece_of_set(std::uint32_t from, std::uint32_t most) const {
  return std::min({most, layout_.copy_sectors, layout_.zone_sectors - from % layout_.zone_sectors});
}

void DmzHost::write_changes(std::uint32_t set, std::uint64_t generation, DriveCommands::Done then) {
  TESSERA_CHECK(sets_[set].valid, "changes of metadata go to a set that is not whole");
  sets_[set].valid = false;
  const std::vector<DmzSnapshot::Block>& blocks = flush_.changes.blocks;
  ++flush_.under_way;
  const auto one_less = [this, set, generation, then = std::move(then)] {
    if (--flush_.under_way == 0) write_superblock(set, generation, then);
  };
  for (std::size_t i = 0; i < blocks.size();) {
    std::size_t end = i + 1;
    while (end < blocks.size() && blocks[end].number == blocks[end - 1].number + 1) ++end;
    const std::uint32_t count = piece_of_set(blocks[i].number, static_cast<std::uint32_t>(end - i));
    ++flush_.under_way;
    counts_.metadata += count;
    commands_.send(HostOp::write, set_blocks(set, {blocks[i].number, count}), CommandPriority::foreground,
                   [one_less](HostRequest&) { one_less(); });
    i += count;
  }
  one_less();
}

void DmzHost::write_superblock(std::uint32_t set, std::uint64_t generation, DriveCommands::Done then) {
  commands_.send(HostOp::flush, {}, CommandPriority::foreground, [this, set, generation, then = std::move(then)](HostRequest&) {
    ++counts_.metadata;
    std::vector<std::byte> content(view_.bytes());
    const std::uint64_t tag = superblock_tag(generation);
    if (!content.empty()) std::memcpy(content.data(), &tag, sizeof tag);
    commands_.send(
        HostOp::write, set_blocks(set, {0, 1}), CommandPriority::foreground,
        [this, set, generation, then](HostRequest&) {
          commands_.send(HostOp::flush, {}, CommandPriority::foreground, [this, set, generation, then](HostRequest& last) {
            sets_[set] = {true, generation};
            then(last);
          });
        },
        std::move(content));
  });
}

void DmzHost::end_flush(const RequestLife& life) {
  const Flush ended = std::exchange(flush_, {});
  released_.insert(released_.end(), ended.freed.begin(), ended.freed.end());
  if (ended.of_reclaim) {
    counts_.host.cleaned(timeline_.now() - reclaim_.begin, reclaim_.in_idle_time);
    reclaim_ = {};
  }
  for (const std::uint32_t tag : ended.tags) finish(requests_[tag], Status::ok, &life);
  proceed();
}

}  // namespace tessera
