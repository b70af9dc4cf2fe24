#pragma once
// Writes recorded transactions as FTR (Fast Transaction Recording, of SCC and LWTR4SC): a self-described CBOR array of chunks (RFC 8949),
// each with its kind as a tag. Times are picoseconds. Nothing is compressed; the date is left at 0, so that equal runs write equal files.
#include <cstdint>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.hpp"

namespace tessera {

/// CBOR data items, one after another.
class CborBytes {
 public:
  void number(std::uint64_t value) { head(0, value); }
  void text(std::string_view text);
  void bytes(std::string_view content);
  void array(std::uint64_t size) { head(4, size); }
  void map(std::uint64_t pairs) { head(5, pairs); }
  void tag(std::uint64_t number) { head(6, number); }
  /// One integer below 0.
  void negative(std::uint64_t magnitude) { head(1, magnitude - 1); }
  void begin_array() { content_ += '\x9f'; }  // of unknown length
  void end() { content_ += '\xff'; }
  void append(const CborBytes& other) { content_ += other.content_; }

  [[nodiscard]] const std::string& content() const { return content_; }
  void clear() { content_.clear(); }

 private:
  void head(unsigned kind, std::uint64_t value);

  std::string content_;
};

class FtrWriter {
 public:
  /// When an attribute's value was known: at the transaction's begin, in between, at its end.
  enum class When : std::uint8_t { begin, between, end };
  struct Attribute {
    When when = When::begin;
    std::string_view name;
    std::variant<std::uint64_t, std::string_view> value;
  };

  /// `out` stays until finish(); whether it took everything is its own affair.
  explicit FtrWriter(std::ostream& out);
  ~FtrWriter() { finish(); }
  FtrWriter(const FtrWriter&) = delete;
  FtrWriter& operator=(const FtrWriter&) = delete;

  /// A lane of transactions, and a kind of transactions on it. Numbers count from 1.
  [[nodiscard]] std::uint64_t stream(std::string_view name, std::string_view kind);
  [[nodiscard]] std::uint64_t generator(std::string_view name, std::uint64_t stream);
  /// A transaction that has ended.
  void transaction(std::uint64_t stream, std::uint64_t generator, Picoseconds begin, Picoseconds end,
                   std::span<const Attribute> attributes);
  /// Writes the rest; nothing may follow.
  void finish();

 private:
  /// Transactions of a stream that are yet to be written.
  struct Block {
    CborBytes transactions;
    Picoseconds begin;
    Picoseconds end;
  };

  std::uint64_t key_of(std::string_view text);
  void write_names();
  void write_block(std::uint64_t stream, Block& block);
  void write_chunk(std::uint64_t tag, const CborBytes& content);

  std::ostream& out_;
  std::map<std::string, std::uint64_t, std::less<>> keys_;
  CborBytes new_keys_;
  std::uint64_t new_key_count_ = 0;
  CborBytes directory_;
  std::map<std::uint64_t, Block> blocks_;
  std::uint64_t streams_ = 0;
  std::uint64_t generators_ = 0;
  std::uint64_t transactions_ = 0;
  bool finished_ = false;
};

}  // namespace tessera
