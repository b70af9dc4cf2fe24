#pragma once
// The files of a log-structured merge tree, by level. Level 0 has one file for each memtable, the newest first; in each other level files
// are in the order of their keys and do not overlap. Keys are the application's sectors, their values a sector each.
#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "stimuli/hosts/lsm_layout.hpp"

namespace tessera {

/// Places count sectors through all data zones.
struct LsmExtent {
  std::uint64_t place = 0;
  std::uint32_t sectors = 0;
};

/// Keys that few files have: none take a pointer. A drive of 32 TB has half a million files.
class LsmKeyList {
 public:
  LsmKeyList() = default;
  LsmKeyList(std::vector<std::uint64_t> keys)
      : keys_(keys.empty() ? nullptr : std::make_unique<const std::vector<std::uint64_t>>(std::move(keys))) {}
  LsmKeyList(const LsmKeyList& other) : LsmKeyList(*other) {}
  LsmKeyList(LsmKeyList&&) noexcept = default;
  LsmKeyList& operator=(LsmKeyList other) noexcept {
    keys_ = std::move(other.keys_);
    return *this;
  }
  [[nodiscard]] const std::vector<std::uint64_t>& operator*() const {
    static const std::vector<std::uint64_t> none;
    return keys_ == nullptr ? none : *keys_;
  }

 private:
  std::unique_ptr<const std::vector<std::uint64_t>> keys_;
};

/// Ascending; equally spaced ones take no memory.
class LsmKeys {
 public:
  LsmKeys() = default;
  LsmKeys(std::uint64_t first, std::uint32_t count, std::uint32_t distance) : first_(first), distance_(distance), count_(count) {}
  explicit LsmKeys(std::vector<std::uint64_t> keys);

  [[nodiscard]] std::uint32_t size() const { return count_; }
  [[nodiscard]] std::uint64_t operator[](std::uint32_t i) const {
    return (*keys_).empty() ? first_ + std::uint64_t{i} * distance_ : (*keys_)[i];
  }
  /// The first that is no smaller, or size().
  [[nodiscard]] std::uint32_t lower_bound(std::uint64_t key) const;

 private:
  std::uint64_t first_ = 0;
  std::uint32_t distance_ = 1;
  std::uint32_t count_ = 0;
  LsmKeyList keys_;
};

/// How many name a file; a copy of it is named by nobody yet.
struct LsmReferences {
  LsmReferences() = default;
  LsmReferences(const LsmReferences&) {}
  LsmReferences& operator=(const LsmReferences&) = delete;
  mutable std::uint32_t count = 0;
};

struct LsmFile {
  LsmReferences references;
  mutable std::uint8_t level = 0;                        ///< where the tree has it
  std::uint64_t id = 0;                                  ///< ascending in the order of their making
  LsmKeys keys;                                          ///< with data, which lies in their order
  LsmKeyList deleted;                                    ///< keys that have none from here on, ascending
  LsmKeyList lost;                                       ///< keys whose data could not be read when it was to be written here, ascending
  boost::container::small_vector<LsmExtent, 1> extents;  ///< data, then index and filter
  std::uint64_t smallest = 0;                            ///< keys outside of these are no longer the file's
  std::uint64_t largest = 0;

  [[nodiscard]] bool covers(std::uint64_t key) const { return smallest <= key && key <= largest; }
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t key) const;
  [[nodiscard]] bool deletes(std::uint64_t key) const;
  [[nodiscard]] bool lacks(std::uint64_t key) const;
  [[nodiscard]] std::uint64_t entries() const { return keys.size() + (*deleted).size(); }
  [[nodiscard]] std::uint64_t sectors() const;
  /// Where so many data sectors lie from a position on, as far as they lie together.
  [[nodiscard]] LsmExtent run(std::uint32_t position, std::uint32_t most) const;
  /// The position that lies at the begin of an extent of the file.
  [[nodiscard]] std::uint32_t position_of(LsmExtent extent) const;
};

inline void intrusive_ptr_add_ref(const LsmFile* file) { ++file->references.count; }
void intrusive_ptr_release(const LsmFile* file);

