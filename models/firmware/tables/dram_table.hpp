#pragma once
// Tables in the modelled DRAM: each access is charged as the access of its bytes through data cache and DRAM.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/check.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

/// Whether a table is lost with the power or restored by the dump engine (durability `plp`).
enum class Survival : std::uint8_t { volatile_memory, dumped };

/// `count` elements, zeroed at first; all bits zero must be a valid T. A dumped table of which a part is missing is zeroed as a whole: half
/// a table may say of a slot what another half took back.
template <class T>
class DramArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DramArray(MemoryPort& memory, MemoryCategory category, std::uint64_t count, std::string_view what,
            Survival survival = Survival::volatile_memory)
      : memory_(memory), count_(count) {
    const Bytes size(count * sizeof(T));
    const MemoryRegion region =
        survival == Survival::dumped ? memory.reserve_dumped(category, size, what) : memory.reserve(category, size, what);
    address_ = region.address;
    elements_ = reinterpret_cast<T*>(region.bytes.data());
    TESSERA_CHECK(reinterpret_cast<std::uintptr_t>(elements_) % alignof(T) == 0, "a table in DRAM is not aligned");
    if (region.torn) std::ranges::fill(region.bytes, std::byte{0});
  }

  [[nodiscard]] std::uint64_t size() const { return count_; }
  /// One charged read.
  [[nodiscard]] const T& read(std::uint64_t i) const {
    touch(i, Access::read);
    return elements_[i];
  }
  /// `count` elements in a row, at least one, charged as one burst.
  [[nodiscard]] std::span<const T> read_run(std::uint64_t first, std::uint64_t count) const {
    TESSERA_CHECK(count != 0 && first + count <= count_, "a run of elements lies outside its table");
    memory_.touch(address_ + first * sizeof(T), static_cast<std::uint32_t>(count * sizeof(T)), Access::read);
    return {elements_ + first, count};
  }
  /// `count` elements in a row, at least one, charged as one burst; the references are for changing them at once.
  [[nodiscard]] std::span<T> write_run(std::uint64_t first, std::uint64_t count) {
    TESSERA_CHECK(count != 0 && first + count <= count_, "a run of elements lies outside its table");
    memory_.touch(address_ + first * sizeof(T), static_cast<std::uint32_t>(count * sizeof(T)), Access::write);
    return {elements_ + first, count};
  }
  /// One charged write; the reference is for changing the element at once.
  [[nodiscard]] T& write(std::uint64_t i) {
    touch(i, Access::write);
    return elements_[i];
  }
  /// Without a charge: for what was read already, for prefill and for tests.
  [[nodiscard]] T& peek(std::uint64_t i) { return elements_[i]; }
  [[nodiscard]] const T& peek(std::uint64_t i) const { return elements_[i]; }

 private:
  void touch(std::uint64_t i, Access access) const {
    TESSERA_CHECK(i < count_, "an index lies outside its table");
    memory_.touch(address_ + i * sizeof(T), sizeof(T), access);
  }

  MemoryPort& memory_;
  std::uint64_t count_;
  DramAddress address_;
  T* elements_;
};

/// Bits, all clear at first.
class DramBitmap {
 public:
  DramBitmap(MemoryPort& memory, MemoryCategory category, std::uint64_t bits, std::string_view what)
      : words_(memory, category, (bits + 63) / 64, what), bits_(bits) {}

  [[nodiscard]] std::uint64_t size() const { return bits_; }
  [[nodiscard]] bool test(std::uint64_t i) const { return (words_.read(i / 64) >> (i % 64) & 1U) != 0; }
  /// As test(), without a charge: for gauges.
  [[nodiscard]] bool peek(std::uint64_t i) const { return (words_.peek(i / 64) >> (i % 64) & 1U) != 0; }
  void set(std::uint64_t i) { words_.write(i / 64) |= std::uint64_t{1} << (i % 64); }
  void reset(std::uint64_t i) { words_.write(i / 64) &= ~(std::uint64_t{1} << (i % 64)); }
  void set_uncharged(std::uint64_t i) { words_.peek(i / 64) |= std::uint64_t{1} << (i % 64); }
  /// Sets every bit below `end` without a charge (prefill, boot).
  void set_below(std::uint64_t end) { set_between(0, end); }
  /// Sets the bits [first, end) without a charge.
  void set_between(std::uint64_t first, std::uint64_t end) {
    TESSERA_CHECK(first <= end && end <= bits_, "a bit lies outside its bitmap");
    constexpr std::uint64_t all = ~std::uint64_t{0};
    while (first < end) {
      const std::uint64_t next = std::min(end, (first / 64 + 1) * 64);
      words_.peek(first / 64) |= (all >> (64 - (next - first))) << (first % 64);
      first = next;
    }
  }

 private:
  DramArray<std::uint64_t> words_;
  std::uint64_t bits_;
};

/// Doubly linked lists over indices [0, count): `lists` circular lists share the links, as sentinels behind the indices.
/// An index is in at most one list.
class DramLists {
 public:
  using Index = std::uint32_t;
  static constexpr Index none = ~Index{0};

  DramLists(MemoryPort& memory, MemoryCategory category, Index count, std::uint32_t lists, std::string_view what)
      : links_(memory, category, std::uint64_t{count} + lists, what), count_(count) {
    for (std::uint32_t list = 0; list < lists; ++list) links_.peek(count_ + list) = {count_ + list, count_ + list};
  }

