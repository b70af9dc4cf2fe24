#include "stimuli/hosts/lsm_merge.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

LsmMerge::LsmMerge(std::vector<Run> runs) {
  for (Run& run : runs) {
    Cursor& cursor = cursors_.emplace_back();
    cursor.run = std::move(run);
    enter(cursor);
    look(cursor);
  }
  next();
}

/// To the file's first keys that are still its own.
void LsmMerge::enter(Cursor& cursor) {
  if (cursor.file == cursor.run.size()) return;
  const LsmFile& file = *cursor.run[cursor.file];
  cursor.position = file.keys.lower_bound(file.smallest);
  cursor.deleted = static_cast<std::size_t>(std::ranges::lower_bound(*file.deleted, file.smallest) - (*file.deleted).begin());
}

void LsmMerge::look(Cursor& cursor) {
  for (; cursor.file < cursor.run.size(); ++cursor.file, enter(cursor)) {
    const LsmFile& file = *cursor.run[cursor.file];
    const bool data = cursor.position < file.keys.size();
    const std::vector<std::uint64_t>& without = *file.deleted;
    const bool deleted = cursor.deleted < without.size();
    if (!data && !deleted) continue;
    const bool of_data = data && (!deleted || file.keys[cursor.position] < without[cursor.deleted]);
    cursor.item = {of_data ? file.keys[cursor.position] : without[cursor.deleted], &file, cursor.position, !of_data};
    return;
  }
  cursor.ended = true;
}

void LsmMerge::step(Cursor& cursor) {
  if (cursor.item.deleted)
    ++cursor.deleted;
  else
    ++cursor.position;
  look(cursor);
}

void LsmMerge::next() {
  const Cursor* newest = nullptr;
  for (const Cursor& cursor : cursors_)
    if (!cursor.ended && (newest == nullptr || cursor.item.key < newest->item.key)) newest = &cursor;
  ended_ = newest == nullptr;
  if (ended_) return;
  item_ = newest->item;
  for (Cursor& cursor : cursors_)
    if (!cursor.ended && cursor.item.key == item_.key) step(cursor);
}

}  // namespace tessera
