#pragma once
// Tables whose fields have as many bits as they need: links and numbers of a drive's buffer have 20 to 36, which words of 32 and 64 waste.
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "firmware/tables/dram_table.hpp"

namespace tessera {

/// Bits that `count` values take, 0 to count - 1.
[[nodiscard]] constexpr std::uint32_t bits_for(std::uint64_t count) {
  return count <= 2 ? 1 : static_cast<std::uint32_t>(std::bit_width(count - 1));
}

/// `count` records of the same fields, all bits zero at first. An access is charged for the bytes that its field lies in.
class PackedTable {
 public:
  /// Place of a field in its record; width <= 56.
  struct Field {
    std::uint32_t first = 0;
    std::uint32_t width = 0;
    [[nodiscard]] std::uint32_t end() const { return first + width; }
  };

  PackedTable(MemoryPort& memory, std::uint64_t count, std::uint32_t record_bits, std::string_view what,
              Survival survival = Survival::volatile_memory)
      : memory_(memory), count_(count), record_bits_(record_bits) {
    const MemoryRegion region = survival == Survival::dumped ? memory.reserve_dumped(MemoryCategory::metadata, bytes(), what)
                                                             : memory.reserve(MemoryCategory::metadata, bytes(), what);
    address_ = region.address;
    bytes_ = region.bytes.data();
    if (region.torn) std::memset(bytes_, 0, region.bytes.size());
  }

  [[nodiscard]] std::uint64_t size() const { return count_; }
  /// Whole words, and one more, as a field is read with the seven bytes after its first.
  [[nodiscard]] Bytes bytes() const { return Bytes((count_ * record_bits_ + 63) / 64 * 8 + 8); }

  /// One charged read.
  [[nodiscard]] std::uint64_t read(std::uint64_t i, Field field) const {
    touch(i, field, Access::read);
    return peek(i, field);
  }
  /// One charged write.
  void write(std::uint64_t i, Field field, std::uint64_t value) {
    touch(i, field, Access::write);
    poke(i, field, value);
  }
  /// Without a charge: for a field next to one that was read or written already, and for tests.
  [[nodiscard]] std::uint64_t peek(std::uint64_t i, Field field) const {
    const std::uint64_t bit = i * record_bits_ + field.first;
    std::uint64_t word;
    std::memcpy(&word, bytes_ + bit / 8, sizeof(word));
    return word >> (bit % 8) & mask(field.width);
  }
  void poke(std::uint64_t i, Field field, std::uint64_t value) {
    const std::uint64_t bit = i * record_bits_ + field.first;
    std::uint64_t word;
    std::memcpy(&word, bytes_ + bit / 8, sizeof(word));
    word = (word & ~(mask(field.width) << (bit % 8))) | value << (bit % 8);
    std::memcpy(bytes_ + bit / 8, &word, sizeof(word));
  }

 private:
  [[nodiscard]] static std::uint64_t mask(std::uint32_t width) { return (std::uint64_t{1} << width) - 1; }
  void touch(std::uint64_t i, Field field, Access access) const {
    TESSERA_CHECK(i < count_, "an index lies outside its table");
    const std::uint64_t bit = i * record_bits_ + field.first;
    memory_.touch(address_ + bit / 8, static_cast<std::uint32_t>((bit % 8 + field.width + 7) / 8), access);
  }

  MemoryPort& memory_;
  std::uint64_t count_;
  std::uint32_t record_bits_;
  DramAddress address_;
  std::byte* bytes_;
};

/// Doubly linked lists through two neighbouring fields of a table's records: `lists` circular lists have their sentinels in the records
/// from `sentinels` on. A record is in at most one of them.
class PackedLists {
 public:
  using Index = std::uint32_t;
  static constexpr Index none = ~Index{0};

  /// The links take the bits from `first` on.
  PackedLists(PackedTable& table, std::uint32_t first, Index sentinels, std::uint32_t lists)
      : table_(table), width_(bits_for(table.size())), previous_{first, width_}, next_{previous_.end(), width_}, sentinels_(sentinels) {
    for (Index head = sentinels; head < sentinels + lists; ++head) set(head, {head, head});
  }

  /// Bits of a record that lists over `records` take.
  [[nodiscard]] static std::uint32_t bits(std::uint64_t records) { return 2 * bits_for(records); }

  [[nodiscard]] Index front(std::uint32_t list) const { return after(sentinels_ + list); }
  [[nodiscard]] Index after(Index i) const { return indexed(static_cast<Index>(table_.read(i, next_))); }
  void push_back(std::uint32_t list, Index i) {
    const Index head = sentinels_ + list;
    insert(static_cast<Index>(table_.read(head, previous_)), i, head);
  }
  void push_front(std::uint32_t list, Index i) {
    const Index head = sentinels_ + list;
    insert(head, i, static_cast<Index>(table_.read(head, next_)));
  }
  void remove(Index i) {
    const auto previous = static_cast<Index>(table_.read(i, previous_));
    const auto next = static_cast<Index>(table_.peek(i, next_));
    table_.write(previous, next_, next);
    table_.write(next, previous_, previous);
  }

 private:
  struct Links {
    Index previous;
    Index next;
  };
  void set(Index i, Links links) {
    table_.poke(i, previous_, links.previous);
    table_.poke(i, next_, links.next);
  }
  void insert(Index previous, Index i, Index next) {
    table_.write(i, previous_, previous);
    table_.poke(i, next_, next);
    table_.write(previous, next_, i);
    table_.write(next, previous_, i);
  }
  [[nodiscard]] Index indexed(Index i) const { return i < sentinels_ ? i : none; }

  PackedTable& table_;
  std::uint32_t width_;
  PackedTable::Field previous_;
  PackedTable::Field next_;
  Index sentinels_;
};

}  // namespace tessera
