#pragma once
// What a block device may answer: a plain reference for commands that overlap in time.
//
// Each block keeps the commands that gave it content, each with the two instants between which it took effect. A read may show the content
// of a command unless another one that is certain began after that one's end and was over before the read began. A command that was
// aborted, that failed, or that a reset or a power cut caught is uncertain: it may have taken effect until then, or never. A power cut
// makes uncertain all that was not durable: neither written with FUA nor followed by a flush.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace test {

class BlockHistory {
 public:
  using Instant = std::uint64_t;  ///< one more at each event
  using Content = std::uint32_t;  ///< 0: nothing
  enum class Outcome { done, unknown };

  /// A range gets content with the command `id`; a TRIM that promises no zeros may be `optional`.
  void begin(unsigned id, std::uint64_t first, std::uint32_t blocks, Content content, bool optional = false) {
    ++now_;
    for (std::uint64_t block = first; block < first + blocks; ++block)
      changes_of(block).push_back({id, content, now_, never, optional, false});
    ranges_[id] = {first, blocks};
  }
  /// The command is over; `durable`: its content outlives a power cut.
  void end(unsigned id, Outcome outcome, bool durable) {
    ++now_;
    const Range range = ranges_.at(id);
    ranges_.erase(id);
    for (std::uint64_t block = range.first; block < range.first + range.blocks; ++block)
      for (Change& change : changes_of(block)) {
        if (change.id != id) continue;
        change.ended = now_;
        change.uncertain |= outcome == Outcome::unknown;
        change.durable = durable;
      }
  }
  /// What a read or a flush names as its beginning.
  Instant ask() { return ++now_; }
  /// A flush that began then is over: what had ended by then is durable.
  void flushed(Instant asked) {
    for (auto& [block, changes] : changes_)
      for (Change& change : changes) change.durable |= change.ended < asked;
  }
  /// Nothing is in flight any more: end() has been called for each.
  void cut() {
    for (auto& [block, changes] : changes_)
      for (Change& change : changes) change.uncertain |= !change.durable;
  }
  /// Whether a read that began then, and is over now, may show this.
  [[nodiscard]] bool may_hold(std::uint64_t block, Content content, Instant asked) {
    const std::vector<Change>& changes = changes_of(block);
    return std::ranges::any_of(changes, [&](const Change& shown) {
      return shown.content == content && std::ranges::none_of(changes, [&](const Change& later) {
               return !later.uncertain && later.begun > shown.ended && later.ended < asked;
             });
    });
  }
  /// Whether a power cut may have left the block between two contents.
  [[nodiscard]] bool is_unsettled(std::uint64_t block) {
    return std::ranges::any_of(changes_of(block), [](const Change& change) { return change.uncertain; });
  }
  /// A read after the boot that followed a power cut showed this: the block holds it, durably, and no longer what it might have held.
  void settle(std::uint64_t block, Content content) { changes_of(block) = {Change{0, content, 0, now_, false, true}}; }
  /// The contents that a read may show, for a message.
  [[nodiscard]] std::string expected(std::uint64_t block, Instant asked) {
    std::string text;
    for (const Change& change : changes_of(block))
      if (may_hold(block, change.content, asked)) text += (text.empty() ? "" : " or ") + std::to_string(change.content);
    return text;
  }

 private:
  static constexpr Instant never = std::numeric_limits<Instant>::max();
  struct Change {
    unsigned id;
    Content content;
    Instant begun, ended;
    bool uncertain, durable;
  };
  struct Range {
    std::uint64_t first;
    std::uint32_t blocks;
  };
  std::vector<Change>& changes_of(std::uint64_t block) {
    return changes_.try_emplace(block, 1, Change{0, 0, 0, 0, false, true}).first->second;
  }

  std::map<std::uint64_t, std::vector<Change>> changes_;
  std::map<unsigned, Range> ranges_;
  Instant now_ = 1;
};

}  // namespace test
