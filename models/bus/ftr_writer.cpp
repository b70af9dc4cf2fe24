#include "bus/ftr_writer.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

enum FtrTag : std::uint64_t {
  self_described = 55'799,
  info_chunk = 6,
  dictionary_chunk = 8,
  directory_chunk = 10,
  transaction_chunk = 12,
  a_stream = 16,
  a_generator = 17,
  a_transaction = 6,
  first_attribute = 7  // of those known at the begin; then those in between, then those at the end
};
enum FtrType : std::uint64_t { type_unsigned = 3, type_string = 10 };

constexpr std::uint64_t picosecond_exponent = 12;   // of 1/10 s
constexpr std::size_t ftr_block_bytes = 1U << 16U;  // after which a block is written

}  // namespace

void CborBytes::head(unsigned kind, std::uint64_t value) {
  const unsigned bytes = value < 24 ? 0 : value <= 0xff ? 1 : value <= 0xffff ? 2 : value <= 0xffff'ffff ? 4 : 8;
  const std::uint64_t first = bytes == 0 ? value : bytes == 1 ? 24 : bytes == 2 ? 25 : bytes == 4 ? 26 : 27;
  content_ += static_cast<char>(kind << 5U | first);
  for (unsigned i = bytes; i > 0; --i) content_ += static_cast<char>(value >> (i - 1) * 8);
}

void CborBytes::text(std::string_view text) {
  head(3, text.size());
  content_ += text;
}

void CborBytes::bytes(std::string_view content) {
  head(2, content.size());
  content_ += content;
}

FtrWriter::FtrWriter(std::ostream& out) : out_(out) {
  CborBytes begin;
  begin.tag(self_described);
  begin.begin_array();
  out_ << begin.content();
  CborBytes info;
  info.array(2);
  info.negative(picosecond_exponent);
  info.tag(1);  // a date, in seconds
  info.number(0);
  write_chunk(info_chunk, info);
  static_cast<void>(key_of(""));
}

std::uint64_t FtrWriter::key_of(std::string_view text) {
  const auto known = keys_.find(text);
  if (known != keys_.end()) return known->second;
  const std::uint64_t key = keys_.size();
  keys_.emplace(text, key);
  new_keys_.number(key);
  new_keys_.text(text);
  ++new_key_count_;
  return key;
}

std::uint64_t FtrWriter::stream(std::string_view name, std::string_view kind) {
  directory_.tag(a_stream);
  directory_.array(3);
  directory_.number(++streams_);
  directory_.number(key_of(name));
  directory_.number(key_of(kind));
  return streams_;
}

std::uint64_t FtrWriter::generator(std::string_view name, std::uint64_t stream) {
  directory_.tag(a_generator);
  directory_.array(3);
  directory_.number(++generators_);
  directory_.number(key_of(name));
  directory_.number(stream);
  return generators_;
}

void FtrWriter::transaction(std::uint64_t stream, std::uint64_t generator, Picoseconds begin, Picoseconds end,
                            std::span<const Attribute> attributes) {
  Block& block = blocks_[stream];
  CborBytes& out = block.transactions;
  block.begin = out.content().empty() ? begin : std::min(block.begin, begin);
  block.end = std::max(block.end, end);
  out.array(attributes.size() + 1);
  out.tag(a_transaction);
  out.array(4);
  out.number(++transactions_);
  out.number(generator);
  out.number(begin.value());
  out.number(end.value());
  for (const Attribute& attribute : attributes) {
    const auto* text = std::get_if<std::string_view>(&attribute.value);
    out.tag(first_attribute + static_cast<std::uint64_t>(attribute.when));
    out.array(3);
    out.number(key_of(attribute.name));
    out.number(text != nullptr ? type_string : type_unsigned);
    out.number(text != nullptr ? key_of(*text) : std::get<std::uint64_t>(attribute.value));
  }
  if (out.content().size() >= ftr_block_bytes) write_block(stream, block);
}

void FtrWriter::write_chunk(std::uint64_t tag, const CborBytes& content) {
  CborBytes chunk;
  chunk.tag(tag);
  chunk.bytes(content.content());
  out_ << chunk.content();
}

/// What a chunk refers to comes before it.
void FtrWriter::write_names() {
  if (new_key_count_ != 0) {
    CborBytes map;
    map.map(std::exchange(new_key_count_, 0));
    map.append(new_keys_);
    new_keys_.clear();
    write_chunk(dictionary_chunk, map);
  }
  if (directory_.content().empty()) return;
  CborBytes array;
  array.begin_array();
  array.append(directory_);
  array.end();
  directory_.clear();
  write_chunk(directory_chunk, array);
}

void FtrWriter::write_block(std::uint64_t stream, Block& block) {
  write_names();
  CborBytes array;
  array.begin_array();
  array.append(block.transactions);
  array.end();
  CborBytes chunk;
  chunk.tag(transaction_chunk);
  chunk.array(4);
  chunk.number(stream);
  chunk.number(block.begin.value());
  chunk.number(block.end.value());
  chunk.bytes(array.content());
  out_ << chunk.content();
  block = {};
}

void FtrWriter::finish() {
  if (std::exchange(finished_, true)) return;
  write_names();
  for (auto& [stream, block] : blocks_)
    if (!block.transactions.content().empty()) write_block(stream, block);
  CborBytes end;
  end.end();
  out_ << end.content() << std::flush;
}

}  // namespace tessera
