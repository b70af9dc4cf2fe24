#include "firmware/layers/amphisbaena/role_lists.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::amphisbaena {

namespace {

constexpr std::uint32_t sentinels = 4;  // of two lists of each kind

}  // namespace

RoleLists::Fields::Fields(std::uint64_t blocks, std::uint64_t nodes)
    : block{0, bits_for(blocks)},
      role{block.end(), 3},
      in_resident{role.end(), 1},
      next{in_resident.end(), bits_for(nodes + 1)},
      key{0, in_resident.end()},
      recency(next.end()),
      leaving(recency + PackedLists::bits(nodes)),
      bits(leaving + PackedLists::bits(nodes)) {}

RoleLists::RoleLists(MemoryPort& memory, CpuPort& cpu, std::uint32_t most, std::uint64_t blocks, const AmphisbaenaConfig& config)
    : cpu_(cpu),
      filter_millionths_(static_cast<std::uint64_t>(std::llround(config.filter_share * 1e6))),
      history_(config.history),
      demotion_(config.demotion),
      filter_hit_(config.filter_hit),
      as_printed_(config.zones.paper),
      fields_(blocks, std::uint64_t{most} + sentinels),
      count_(most),
      heads_(memory, (std::uint64_t{most} + 1) / 2, fields_.next.width, "roles of blocks"),
      nodes_(memory, std::uint64_t{most} + sentinels, fields_.bits, "blocks with roles"),
      recency_(nodes_, fields_.recency, most, 2),
      leaving_(nodes_, fields_.leaving, most + 2, 2) {
  for (Index node = 0; node < count_; ++node) recency_.push_back(unused, node);
}

Bytes RoleLists::bytes() const { return heads_.bytes() + nodes_.bytes(); }

/// Either list has room for a block, if there are two.
void RoleLists::resize(std::uint32_t blocks) {
  const auto filter = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, blocks * filter_millionths_ / 1'000'000));
  most_sup_ = blocks > filter ? blocks - filter : 0;
  most_remembered_ = blocks * history_;
  demote_excess();
  limit_history();
}

/// The upper half of the product with 2^64 / golden ratio, as a share of the places.
std::uint64_t RoleLists::home(LogicalSector block) const { return (block.value() * 0x9E3779B97F4A7C15U >> 32U) * heads_.size() >> 32U; }

RoleLists::Index RoleLists::find(LogicalSector block) const {
  cpu_.hash();
  auto node = static_cast<Index>(heads_.read(home(block), whole_head()) - 1);
  while (node != none && block_of(node) != block) node = after_in_chain(node);
  return node;
}

void RoleLists::enter(Index node) {
  const std::uint64_t place = home(LogicalSector(nodes_.peek(node, fields_.block)));
  nodes_.poke(node, fields_.next, heads_.read(place, whole_head()));
  heads_.write(place, whole_head(), std::uint64_t{node} + 1);
}

void RoleLists::take_out(Index node) {
  const std::uint64_t place = home(block_of(node));
  const std::uint64_t next = nodes_.peek(node, fields_.next);
  auto before = static_cast<Index>(heads_.read(place, whole_head()) - 1);
  if (before == node) return heads_.write(place, whole_head(), next);
  while (after_in_chain(before) != node) before = after_in_chain(before);
  nodes_.write(before, fields_.next, next);
}

Role RoleLists::role_of(LogicalSector block) const {
  const Index node = find(block);
  return node == none ? Role::none : role(node);
}

bool RoleLists::in_filter(LogicalSector block) const { return role_of(block) == Role::lup; }

/// In neither list yet.
RoleLists::Index RoleLists::make(LogicalSector block, Role its) {
  const Index node = recency_.front(unused);
  recency_.remove(node);
  nodes_.write(node, fields_.key, block.value() | static_cast<std::uint64_t>(its) << fields_.role.first);
  ++counts_[static_cast<std::size_t>(its)];
  enter(node);
  if (its == Role::lup) leaving_.push_back(list_f, node);
  if (!resident(its)) leaving_.push_back(remembered, node);
  return node;
}

void RoleLists::drop(Index node) {
  if (in_resident(node)) remove_from_resident(node);
  set_role(node, Role::none);
  take_out(node);
  recency_.push_back(unused, node);
}

/// Moves the node between F and the remembered blocks as its role says; to the MRU end.
void RoleLists::set_role(Index node, Role renewed) {
  const Role old = role(node);
  --counts_[static_cast<std::size_t>(old)];
  ++counts_[static_cast<std::size_t>(renewed)];
  if (old != Role::sup) leaving_.remove(node);
  if (renewed == Role::lup) leaving_.push_back(list_f, node);
  if (renewed == Role::ghost || renewed == Role::shadow) leaving_.push_back(remembered, node);
  nodes_.write(node, fields_.role, static_cast<std::uint64_t>(renewed));
}

