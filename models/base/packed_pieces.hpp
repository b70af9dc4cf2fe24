#pragma once
// Many pieces of one size by number, most of them seldom touched: tables and logs on the platters. The ones that were written last are
// kept as they are. The others are packed, equal ones once; pieces of zeros take no room.
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tessera {

class PackedPieces {
 public:
  /// Keeps the `whole_bytes` that were written last as they are, a piece at least. `period`: bytes after which a piece resembles itself, a
  /// multiple of 8 that divides it; the whole piece where it does not.
  PackedPieces(std::size_t piece_bytes, std::size_t whole_bytes, std::size_t period);

  void write(std::uint64_t number, std::span<const std::byte> piece);
  /// A part of a piece; the rest of it stays, zeros where it was never written.
  void write_part(std::uint64_t number, std::size_t offset, std::span<const std::byte> part);
  /// Zeros where it was never written.
  void read(std::uint64_t number, std::size_t offset, std::span<std::byte> bytes) const;
  void clear();

  /// Bytes that the pieces' content takes.
  [[nodiscard]] std::size_t content_bytes() const { return whole_.size() * piece_bytes_ + packed_bytes_; }

 private:
  enum class Form : std::uint32_t { zeros, whole, packed };
  struct Held {
    Form form = Form::zeros;
    std::uint32_t place = 0;  // in whole_ or packed_
  };
  struct Whole {
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t number = 0;  // of the piece
  };
  struct Packed {
    std::unique_ptr<std::byte[]> bytes;
    std::uint32_t size = 0;
    std::uint32_t pieces = 0;  // that are like it
    std::size_t hash = 0;
  };

  [[nodiscard]] std::span<std::byte> whole_of(const Held& held) const { return {whole_[held.place].bytes.get(), piece_bytes_}; }
  /// The piece is whole from now on; its bytes are the caller's to fill.
  std::span<std::byte> make_whole(std::uint64_t number, Held& held);
  void pack_up(Held& held);
  void unpack_into(const Held& held, std::span<std::byte> piece) const;
  void let_go(const Held& held);
  void mix(std::span<std::byte> piece) const;
  void unmix(std::span<std::byte> piece) const;

  std::size_t piece_bytes_;
  std::size_t most_whole_;  // pieces
  std::size_t period_;
  boost::unordered_flat_map<std::uint64_t, Held> held_;
  std::vector<Whole> whole_;
  std::size_t next_ = 0;  // of whole_: the one to be packed next, which has been there for longest
  std::vector<Packed> packed_;
  std::vector<std::uint32_t> free_;  // of packed_
  std::size_t packed_bytes_ = 0;
  boost::unordered_flat_map<std::size_t, std::uint32_t> by_hash_;  // of packed_: one of each hash
  std::vector<std::byte> room_;                                    // to pack into
  mutable std::vector<std::byte> unpacked_;                        // a piece
};

}  // namespace tessera
