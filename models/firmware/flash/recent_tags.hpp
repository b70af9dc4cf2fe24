#pragma once
// Changes of flash pages' tags that no checkpoint has yet: a ring in DRAM that the dump engine saves. A page that becomes unreadable before
// the next checkpoint is known by it, so that no older copy of its sector is taken for the newest.
#include <array>
#include <cstdint>

#include "firmware/tables/dram_table.hpp"

namespace tessera {

class RecentTags {
 public:
  /// A page and the two words of its tag.
  using Change = std::array<std::uint64_t, 3>;

  RecentTags(MemoryPort& memory, std::uint64_t capacity, Survival survival)
      : capacity_(capacity), cells_(memory, MemoryCategory::metadata, capacity + 1, "recent tags of flash pages", survival) {}

  /// Changes [begin(), end()) are not in the log, as far as is known.
  [[nodiscard]] std::uint64_t begin() const { return state()[first]; }
  [[nodiscard]] std::uint64_t end() const { return state()[behind]; }
  [[nodiscard]] std::uint64_t count() const { return end() - begin(); }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] const Change& at(std::uint64_t number) const { return cells_.peek(number % capacity_); }
  /// Whether they are all that the log lacks. Not where a dump failed, or where more came than there is room for.
  [[nodiscard]] bool complete() const { return state()[whole] == all; }

  /// Where there is no room, the oldest is forgotten.
  void add(const Change& change);
  /// The log has all changes in front of `end`.
  void logged(std::uint64_t end);
  /// What the log lacks will be added now. Until it is, nothing is complete that was not: the power may fail in between.
  void restart() {
    if (!complete()) cells_.write(capacity_)[whole] = being_added;
  }
  /// It was added.
  void added() {
    if (state()[whole] == being_added) cells_.write(capacity_)[whole] = all;
  }

  [[nodiscard]] Bytes bytes() const { return Bytes(cells_.size() * sizeof(Change)); }

 private:
  // The last cell says which of the others count: one table, so that a dump saves all of it or nothing.
  enum : std::size_t { first, behind, whole };
  enum : std::uint64_t { some, all, being_added };  // of `whole`
  [[nodiscard]] const Change& state() const { return cells_.peek(capacity_); }

  std::uint64_t capacity_;
  DramArray<Change> cells_;
};

inline void RecentTags::add(const Change& change) {
  cells_.write(end() % capacity_) = change;
  Change& state = cells_.write(capacity_);
  if (++state[behind] - state[first] <= capacity_) return;
  ++state[first];
  state[whole] = some;
}

/// Nothing is missing then but what was forgotten behind `end`.
inline void RecentTags::logged(std::uint64_t end) {
  Change& state = cells_.write(capacity_);
  if (state[first] > end) return;
  state[first] = end;
  state[whole] = all;
}

}  // namespace tessera