  [[nodiscard]] Bytes bytes() const { return Bytes(links_.size() * sizeof(Links)); }
  [[nodiscard]] Index front(std::uint32_t list) const { return indexed(links_.read(count_ + list).next); }
  [[nodiscard]] Index back(std::uint32_t list) const { return indexed(links_.read(count_ + list).previous); }
  [[nodiscard]] Index after(Index i) const { return indexed(links_.read(i).next); }
  void push_back(std::uint32_t list, Index i) {
    const Index head = count_ + list;
    const Index last = links_.read(head).previous;
    links_.write(i) = {last, head};
    links_.write(last).next = i;
    links_.write(head).previous = i;
  }
  /// Puts `i` right behind `place`, which is in a list.
  void insert_after(Index place, Index i) {
    const Index next = links_.read(place).next;
    links_.write(i) = {place, next};
    links_.write(place).next = i;
    links_.write(next).previous = i;
  }
  void push_front(std::uint32_t list, Index i) { insert_after(count_ + list, i); }
  [[nodiscard]] Index before(Index i) const { return indexed(links_.read(i).previous); }
  void remove(Index i) {
    const Links links = links_.read(i);
    links_.write(links.previous).next = links.next;
    links_.write(links.next).previous = links.previous;
  }
  void move_to_back(std::uint32_t list, Index i) {
    remove(i);
    push_back(list, i);
  }

  // Chains: indices in a row that follow one another in their list as well. One costs as much as a single index, but for longer bursts.

  /// How many indices from `first` on are a chain, at most `most`; `first` is in a list.
  [[nodiscard]] Index chain(Index first, Index most) const {
    const std::span<const Links> links = links_.read_run(first, most);
    Index length = 1;
    while (length < most && links[length - 1].next == first + length) ++length;
    return length;
  }
  /// Takes a chain, which chain() has read, out of its list.
  void remove_chain(Index first, Index length) {
    const Index previous = links_.peek(first).previous;
    const Index next = links_.peek(first + length - 1).next;
    links_.write(previous).next = next;
    links_.write(next).previous = previous;
  }
  /// Puts indices in a row, which are in no list, at the end of one.
  void push_back_chain(std::uint32_t list, Index first, Index length) {
    const Index head = count_ + list;
    const Index last = links_.read(head).previous;
    const std::span<Links> links = links_.write_run(first, length);
    for (Index i = 0; i < length; ++i) links[i] = {first + i - 1, first + i + 1};
    links.front().previous = last;
    links.back().next = head;
    links_.write(last).next = first;
    links_.write(head).previous = first + length - 1;
  }

 private:
  struct Links {
    Index previous;
    Index next;
  };
  [[nodiscard]] Index indexed(Index i) const { return i < count_ ? i : none; }

  DramArray<Links> links_;
  Index count_;
};

/// Hash table of fixed capacity from 64-bit keys to 32-bit values, by linear probing at a load of at most one half.
/// Each probe is a charged access; the caller charges CpuPort::hash().
class DramHashMap {
 public:
  using Key = std::uint64_t;
  using Value = std::uint32_t;
  static constexpr Value none = ~Value{0};

  DramHashMap(MemoryPort& memory, MemoryCategory category, std::uint64_t capacity, std::string_view what)
      : cells_(memory, category, cells_for(capacity), what), mask_(cells_.size() - 1), capacity_(capacity) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] Bytes bytes() const { return Bytes(cells_.size() * sizeof(Cell)); }
  [[nodiscard]] Value find(Key key) const {
    for (std::uint64_t at = home(key);; at = (at + 1) & mask_) {
      const Cell& cell = cells_.read(at);
      if (cell.used == 0) return none;
      if (cell.key == key) return cell.value;
    }
  }
  /// The key must not be in the table.
  void insert(Key key, Value value) {
    TESSERA_CHECK(size_ < capacity_, "a hash table in DRAM is full");
    std::uint64_t at = home(key);
    while (cells_.read(at).used != 0) at = (at + 1) & mask_;
    cells_.write(at) = {key, value, 1};
    ++size_;
  }
  /// Enters the key, or gives it another value.
  void assign(Key key, Value value) {
    std::uint64_t at = home(key);
    while (cells_.read(at).used != 0 && cells_.peek(at).key != key) at = (at + 1) & mask_;
    if (cells_.peek(at).used == 0) {
      TESSERA_CHECK(size_ < capacity_, "a hash table in DRAM is full");
      ++size_;
    }
    cells_.write(at) = {key, value, 1};
  }
  /// The key must be in the table.
  void erase(Key key) {
    std::uint64_t hole = home(key);
    while (cells_.read(hole).key != key || cells_.peek(hole).used == 0) {
      TESSERA_CHECK(cells_.peek(hole).used != 0, "a key to erase is not in its hash table");
      hole = (hole + 1) & mask_;
    }
    // Moves later cells of the cluster back, so that every probe still ends at an unused cell.
    for (std::uint64_t at = (hole + 1) & mask_; cells_.read(at).used != 0; at = (at + 1) & mask_) {
      const std::uint64_t distance = (at - home(cells_.peek(at).key)) & mask_;
      if (((at - hole) & mask_) > distance) continue;
      cells_.write(hole) = cells_.peek(at);
      hole = at;
    }
    cells_.write(hole).used = 0;
    --size_;
  }

 private:
  struct Cell {
    Key key;
    Value value;
    std::uint32_t used;
  };
  static std::uint64_t cells_for(std::uint64_t capacity) {
    std::uint64_t cells = 2;
    while (cells < 2 * capacity) cells *= 2;
    return cells;
  }
  /// Fibonacci hashing: middle bits of the product with 2^64 / golden ratio, which all lower bits of the key have mixed.
  [[nodiscard]] std::uint64_t home(Key key) const { return (key * 0x9E3779B97F4A7C15U >> 20) & mask_; }

  DramArray<Cell> cells_;
  std::uint64_t mask_;
  std::uint64_t capacity_;
  std::uint64_t size_ = 0;
};

}  // namespace tessera
