#pragma once
// A buffer of whole drive sectors in the controller's DRAM, with the content that the model keeps beside it, and the mark of each
// sector whose data is lost: the check bytes that a controller carries beside a sector from end to end.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/address.hpp"
#include "base/check.hpp"
#include "base/content.hpp"
#include "base/data_flow.hpp"

namespace tessera {

/// How sectors and content relate on one drive; set once at elaboration.
struct SectorShape {
  std::uint32_t sector_bytes = 4096;  ///< 4096, or 512 on old drives
  ContentMode mode = ContentMode::none;

  [[nodiscard]] constexpr std::uint32_t blocks() const { return sector_bytes / host_block_bytes; }  ///< host blocks a sector
  [[nodiscard]] constexpr std::uint32_t kept() const { return blocks() * kept_per_block(mode); }    ///< kept bytes a sector
};

class DataBuffer;

/// `count` sectors of a buffer from `first` on. Empty (null) where a command moves no host data.
struct DataSpan {
  DataBuffer* buffer = nullptr;
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] DataSpan part(std::uint32_t offset, std::uint32_t n) const { return {buffer, first + offset, n}; }
};

/// Move-only. Content is reserved for devices and the host side: firmware copies it, never reads it.
class DataBuffer {
 public:
  DataBuffer() = default;
  DataBuffer(DramAddress address, std::uint32_t sectors, SectorShape shape)
      : address_(address), sectors_(sectors), shape_(shape), kept_(std::size_t{sectors} * shape.kept()) {}
  DataBuffer(DataBuffer&&) = default;
  DataBuffer& operator=(DataBuffer&&) = default;
  DataBuffer(const DataBuffer&) = delete;
  DataBuffer& operator=(const DataBuffer&) = delete;

  [[nodiscard]] DramAddress address() const { return address_; }
  [[nodiscard]] std::uint32_t sectors() const { return sectors_; }
  [[nodiscard]] const SectorShape& shape() const { return shape_; }
  [[nodiscard]] DataSpan all() { return {this, 0, sectors_}; }
  [[nodiscard]] DataSpan part(std::uint32_t first, std::uint32_t count) { return {this, first, count}; }

  /// Kept content of `count` sectors from `first` on.
  [[nodiscard]] ContentSpan content(std::uint32_t first, std::uint32_t count) {
    TESSERA_CHECK(first + count <= sectors_, "a data span leaves its buffer");
    return ContentSpan(kept_).subspan(std::size_t{first} * shape_.kept(), std::size_t{count} * shape_.kept());
  }

  /// The sector's data is lost: it could not be read. A device that writes such a sector stores it as lost, whatever the content
  /// mode, and reads it as lost again.
  [[nodiscard]] bool is_lost(std::uint32_t sector) const { return !lost_.empty() && lost_[sector] != Lost::no; }
  [[nodiscard]] bool any_lost(std::uint32_t first, std::uint32_t count) const {
    if (lost_.empty()) return false;
    for (std::uint32_t sector = first; sector < first + count; ++sector)
      if (lost_[sector] != Lost::no) return true;
    return false;
  }
  void mark_lost(std::uint32_t sector) { mark(sector, Lost::unread); }
  /// Of those that are lost: a write of an overlapping track destroyed it, and nothing came to its place since.
  [[nodiscard]] bool is_overwritten(std::uint32_t sector) const { return !lost_.empty() && lost_[sector] == Lost::overwritten; }
  void mark_overwritten(std::uint32_t sector) { mark(sector, Lost::overwritten); }
  /// As that sector of another buffer is marked.
  void mark_as(std::uint32_t sector, const DataBuffer& other, std::uint32_t its) {
    if (other.is_lost(its)) mark(sector, other.lost_[its]);
  }
  /// New data came to these sectors.
  void clear_lost(std::uint32_t first, std::uint32_t count) {
    if (!lost_.empty()) std::fill_n(lost_.begin() + first, count, Lost::no);
  }

  /// What of its data is still crossing the host link.
  [[nodiscard]] WriteFlow& write_flow() { return write_flow_; }
  [[nodiscard]] ReadFlow& read_flow() { return read_flow_; }

  /// Reuses the storage for another extent (buffers are pooled).
  void reset(DramAddress address, std::uint32_t sectors, SectorShape shape) {
    address_ = address;
    sectors_ = sectors;
    shape_ = shape;
    kept_.assign(std::size_t{sectors} * shape.kept(), std::byte{0});
    lost_.clear();
    write_flow_ = {};
    read_flow_ = {};
  }

 private:
  enum class Lost : std::uint8_t { no, unread, overwritten };
  void mark(std::uint32_t sector, Lost how) {
    if (lost_.empty()) lost_.resize(sectors_);
    lost_[sector] = how;
  }

  DramAddress address_;
  std::uint32_t sectors_ = 0;
  SectorShape shape_;
  std::vector<std::byte> kept_;
  std::vector<Lost> lost_;  // empty where none is
  WriteFlow write_flow_;
  ReadFlow read_flow_;
};

/// Kept content of the sectors a span names; empty for a null span.
inline ContentSpan content_of(const DataSpan& span) {
  return span.buffer == nullptr ? ContentSpan() : span.buffer->content(span.first, span.count);
}

[[nodiscard]] inline bool any_lost(const DataSpan& span) { return span.buffer != nullptr && span.buffer->any_lost(span.first, span.count); }
inline void clear_lost(const DataSpan& span) {
  if (span.buffer != nullptr) span.buffer->clear_lost(span.first, span.count);
}

}  // namespace tessera
