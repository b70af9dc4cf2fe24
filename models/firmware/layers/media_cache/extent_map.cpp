#include "firmware/layers/media_cache/extent_map.hpp"

#include <algorithm>

namespace tessera::media_cache {

ExtentMap::ExtentMap(MemoryPort& memory, CpuPort& cpu, std::uint64_t bands, std::uint32_t capacity)
    : cpu_(cpu),
      capacity_(capacity),
      roots_(memory, MemoryCategory::metadata, bands, "cached extents of each band"),
      nodes_(memory, MemoryCategory::metadata, capacity, "map of the media cache"),
      ages_(memory, MemoryCategory::metadata, capacity, lists, "order of the media cache's extents") {
  for (Index i = 0; i < capacity; ++i) ages_.push_back(free, i);
}

Bytes ExtentMap::bytes() const { return Bytes(roots_.size() * sizeof(std::uint32_t) + nodes_.size() * sizeof(Node)) + ages_.bytes(); }

/// Mixed bits of the node's number: as good as drawn, and the same in every run.
std::uint32_t ExtentMap::priority(std::uint32_t link) {
  std::uint64_t mixed = link * 0x9E3779B97F4A7C15U;
  mixed ^= mixed >> 29;
  return static_cast<std::uint32_t>(mixed * 0xBF58476D1CE4E5B9U >> 32);
}

/// Nodes whose extents begin below `key`, and the others.
void ExtentMap::split(std::uint32_t tree, std::uint64_t key, std::uint32_t& below, std::uint32_t& from) {
  std::uint32_t* to_below = &below;
  std::uint32_t* to_from = &from;
  while (tree != 0) {
    cpu_.charge(CpuOperation::tree_level, 1);
    Node& node = nodes_.write(tree - 1);
    if (node.first < key) {
      *to_below = tree;
      to_below = &node.right;
      tree = node.right;
    } else {
      *to_from = tree;
      to_from = &node.left;
      tree = node.left;
    }
  }
  *to_below = *to_from = 0;
}

/// Every extent of `below` begins in front of those of `from`.
std::uint32_t ExtentMap::merge(std::uint32_t below, std::uint32_t from) {
  std::uint32_t root = 0;
  std::uint32_t* to = &root;
  while (below != 0 && from != 0) {
    cpu_.charge(CpuOperation::tree_level, 1);
    if (priority(below) > priority(from)) {
      *to = below;
      to = &nodes_.write(below - 1).right;
      below = *to;
    } else {
      *to = from;
      to = &nodes_.write(from - 1).left;
      from = *to;
    }
  }
  *to = below != 0 ? below : from;
  return root;
}

std::uint32_t ExtentMap::last_of(std::uint32_t tree) const {
  while (tree != 0 && nodes_.read(tree - 1).right != 0) tree = nodes_.peek(tree - 1).right;
  return tree;
}

/// A node of the extent, in the order of age right behind `in_front`.
std::uint32_t ExtentMap::make(const Extent& extent, Index in_front) {
  const Index i = ages_.front(free);
  TESSERA_CHECK(i != none, "the map of a media cache is full");
  ages_.remove(i);
  nodes_.write(i) = {extent.first.value(), extent.position, extent.count, 0, 0, extent.hole ? 1U : 0U};
  ++size_;
  if (extent.hole) {
    ++holes_;
    return i + 1;
  }
  if (in_front == none)
    ages_.push_front(used, i);
  else
    ages_.insert_after(in_front, i);
  sectors_ += extent.count;
  return i + 1;
}

/// The newest extent that lies in front of `position`: the newest of all, but for packets that were overtaken.
ExtentMap::Index ExtentMap::age_in_front_of(std::uint64_t position) const {
  Index i = ages_.back(used);
  while (i != none && nodes_.read(i).position > position) i = ages_.before(i);
  return i;
}

void ExtentMap::give_back(std::uint32_t link) {
  const bool hole = nodes_.peek(link - 1).hole != 0;
  sectors_ -= hole ? 0 : nodes_.peek(link - 1).count;
  holes_ -= hole ? 1 : 0;
  nodes_.write(link - 1).count = 0;
  if (!hole) ages_.remove(link - 1);
  ages_.push_back(free, link - 1);
  --size_;
}

void ExtentMap::give_back_tree(std::uint32_t tree) {
  path_.clear();
  if (tree != 0) path_.push_back(tree);
  while (!path_.empty()) {
    const std::uint32_t link = path_.back();
    path_.pop_back();
    const Node& node = nodes_.read(link - 1);
    if (node.left != 0) path_.push_back(node.left);
    if (node.right != 0) path_.push_back(node.right);
    give_back(link);
  }
}

void ExtentMap::cut_out(std::uint64_t band, LogicalRun run, std::uint32_t& front, std::uint32_t& behind) {
  const std::uint64_t begin = run.first.value();
  const std::uint64_t end = run.end().value();
  std::uint32_t rest = 0;
  split(roots_.read(band), begin, front, rest);
  std::uint32_t inside = 0;
  split(rest, end, inside, behind);

  const std::uint32_t last = last_of(inside != 0 ? inside : front);
  std::uint32_t tail = 0;  // what of the last extent that begins in front of `end` lies behind it
  if (last != 0 && end_of(nodes_.peek(last - 1)) > end) {
    const Node& cut = nodes_.peek(last - 1);
    const std::uint64_t taken = end - cut.first;
    tail = make({LogicalSector(end), position_in(cut, taken), static_cast<std::uint32_t>(cut.count - taken), cut.hole != 0}, last - 1);
  }
  if (const std::uint32_t before = last_of(front); before != 0 && end_of(nodes_.peek(before - 1)) > begin) {
    Node& cut = nodes_.write(before - 1);
    sectors_ -= cut.hole != 0 ? 0 : end_of(cut) - begin;
    cut.count = static_cast<std::uint32_t>(begin - cut.first);
  }
  give_back_tree(inside);
  behind = merge(tail, behind);
}

Extent ExtentMap::some_hole() const {
  const std::span<const Node> nodes = nodes_.read_run(0, capacity_);
  return extent(*std::ranges::find_if(nodes, [](const Node& node) { return node.count != 0 && node.hole != 0; }));
}

void ExtentMap::find_oldest(std::uint32_t count, std::vector<Extent>& found) const {
  for (Index i = ages_.front(used); i != none && count != 0; i = ages_.after(i), --count) {
    const Node& node = nodes_.read(i);
    found.push_back({LogicalSector(node.first), node.position, node.count});
  }
}

void ExtentMap::assign(std::uint64_t band, const Extent& extent) {
  const LogicalRun run{extent.first, extent.count};
  overlapped_.clear();
  find(band, run, overlapped_);
  if (!overlapped_.empty()) erase(band, run);
  insert(band, make(extent, extent.hole ? none : age_in_front_of(extent.position)));
}

/// Where the priorities down from the root have it; what is below is split.
void ExtentMap::insert(std::uint64_t band, std::uint32_t link) {
  Node& node = nodes_.write(link - 1);
  std::uint32_t* to = &roots_.write(band);
  cached_bands_ += *to == 0;
  while (*to != 0 && priority(*to) > priority(link)) {
    cpu_.charge(CpuOperation::tree_level, 1);
    const bool left = node.first < nodes_.read(*to - 1).first;
    Node& above = nodes_.peek(*to - 1);
    to = left ? &above.left : &above.right;
  }
  split(*to, node.first, node.left, node.right);
  *to = link;
}

void ExtentMap::erase(std::uint64_t band, LogicalRun run) {
  if (roots_.read(band) == 0) return;
  std::uint32_t front = 0;
  std::uint32_t behind = 0;
  cut_out(band, run, front, behind);
  roots_.write(band) = merge(front, behind);
  cached_bands_ -= roots_.peek(band) == 0;
}

void ExtentMap::clear(std::uint64_t band) {
  cached_bands_ -= roots_.read(band) != 0;
  give_back_tree(roots_.peek(band));
  roots_.write(band) = 0;
}

void ExtentMap::find(std::uint64_t band, LogicalRun run, std::vector<Extent>& found) const {
  const std::uint64_t begin = run.first.value();
  const std::uint64_t end = run.end().value();
  path_.clear();
  for (std::uint32_t tree = roots_.read(band);;) {
    while (tree != 0) {  // down to the first extent that ends behind `begin`
      cpu_.charge(CpuOperation::tree_level, 1);
      const Node& node = nodes_.read(tree - 1);
      if (end_of(node) <= begin) {
        tree = node.right;
      } else {
        path_.push_back(tree);
        tree = node.left;
      }
    }
    if (path_.empty()) return;
    const Node& node = nodes_.peek(path_.back() - 1);
    path_.pop_back();
    if (node.first >= end) return;
    const std::uint64_t from = std::max(node.first, begin);
    const std::uint64_t to = std::min(end_of(node), end);
    found.push_back({LogicalSector(from), position_in(node, from - node.first), static_cast<std::uint32_t>(to - from), node.hole != 0});
    tree = node.right;
  }
}

}  // namespace tessera::media_cache
