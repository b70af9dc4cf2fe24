// What libstdc++ keeps out of line, for compilers that come with its headers alone: the balanced tree of std::map and std::set, as its
// headers declare it (Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, chapter 13), and two odds and ends.
//
// The tree's header node: its parent is the root, its left the first and its right the last node; it is red, the root black, and a missing
// child is null.
#include <map>
#include <memory>
#include <new>
#include <utility>

namespace std {

namespace {

using Node = _Rb_tree_node_base;

/// The side of a node as a pointer to member, so that each case is written once for both of its mirror images.
using Side = Node* Node::*;
constexpr Side left_side = &Node::_M_left;
constexpr Side right_side = &Node::_M_right;
constexpr Side other(Side side) { return side == left_side ? right_side : left_side; }

bool black(const Node* node) { return node == nullptr || node->_M_color == _S_black; }

/// What points down to `node`: its parent, or the header.
Node*& link_to(Node* node, Node& header) {
  if (header._M_parent == node) return header._M_parent;
  return node->_M_parent->_M_left == node ? node->_M_parent->_M_left : node->_M_parent->_M_right;
}

/// `node` goes down on `side`; its child of the other side takes its place.
void rotate(Node* node, Side side, Node& header) {
  Node* const child = node->*other(side);
  node->*other(side) = child->*side;
  if (child->*side != nullptr) (child->*side)->_M_parent = node;
  child->_M_parent = node->_M_parent;
  link_to(node, header) = child;
  child->*side = node;
  node->_M_parent = child;
}

Node* step(Node* node, Side towards) {
  const Side back = other(towards);
  if (node->*towards != nullptr) {
    node = node->*towards;
    while (node->*back != nullptr) node = node->*back;
    return node;
  }
  Node* parent = node->_M_parent;
  while (node == parent->*towards) {
    node = parent;
    parent = parent->_M_parent;
  }
  return node->*towards == parent ? node : parent;  // the root is the header's parent, and the header the root's
}

/// `node`, which may be null, hangs below `parent` and is one black node short.
void restore_after_erase(Node* node, Node* parent, Node& header) {
  while (node != header._M_parent && black(node)) {
    const Side side = parent->_M_left == node ? left_side : right_side;
    Node* sibling = parent->*other(side);
    if (!black(sibling)) {
      sibling->_M_color = _S_black;
      parent->_M_color = _S_red;
      rotate(parent, side, header);
      sibling = parent->*other(side);
    }
    if (black(sibling->_M_left) && black(sibling->_M_right)) {
      sibling->_M_color = _S_red;
      node = parent;
      parent = parent->_M_parent;
      continue;
    }
    if (black(sibling->*other(side))) {
      (sibling->*side)->_M_color = _S_black;
      sibling->_M_color = _S_red;
      rotate(sibling, other(side), header);
      sibling = parent->*other(side);
    }
    sibling->_M_color = parent->_M_color;
    parent->_M_color = _S_black;
    (sibling->*other(side))->_M_color = _S_black;
    rotate(parent, side, header);
    break;
  }
  if (node != nullptr) node->_M_color = _S_black;
}

}  // namespace

Node* _Rb_tree_increment(Node* node) throw() { return step(node, right_side); }
const Node* _Rb_tree_increment(const Node* node) throw() { return step(const_cast<Node*>(node), right_side); }

/// The header's is the last node; it is told from the root, whose parent's parent is the root too, by its colour.
Node* _Rb_tree_decrement(Node* node) throw() {
  if (node->_M_color == _S_red && node->_M_parent->_M_parent == node) return node->_M_right;
  return step(node, left_side);
}
const Node* _Rb_tree_decrement(const Node* node) throw() { return _Rb_tree_decrement(const_cast<Node*>(node)); }

void _Rb_tree_insert_and_rebalance(const bool insert_left, Node* node, Node* parent, Node& header) throw() {
  node->_M_parent = parent;
  node->_M_left = node->_M_right = nullptr;
  node->_M_color = _S_red;
  if (parent == &header) {
    header._M_parent = header._M_left = header._M_right = node;
  } else if (insert_left) {
    parent->_M_left = node;
    if (header._M_left == parent) header._M_left = node;
  } else {
    parent->_M_right = node;
    if (header._M_right == parent) header._M_right = node;
  }
  while (node != header._M_parent && node->_M_parent->_M_color == _S_red) {
    Node* const above = node->_M_parent->_M_parent;
    const Side side = above->_M_left == node->_M_parent ? left_side : right_side;
    if (Node* const uncle = above->*other(side); !black(uncle)) {
      node->_M_parent->_M_color = uncle->_M_color = _S_black;
      above->_M_color = _S_red;
      node = above;
      continue;
    }
    if (node == node->_M_parent->*other(side)) {
      node = node->_M_parent;
      rotate(node, side, header);
    }
    node->_M_parent->_M_color = _S_black;
    above->_M_color = _S_red;
    rotate(above, other(side), header);
  }
  header._M_parent->_M_color = _S_black;
}

/// A node with two children changes places with the next one, which has one child at most.
Node* _Rb_tree_rebalance_for_erase(Node* const node, Node& header) throw() {
  if (header._M_left == node) header._M_left = node->_M_right != nullptr ? step(node, right_side) : node->_M_parent;
  if (header._M_right == node) header._M_right = node->_M_left != nullptr ? step(node, left_side) : node->_M_parent;

  Node* child = nullptr;
  Node* parent = nullptr;  // of the child, in the end
  if (node->_M_left == nullptr || node->_M_right == nullptr) {
    child = node->_M_left != nullptr ? node->_M_left : node->_M_right;
    parent = node->_M_parent;
    link_to(node, header) = child;
  } else {
    Node* const next = step(node, right_side);
    child = next->_M_right;
    parent = next->_M_parent == node ? next : next->_M_parent;
    if (parent != next) {
      parent->_M_left = child;
      next->_M_right = node->_M_right;
      node->_M_right->_M_parent = next;
    }
    next->_M_left = node->_M_left;
    node->_M_left->_M_parent = next;
    next->_M_parent = node->_M_parent;
    link_to(node, header) = next;
    swap(next->_M_color, node->_M_color);
  }
  if (child != nullptr) child->_M_parent = parent;
  if (node->_M_color == _S_black) restore_after_erase(child, parent, header);
  return node;
}

const nothrow_t nothrow{};

/// Asked where there is type information, which there is not.
bool _Sp_make_shared_tag::_S_eq(const type_info&) noexcept { return false; }

}  // namespace std