using LsmFilePtr = boost::intrusive_ptr<const LsmFile>;
/// To be filled in before anybody else has it.
template <class... Of>
[[nodiscard]] boost::intrusive_ptr<LsmFile> make_lsm_file(Of&&... of) {
  return boost::intrusive_ptr<LsmFile>(new LsmFile(std::forward<Of>(of)...));
}

/// A change of the tree, as the manifest has it.
struct LsmChange {
  enum class Kind : std::uint8_t {
    add,      ///< `file`, to `level`
    remove,   ///< the file `id`
    move,     ///< the file `id`, to `level`
    trim,     ///< of the file `id` keys up to `key` are no longer its own
    relocate  ///< the extent `from` of the file `id` is at `to`
  };
  Kind kind = Kind::add;
  std::uint32_t level = 0;
  std::uint64_t id = 0;
  std::uint64_t key = 0;
  LsmFilePtr file;
  LsmExtent from;
  std::vector<LsmExtent> to;
  std::vector<std::uint64_t> lost;  ///< keys that are so there
};

/// What is to be compacted.
struct LsmChoice {
  std::uint32_t level = 0;
  std::uint32_t into = 0;           ///< level
  std::vector<LsmFilePtr> files;    ///< of `level`; of level 0 the newest first
  std::vector<LsmFilePtr> overlap;  ///< of `into`, in the order of their keys
};

class LsmTree {
 public:
  LsmTree(const LsmHostConfig& config, const LsmLayout& layout);

  using Level = std::vector<LsmFilePtr>;
  [[nodiscard]] const Level& level(std::uint32_t level) const { return levels_[level]; }
  [[nodiscard]] std::uint64_t sectors(std::uint32_t level) const { return sectors_[level]; }
  [[nodiscard]] std::uint64_t sectors() const;
  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  [[nodiscard]] std::uint64_t files() const { return by_id_.size(); }
  /// As it is now; null: it is no longer there.
  [[nodiscard]] LsmFilePtr file(std::uint64_t id) const;
  /// Of a level after 0; null: none covers the key.
  [[nodiscard]] LsmFilePtr covering(std::uint32_t level, std::uint64_t key) const;
  /// Of a level after 0, the files that have keys of a range.
  [[nodiscard]] Level overlapping(std::uint32_t level, std::uint64_t smallest, std::uint64_t largest) const;

  /// Gives the extents that nothing names any more.
  std::vector<LsmExtent> apply(const LsmChange& change);

  /// The level that level 0 is compacted into, and the size that each level is to have: VersionStorageInfo::CalculateBaseBytes.
  [[nodiscard]] std::uint32_t base_level() const;
  [[nodiscard]] std::vector<std::uint64_t> targets() const;
  /// The level that exceeds its size most, and of it the file that overlaps least (kMinOverlappingRatio). `any`: some level before the
  /// last, if it is not empty.
  [[nodiscard]] std::optional<LsmChoice> choose(bool any) const;

 private:
  void insert(std::uint32_t level, const LsmFilePtr& file);
  LsmFilePtr take(std::uint64_t id);
  [[nodiscard]] LsmChoice choice_of(std::uint32_t level, std::uint32_t into) const;

  std::uint32_t level0_files_;
  std::uint64_t ratio_;
  std::uint64_t base_sectors_;
  std::vector<Level> levels_;
  std::vector<std::uint64_t> sectors_;
  std::uint64_t entries_ = 0;
  /// Files by their ids.
  struct HashId {
    using is_transparent = void;
    std::size_t operator()(std::uint64_t id) const { return boost::hash<std::uint64_t>()(id); }
    std::size_t operator()(const LsmFilePtr& file) const { return (*this)(file->id); }
  };
  struct SameId {
    using is_transparent = void;
    bool operator()(const LsmFilePtr& a, const LsmFilePtr& b) const { return a->id == b->id; }
    bool operator()(std::uint64_t id, const LsmFilePtr& file) const { return id == file->id; }
    bool operator()(const LsmFilePtr& file, std::uint64_t id) const { return id == file->id; }
  };
  boost::unordered_flat_set<LsmFilePtr, HashId, SameId> by_id_;  // never iterated
};

}  // namespace tessera