void RoleLists::to_top_of_resident(Index node) {
  if (in_resident(node)) recency_.remove(node);
  nodes_.write(node, fields_.in_resident, 1);
  recency_.push_back(list_r, node);
}

void RoleLists::remove_from_resident(Index node) {
  recency_.remove(node);
  nodes_.write(node, fields_.in_resident, 0);
}

/// Lets go of what is below the bottom SUP block: an LUP block stays in F, ghosts and shadows vanish.
void RoleLists::prune() {
  for (Index bottom = recency_.front(list_r); bottom != none; bottom = recency_.front(list_r)) {
    const Role its = role(bottom);
    if (its == Role::sup) return;
    if (its == Role::lup)
      remove_from_resident(bottom);
    else
      drop(bottom);
  }
}

/// The SUP block with the longest update period: to the LRU end of F, though the paper calls it one "to be observed further".
void RoleLists::demote_bottom() {
  prune();
  const Index bottom = recency_.front(list_r);
  remove_from_resident(bottom);
  set_role(bottom, Role::lup);
  if (demotion_ == Demotion::lru) {
    leaving_.remove(bottom);
    leaving_.push_front(list_f, bottom);
  }
  ++demotions_;
  prune();
}

void RoleLists::demote_excess() {
  while (count(Role::sup) > most_sup_) demote_bottom();
}

void RoleLists::limit_history() {
  while (count(Role::ghost) + count(Role::shadow) > most_remembered_) drop(leaving_.front(remembered));
}

void RoleLists::hit(LogicalSector block) {
  const Index node = find(block);
  if (role(node) == Role::sup) {
    const bool was_bottom = recency_.front(list_r) == node;
    to_top_of_resident(node);
    if (was_bottom) prune();
    return;
  }
  const bool in_both_lists = in_resident(node);
  set_role(node, Role::sup);
  ++promotions_;
  to_top_of_resident(node);
  if (count(Role::sup) == 1) prune();  // of what was in R without a SUP block
  if (in_both_lists && as_printed_ && count(Role::sup) > 1) return demote_bottom();
  if (in_both_lists || filter_hit_ == FilterHit::demote) demote_excess();
}

/// "Any blocks loaded into HFB will be added to the resident list as SUP blocks before the resident list is full."
void RoleLists::admit(LogicalSector block, Role was) {
  const Role renewed = was == Role::ghost || count(Role::sup) < most_sup_ ? Role::sup : Role::lup;
  Index node = find(block);
  if (node == none)
    node = make(block, renewed);
  else
    set_role(node, renewed);
  to_top_of_resident(node);
  demote_excess();
}

/// Its place is above the bottom SUP block, if there is one.
void RoleLists::pass(LogicalSector block) {
  if (most_remembered_ == 0 || count(Role::sup) == 0) return;
  to_top_of_resident(make(block, Role::shadow));
  limit_history();
}

LogicalSector RoleLists::next_to_leave() {
  if (leaving_.front(list_f) == none) demote_bottom();
  return block_of(leaving_.front(list_f));
}

void RoleLists::leave(LogicalSector block) {
  const Index node = find(block);
  if (!in_resident(node)) return drop(node);
  set_role(node, Role::ghost);
  prune();
  limit_history();
}

void RoleLists::stay(LogicalSector block) {
  const Index node = find(block);
  if (node == none) return static_cast<void>(make(block, Role::lup));
  set_role(node, Role::lup);
}

void RoleLists::forget(LogicalSector block) {
  drop(find(block));
  prune();
}

void RoleLists::restore(LogicalSector block) { static_cast<void>(make(block, Role::lup)); }

Role RoleLists::peek(LogicalSector block) const {
  for (Index node = 0; node < count_; ++node) {
    const auto its = static_cast<Role>(nodes_.peek(node, fields_.role));
    if (its != Role::none && nodes_.peek(node, fields_.block) == block.value()) return its;
  }
  return Role::none;
}

std::vector<LogicalSector> RoleLists::resident_list() const {
  std::vector<LogicalSector> blocks;
  for (Index node = recency_.front(list_r); node != none; node = recency_.after(node)) blocks.push_back(block_of(node));
  return blocks;
}

std::vector<LogicalSector> RoleLists::filter_list() const {
  std::vector<LogicalSector> blocks;
  for (Index node = leaving_.front(list_f); node != none; node = leaving_.after(node)) blocks.push_back(block_of(node));
  return blocks;
}

}  // namespace tessera::amphisbaena
