#include "firmware/layers/mu_rmw/scan_index.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"

namespace tessera::mu_rmw {

namespace {

/// Treap priorities: a fixed bijective hash of the block number, so that runs repeat.
std::uint32_t scramble(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

}  // namespace

ScanIndex::ScanIndex(std::uint32_t bands, std::uint32_t blocks, std::uint32_t arms)
    : nodes_(blocks),
      lengths_(bands),
      leaves_(std::bit_ceil(std::max<std::uint32_t>(bands, 1))),
      arms_(bands),
      best_(arms, std::vector<std::uint64_t>(std::size_t{2} * leaves_)) {
  for (std::uint32_t block = 0; block < blocks; ++block) nodes_[block].priority = scramble(block);
}

void ScanIndex::append(std::uint32_t band, std::uint32_t block) {
  Node& node = nodes_[block];
  node.order = appended_++;
  node.band = band;
  node.left = node.right = none;
  node.obsolete = false;
  update(block);
  root_ = insert(root_, block);
  listed_bands_ += lengths_[band]++ == 0;
}

void ScanIndex::remove(std::uint32_t block) {
  root_ = erase(root_, block);
  listed_bands_ -= --lengths_[nodes_[block].band] == 0;
  nodes_[block].obsolete = false;
}

void ScanIndex::mark_obsolete(std::uint32_t block) {
  if (nodes_[block].obsolete) return;
  nodes_[block].obsolete = true;
  for (std::uint32_t at = root_;;) {
    TESSERA_CHECK(at != none, "an obsolete block is in no band's list");
    ++nodes_[at].obsoletes;
    if (at == block) return;
    at = before(block, at) ? nodes_[at].left : nodes_[at].right;
  }
}

ScanIndex::Choice ScanIndex::choose() const {
  Choice best = choose_on(0);
  for (std::uint32_t arm = 1; arm < best_.size(); ++arm) {
    const Choice other = choose_on(arm);
    if (other.kind != Choice::Kind::band) continue;
    const std::uint64_t ahead = best_worth(arm), known = best.kind == Choice::Kind::band ? best_worth(arms_[best.band]) : 0;
    if (ahead > known || (ahead == known && other.band < best.band)) best = other;
  }
  return best;
}

ScanIndex::Choice ScanIndex::choose_on(std::uint32_t arm) const {
  const std::vector<std::uint64_t>& best = best_[arm];
  Choice choice;
  if (obsoletes_of(root_) > 0) {
    std::uint64_t passed = 0;
    std::uint32_t at = root_;
    while (true) {
      const Node& node = nodes_[at];
      if (obsoletes_of(node.left) > 0) {
        at = node.left;
        continue;
      }
      passed += size_of(node.left) + 1;
      if (node.obsolete) break;
      at = node.right;
    }
    choice.kind = Choice::Kind::obsolete_block;
    choice.block = at;
    choice.band = nodes_[at].band;
    choice.visited = passed + choice.band + 1;
    return choice;
  }
  choice.visited = std::uint64_t{size_of(root_)} + lengths_.size();
  if (best[1] == 0) return choice;
  std::uint32_t at = 1;
  while (at < leaves_) at = 2 * at + (best[2 * at] == best[at] ? 0 : 1);
  choice.kind = Choice::Kind::band;
  choice.band = at - leaves_;
  return choice;
}

void ScanIndex::update(std::uint32_t node) {
  Node& n = nodes_[node];
  n.size = size_of(n.left) + size_of(n.right) + 1;
  n.obsoletes = obsoletes_of(n.left) + obsoletes_of(n.right) + (n.obsolete ? 1 : 0);
}

void ScanIndex::split(std::uint32_t root, std::uint32_t key, std::uint32_t& left, std::uint32_t& right) {
  if (root == none) {
    left = right = none;
    return;
  }
  std::uint32_t part = none;
  if (before(root, key)) {
    split(nodes_[root].right, key, part, right);
    nodes_[root].right = part;
    left = root;
  } else {
    split(nodes_[root].left, key, left, part);
    nodes_[root].left = part;
    right = root;
  }
  update(root);
}

std::uint32_t ScanIndex::join(std::uint32_t left, std::uint32_t right) {
  if (left == none) return right;
  if (right == none) return left;
  if (nodes_[left].priority > nodes_[right].priority) {
    nodes_[left].right = join(nodes_[left].right, right);
    update(left);
    return left;
  }
  nodes_[right].left = join(left, nodes_[right].left);
  update(right);
  return right;
}

std::uint32_t ScanIndex::insert(std::uint32_t root, std::uint32_t node) {
  if (root == none) return node;
  if (nodes_[node].priority > nodes_[root].priority) {
    std::uint32_t left = none, right = none;
    split(root, node, left, right);
    nodes_[node].left = left;
    nodes_[node].right = right;
    update(node);
    return node;
  }
  if (before(node, root)) {
    const std::uint32_t child = insert(nodes_[root].left, node);
    nodes_[root].left = child;
  } else {
    const std::uint32_t child = insert(nodes_[root].right, node);
    nodes_[root].right = child;
  }
  update(root);
  return root;
}

std::uint32_t ScanIndex::erase(std::uint32_t root, std::uint32_t node) {
  TESSERA_CHECK(root != none, "a block that leaves its list is in none");
  if (root == node) return join(nodes_[root].left, nodes_[root].right);
  if (before(node, root)) {
    nodes_[root].left = erase(nodes_[root].left, node);
  } else {
    nodes_[root].right = erase(nodes_[root].right, node);
  }
  update(root);
  return root;
}

void ScanIndex::set_worth(std::uint32_t band, std::uint64_t worth) {
  std::vector<std::uint64_t>& best = best_[arms_[band]];
  std::uint32_t at = leaves_ + band;
  best[at] = worth;
  for (at /= 2; at > 0; at /= 2) best[at] = std::max(best[2 * at], best[2 * at + 1]);
}

}  // namespace tessera::mu_rmw
