#include "firmware/layers/amphisbaena/role_lists.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::amphisbaena {

RoleLists::RoleLists(MemoryPort& memory, CpuPort& cpu, std::uint32_t most_resident, std::uint32_t most_remembered,
                     const AmphisbaenaConfig& config)
    : cpu_(cpu),
      filter_millionths_(static_cast<std::uint64_t>(std::llround(config.filter_share * 1e6))),
      history_(config.history),
      demotion_(config.demotion),
      filter_hit_(config.filter_hit),
      heads_(memory, MemoryCategory::metadata, std::uint64_t{most_resident} + most_remembered + 1, "roles of blocks"),
      nodes_(memory, MemoryCategory::metadata, std::uint64_t{most_resident} + most_remembered + 1, "blocks with roles"),
      recency_(memory, MemoryCategory::metadata, static_cast<Index>(nodes_.size()), 2, "resident list"),
      leaving_(memory, MemoryCategory::metadata, static_cast<Index>(nodes_.size()), 2, "filter list") {
  for (Index node = 0; node < nodes_.size(); ++node) {
    heads_.peek(node) = none;
    recency_.push_back(unused, node);
  }
}

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
  Index node = heads_.read(home(block));
  while (node != none && nodes_.read(node).block() != block) node = nodes_.peek(node).next;
  return node;
}

void RoleLists::enter(Index node) {
  Index& head = heads_.write(home(nodes_.peek(node).block()));
  nodes_.peek(node).next = head;
  head = node;
}

void RoleLists::take_out(Index node) {
  const std::uint64_t place = home(nodes_.read(node).block());
  const Index next = nodes_.peek(node).next;
  Index before = heads_.read(place);
  if (before == node) {
    heads_.write(place) = next;
    return;
  }
  while (nodes_.read(before).next != node) before = nodes_.peek(before).next;
  nodes_.write(before).next = next;
}

Role RoleLists::role_of(LogicalSector block) const {
  const Index node = find(block);
  return node == none ? Role::none : nodes_.read(node).role;
}

bool RoleLists::in_filter(LogicalSector block) const { return role_of(block) == Role::lup; }

/// In neither list yet.
RoleLists::Index RoleLists::make(LogicalSector block, Role role) {
  const Index node = recency_.front(unused);
  recency_.remove(node);
  nodes_.write(node) = {static_cast<std::uint32_t>(block.value()), static_cast<std::uint16_t>(block.value() >> 32U), role, false, none};
  ++counts_[static_cast<std::size_t>(role)];
  enter(node);
  if (role == Role::lup) leaving_.push_back(list_f, node);
  if (!resident(role)) leaving_.push_back(remembered, node);
  return node;
}

void RoleLists::drop(Index node) {
  if (nodes_.read(node).in_resident) remove_from_resident(node);
  set_role(node, Role::none);
  take_out(node);
  recency_.push_back(unused, node);
}

/// Moves the node between F and the remembered blocks as its role says; to the MRU end.
void RoleLists::set_role(Index node, Role role) {
  const Role old = nodes_.read(node).role;
  --counts_[static_cast<std::size_t>(old)];
  ++counts_[static_cast<std::size_t>(role)];
  if (old != Role::sup) leaving_.remove(node);
  if (role == Role::lup) leaving_.push_back(list_f, node);
  if (role == Role::ghost || role == Role::shadow) leaving_.push_back(remembered, node);
  nodes_.write(node).role = role;
}

void RoleLists::to_top_of_resident(Index node) {
  if (nodes_.read(node).in_resident) recency_.remove(node);
  nodes_.write(node).in_resident = true;
  recency_.push_back(list_r, node);
}

void RoleLists::remove_from_resident(Index node) {
  recency_.remove(node);
  nodes_.write(node).in_resident = false;
}

/// Lets go of what is below the bottom SUP block: an LUP block stays in F, ghosts and shadows vanish.
void RoleLists::prune() {
  for (Index bottom = recency_.front(list_r); bottom != none; bottom = recency_.front(list_r)) {
    const Role role = nodes_.read(bottom).role;
    if (role == Role::sup) return;
    if (role == Role::lup)
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
  if (nodes_.read(node).role == Role::sup) {
    const bool was_bottom = recency_.front(list_r) == node;
    to_top_of_resident(node);
    if (was_bottom) prune();
    return;
  }
  const bool in_both_lists = nodes_.read(node).in_resident;
  set_role(node, Role::sup);
  ++promotions_;
  to_top_of_resident(node);
  if (count(Role::sup) == 1) prune();  // of what was in R without a SUP block
  if (in_both_lists || filter_hit_ == FilterHit::demote) demote_excess();
}

/// "Any blocks loaded into HFB will be added to the resident list as SUP blocks before the resident list is full."
void RoleLists::admit(LogicalSector block, Role was) {
  const Role role = was == Role::ghost || count(Role::sup) < most_sup_ ? Role::sup : Role::lup;
  Index node = find(block);
  if (node == none)
    node = make(block, role);
  else
    set_role(node, role);
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
  return nodes_.read(leaving_.front(list_f)).block();
}

void RoleLists::leave(LogicalSector block) {
  const Index node = find(block);
  if (!nodes_.read(node).in_resident) return drop(node);
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

Bytes RoleLists::bytes() const {
  return Bytes(heads_.size() * sizeof(Index) + nodes_.size() * sizeof(Node)) + recency_.bytes() + leaving_.bytes();
}

Role RoleLists::peek(LogicalSector block) const {
  for (Index node = 0; node < nodes_.size(); ++node)
    if (nodes_.peek(node).role != Role::none && nodes_.peek(node).block() == block) return nodes_.peek(node).role;
  return Role::none;
}

std::vector<LogicalSector> RoleLists::resident_list() const {
  std::vector<LogicalSector> blocks;
  for (Index node = recency_.front(list_r); node != none; node = recency_.after(node)) blocks.push_back(nodes_.peek(node).block());
  return blocks;
}

std::vector<LogicalSector> RoleLists::filter_list() const {
  std::vector<LogicalSector> blocks;
  for (Index node = leaving_.front(list_f); node != none; node = leaving_.after(node)) blocks.push_back(nodes_.peek(node).block());
  return blocks;
}

}  // namespace tessera::amphisbaena
