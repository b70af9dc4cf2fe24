#pragma once
// The merge of sorted runs of files: of each key the entry of the newest run that has one.
#include <vector>

#include "stimuli/hosts/lsm_tree.hpp"

namespace tessera {

struct LsmMergeItem {
  std::uint64_t key = 0;
  const LsmFile* file = nullptr;
  std::uint32_t position = 0;
  bool deleted = false;
};

class LsmMerge {
 public:
  /// A run: files that do not overlap, in the order of their keys.
  using Run = std::vector<LsmFilePtr>;
  /// The newest run first.
  explicit LsmMerge(std::vector<Run> runs);

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const LsmMergeItem& item() const { return item_; }
  void next();

 private:
  struct Cursor {
    Run run;
    std::size_t file = 0;
    std::uint32_t position = 0;  ///< of the next key with data
    std::size_t deleted = 0;     ///< of the next one without
    bool ended = false;
    LsmMergeItem item;
  };
  static void enter(Cursor& cursor);
  static void look(Cursor& cursor);
  static void step(Cursor& cursor);

  std::vector<Cursor> cursors_;
  LsmMergeItem item_;
  bool ended_ = false;
};

}  // namespace tessera
