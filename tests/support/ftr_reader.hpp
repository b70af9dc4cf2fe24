#pragma once
// Reads FTR files without compression, as their specification (version 1.0, MINRES) and RFC 8949 have them. Throws where the file is none.
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

/// A data item of CBOR.
struct CborItem {
  unsigned kind = 0;  ///< major type
  std::uint64_t number = 0;
  std::string text;
  std::vector<CborItem> items;  ///< of arrays and maps; what a tag is of
};

class CborReader {
 public:
  explicit CborReader(const std::string& bytes) : bytes_(bytes) {}
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  CborItem item() {
    const unsigned first = byte();
    CborItem item{first >> 5U, 0, {}, {}};
    const bool endless = (first & 31U) == 31;
    if (!endless) item.number = argument(first & 31U);
    if (item.kind == 2 || item.kind == 3) {
      if (item.number > bytes_.size() - at_) throw std::runtime_error("a string beyond the end");
      item.text = bytes_.substr(at_, item.number);
      at_ += item.number;
    }
    const std::uint64_t count = item.kind == 5 ? 2 * item.number : item.kind == 4 ? item.number : item.kind == 6 ? 1 : 0;
    if (endless)
      while (static_cast<unsigned char>(bytes_.at(at_)) != 0xff) item.items.push_back(this->item());
    else
      for (std::uint64_t i = 0; i < count; ++i) item.items.push_back(this->item());
    if (endless) ++at_;
    return item;
  }

 private:
  unsigned byte() { return static_cast<unsigned char>(bytes_.at(at_++)); }
  std::uint64_t argument(unsigned shortly) {
    if (shortly < 24) return shortly;
    if (shortly > 27) throw std::runtime_error("a length that is none");
    std::uint64_t value = 0;
    for (unsigned left = 1U << (shortly - 24); left > 0; --left) value = value << 8U | byte();
    return value;
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
};

struct FtrTransaction {
  std::string stream, generator;
  std::uint64_t begin = 0, end = 0;
  std::map<std::string, std::uint64_t> numbers;
  std::map<std::string, std::string> texts;
};

/// All transactions of a file, in its order.
inline std::vector<FtrTransaction> read_ftr(const std::string& bytes) {
  CborReader reader(bytes);
  const CborItem whole = reader.item();
  if (whole.kind != 6 || whole.number != 55799 || !reader.at_end()) throw std::runtime_error("not a self-described file");
  std::map<std::uint64_t, std::string> names, streams, generators;
  std::vector<FtrTransaction> found;
  for (const CborItem& chunk : whole.items.at(0).items) {
    const CborItem& content = chunk.items.at(0);
    if (chunk.number == 6) continue;
    CborReader inside(chunk.number == 12 ? content.items.at(3).text : content.text);
    const CborItem list = inside.item();
    if (chunk.number == 8)
      for (std::size_t i = 0; i < list.items.size(); i += 2) names[list.items[i].number] = list.items[i + 1].text;
    if (chunk.number == 10)
      for (const CborItem& entry : list.items) {
        const auto& fields = entry.items.at(0).items;
        (entry.number == 16 ? streams : generators)[fields.at(0).number] = names.at(fields.at(1).number);
      }
    if (chunk.number != 12) continue;
    for (const CborItem& entry : list.items) {
      const auto& head = entry.items.at(0).items.at(0).items;
      FtrTransaction transaction{
          streams.at(content.items.at(0).number), generators.at(head.at(1).number), head.at(2).number, head.at(3).number, {}, {}};
      if (transaction.begin < content.items.at(1).number || transaction.end > content.items.at(2).number)
        throw std::runtime_error("a transaction outside its chunk's times");
      for (std::size_t i = 1; i < entry.items.size(); ++i) {
        const auto& fields = entry.items[i].items.at(0).items;
        const std::string& name = names.at(fields.at(0).number);
        if (fields.at(1).number == 10)
          transaction.texts[name] = names.at(fields.at(2).number);
        else
          transaction.numbers[name] = fields.at(2).number;
      }
      found.push_back(std::move(transaction));
    }
  }
  return found;
}

}  // namespace test
